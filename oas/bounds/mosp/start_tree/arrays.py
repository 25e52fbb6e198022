"""What the loops of the tree work on: arrays made of a timeline and measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.arrays import numbers
from oas.bounds.mosp.start_tree.kernels import Memory, Problem
from oas.bounds.mosp.start_tree.measures import Tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.start_tree.measures import Measure
    from oas.bounds.mosp.start_tree.timeline import Timeline

MAX_JOBS = 124  # bits of the two words in which the loops keep a set of jobs
MAX_STATES = 2_000_000
HELD = 8  # running jobs of a stored state, on average, that there is room for at most
HEADS = 2**20 - 3


def make_problem(timeline: Timeline, measures: Sequence[Measure], order: Sequence[int]) -> Problem:
    """Return the problem with the jobs in this order.

    Raises
    ------
    TooLargeError
        If jobs, units and measures are too many, or weights or prices too large.
    """
    scaled = timeline.scaled
    tables = Tables.of(timeline, measures, order)
    kinds = [(scaled.times[job], scaled.widths[job], timeline.releases[job], timeline.ends[job]) for job in order]
    last: dict[tuple[int, ...], int] = {}
    before = []
    for place, kind in enumerate(kinds):
        before.append(last.get(kind, -1))
        last[kind] = place
    return Problem(
        sizes=numbers([len(order), timeline.horizon, len(measures), timeline.horizon + 1]),
        times=numbers([time for time, _, _, _ in kinds]),
        widths=numbers([width for _, width, _, _ in kinds]),
        releases=numbers([release for _, _, release, _ in kinds]),
        ends=numbers([end for _, _, _, end in kinds]),
        before=numbers(before),
        free=timeline.free,
        weight=tables.weight.reshape(-1),
        least=np.ascontiguousarray(tables.least).reshape(-1),
        room=tables.room.reshape(-1),
    )


def make_memory(jobs: int, horizon: int, codes: Any, states: int) -> Memory:
    """Return the memory of a search that has not begun.

    Parameters
    ----------
    codes
        Unsigned bytes, one for each node, which the search writes.
    states
        How many may be stored.
    """
    levels = jobs + horizon + 2  # one is left with each job that starts, and with each moment
    held = min(HELD, jobs) * states + jobs
    return Memory(
        state=np.zeros(6, dtype=np.int64),
        start=np.full(jobs, -1, dtype=np.int64),
        used=np.zeros(horizon + 1, dtype=np.int64),
        moment=np.zeros(levels, dtype=np.int64),
        first=np.zeros(levels, dtype=np.int64),
        next=np.zeros(levels, dtype=np.int64),
        count=np.zeros(levels, dtype=np.int64),
        candidates=np.zeros(levels * jobs, dtype=np.int64),
        started=np.zeros(levels, dtype=np.int64),
        code=codes,
        heads=np.full(HEADS, -1, dtype=np.int64),
        following=np.zeros(states, dtype=np.int64),
        state_moment=np.zeros(states, dtype=np.int64),
        state_sum=np.zeros(states, dtype=np.int64),
        state_jobs=np.zeros(2 * states, dtype=np.int64),
        state_from=np.zeros(states + 1, dtype=np.int64),
        held_end=np.zeros(held, dtype=np.int64),
        held_width=np.zeros(held, dtype=np.int64),
    )
