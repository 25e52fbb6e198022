"""Search for nodes of jobs that run at given moments; each job keeps its nodes at all of its moments.

The kernels are plain functions over arrays: a depth-first search over the jobs, which tries every split of a job's
tasks over the node classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oas.bounds.arrays import numbers, zeros
from oas.core.compiling import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.coallocation.windows import Item
    from oas.problems.coallocation.ticks import ScaledCoallocation

NO, YES, GIVEN_UP = 0, 1, 2
MAX_LOADS = 2**62  # of links: sums then fit into 64 bits


class Jobs(NamedTuple):
    """The jobs, in the order in which the search chooses their nodes, and the node classes, from slow to fast."""

    tasks: Any  # [job]
    level: Any  # [job]: nodes must be as fast as this level, or faster
    loads: Any  # [job, tasks in a cluster]: load on the cluster's link
    together: Any  # [moment, job]: whether the job runs at the moment
    class_level: Any  # [class]
    class_cluster: Any  # [class]


class Nodes(NamedTuple):
    """The arrays that the search writes: nodes of each job, and the rest of nodes and links at each moment."""

    split: Any  # [job, class]: the number of nodes that the job has
    free: Any  # [moment, class]: the number of free nodes
    link: Any  # [moment, cluster]: the free capacity of the link


def free_of(jobs: Jobs, nodes: Nodes, job: int, one: int) -> int:
    """Return how many nodes of a class the job can have at all of its moments; 0 if the class is too slow."""
    if jobs.class_level[one] > jobs.level[job]:
        return 0
    least = jobs.tasks[job]
    for moment in range(len(jobs.together)):
        if jobs.together[moment, job]:
            least = min(least, nodes.free[moment, one])
    return least


def next_split(jobs: Jobs, nodes: Nodes, job: int, fresh: bool) -> bool:
    """Choose the next split of the job over free nodes, in lexicographically decreasing order; False after the last."""
    count = len(jobs.class_level)
    place, left = 0, jobs.tasks[job]
    if not fresh:
        place, left, behind = count - 1, 0, 0
        while place >= 0:
            held = nodes.split[job, place]
            if held > 0 and behind > left:
                break
            left += held
            behind += free_of(jobs, nodes, job, place)
            place -= 1
        if place < 0:
            return False
        nodes.split[job, place] -= 1
        left += 1
        place += 1
    while place < count:
        nodes.split[job, place] = min(free_of(jobs, nodes, job, place), left)
        left -= nodes.split[job, place]
        place += 1
    return left == 0


def load_of(jobs: Jobs, nodes: Nodes, job: int, cluster: int) -> int:
    """Return the load of the job with its current split on the link of a cluster."""
    tasks = 0
    for one in range(len(jobs.class_cluster)):
        if jobs.class_cluster[one] == cluster:
            tasks += nodes.split[job, one]
    return jobs.loads[job, tasks]


def links_hold(jobs: Jobs, nodes: Nodes, job: int) -> bool:
    """Return whether the links have capacity for the job with its current split, at all of its moments."""
    for cluster in range(nodes.link.shape[1]):
        load = load_of(jobs, nodes, job, cluster)
        for moment in range(len(jobs.together)):
            if jobs.together[moment, job] and load > nodes.link[moment, cluster]:
                return False
    return True


def take(jobs: Jobs, nodes: Nodes, job: int, sign: int) -> None:
    """Reserve nodes and links for the current split of the job (`sign` 1), or release them (`sign` -1)."""
    for moment in range(len(jobs.together)):
        if jobs.together[moment, job]:
            for one in range(len(jobs.class_level)):
                nodes.free[moment, one] -= sign * nodes.split[job, one]
            for cluster in range(nodes.link.shape[1]):
                nodes.link[moment, cluster] -= sign * load_of(jobs, nodes, job, cluster)


def leaves_nodes(jobs: Jobs, nodes: Nodes, after: int) -> bool:
    """Return whether at each moment the free nodes suffice for the jobs after `after`, counted for each level."""
    for moment in range(len(jobs.together)):
        for job in range(after + 1, len(jobs.tasks)):
            if not jobs.together[moment, job]:
                continue
            level, need, free = jobs.level[job], 0, 0
            for other in range(after + 1, len(jobs.tasks)):
                if jobs.together[moment, other] and jobs.level[other] <= level:
                    need += jobs.tasks[other]
            for one in range(len(jobs.class_level)):
                if jobs.class_level[one] <= level:
                    free += nodes.free[moment, one]
            if need > free:
                return False
    return True


@kernel
def search(jobs: Jobs, nodes: Nodes, steps: int) -> int:
    """Search for nodes of all jobs, written to `nodes.split`: YES, NO, or GIVEN_UP after `steps` splits."""
    job, fresh = 0, True
    while job >= 0:
        steps -= 1
        if steps < 0:
            return GIVEN_UP
        if not next_split(jobs, nodes, job, fresh):
            job, fresh = job - 1, False
            if job >= 0:
                take(jobs, nodes, job, -1)
            continue
        fresh = False
        if links_hold(jobs, nodes, job):
            take(jobs, nodes, job, 1)
            if leaves_nodes(jobs, nodes, job):
                job, fresh = job + 1, True
                if job == len(jobs.tasks):
                    return YES
            else:
                take(jobs, nodes, job, -1)
    return NO


__all__ = ["GIVEN_UP", "NO", "YES", "find_nodes"]


def find_nodes(
    scaled: ScaledCoallocation, items: Sequence[Item], moments: Sequence[Sequence[int]], steps: int
) -> tuple[int, list[list[int]]]:
    """Search for nodes of jobs at levels, such that the jobs of each moment can run together.

    `items`: (job, level), in the order in which the search chooses nodes. `moments`: for each moment the jobs that run,
    as indices of `items`. `steps`: maximum number of splits that are tried.

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
        tasks=numbers([scaled.tasks[job] for job, _ in items]),
        level=numbers([level for _, level in items]),
        loads=numbers([row[: widest + 1] for row in loads]),
        together=together,
        class_level=numbers([scaled.classes[one].level for one in order]),
        class_cluster=numbers([scaled.classes[one].cluster for one in order]),
    )
    nodes = Nodes(
        split=zeros(len(items), len(order)),
        free=numbers([[len(scaled.classes[one].nodes) for one in order]] * len(moments)),
        link=numbers([scaled.link_capacity] * len(moments)),
    )
    answer = int(search(jobs, nodes, steps))
    found = [[0] * len(order) for _ in items]
    for place, row in enumerate(nodes.split.tolist()):
        for one, count in zip(order, row, strict=True):
            found[place][one] = count
    return answer, found
