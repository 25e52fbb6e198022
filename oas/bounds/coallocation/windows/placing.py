"""Search for nodes of jobs that run at given moments; each job keeps its nodes at all of its moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.coallocation.windows.placing_kernels import GIVEN_UP, NO, YES, Jobs, Nodes, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.coallocation.windows.problem import Item
    from oas.problems.coallocation.ticks import ScaledCoallocation

__all__ = ["GIVEN_UP", "NO", "YES", "find_nodes"]

MAX_LOADS = 2**62  # of links: sums then fit into 64 bits


def find_nodes(
    scaled: ScaledCoallocation, items: Sequence[Item], moments: Sequence[Sequence[int]], steps: int
) -> tuple[int, list[list[int]]]:
    """Search for nodes of jobs at levels, such that the jobs of each moment can run together.

    Parameters
    ----------
    items
        (job, level), in the order in which the search chooses nodes.
    moments
        For each moment the jobs that run, as indices of `items`.
    steps
        Maximum number of splits that are tried.

    Returns
    -------
    tuple
        YES, NO or GIVEN_UP (also if loads exceed 64 bits), and for YES the number of nodes of each class by item.
    """
    if sum(max(scaled.link_loads[job]) for job, _ in items) + max(scaled.link_capacity) > MAX_LOADS:
        return GIVEN_UP, []
    order = sorted(range(len(scaled.classes)), key=lambda one: (-scaled.classes[one].level, one))
    together = np.zeros((len(moments), len(items)), dtype=np.bool_)
    for moment, places in enumerate(moments):
        together[moment, list(places)] = True
    widest = max(scaled.tasks[job] for job, _ in items)
    loads = [(*scaled.link_loads[job], *[0] * (widest - scaled.tasks[job])) for job, _ in items]
    jobs = Jobs(
        tasks=_array([scaled.tasks[job] for job, _ in items]),
        level=_array([level for _, level in items]),
        loads=_array([row[: widest + 1] for row in loads]),
        together=together,
        class_level=_array([scaled.classes[one].level for one in order]),
        class_cluster=_array([scaled.classes[one].cluster for one in order]),
    )
    nodes = Nodes(
        split=np.zeros((len(items), len(order)), dtype=np.int64),
        free=_array([[len(scaled.classes[one].nodes) for one in order]] * len(moments)),
        link=_array([scaled.link_capacity] * len(moments)),
    )
    answer = int(search(jobs, nodes, steps))
    found = [[0] * len(order) for _ in items]
    for place, row in enumerate(nodes.split.tolist()):
        for one, count in zip(order, row, strict=True):
            found[place][one] = count
    return answer, found


def _array(values: Any) -> Any:
    return np.array(values, dtype=np.int64)
