"""The list engine, which places the jobs of a queue on the grid over time, and the placement rules.

All queue heuristics of the OAS paper's section 4.2 use it, with different queue orders, and with or without overtaking.
If saturated links slow jobs down, the end of a job depends on later jobs. Then the engine works on line: it decides at
0 and whenever jobs end, without knowledge of later ends.

A placement rule selects a job's nodes among the free ones. It is a function
``place(scaled, job, free, residual) -> Allocation | None``.
"""

from __future__ import annotations

import heapq
from functools import cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Protocol

from oas.coallocation.allocations import (
    Allocation,
    Run,
    allowed_counts,
    jobs_without_allocation,
    make_allocation,
    schedule_from_runs,
    used_classes,
)
from oas.coallocation.running import RunningJobs, StartedRun, schedule_from_starts
from oas.core.clock import check_clock
from oas.core.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.core.schedule import Schedule


class PlacementRule(Protocol):
    """Select an allocation of `job` within `free` nodes (by node class) and `residual` link capacity, or None."""

    def __call__(
        self, scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
    ) -> Allocation | None: ...


def one_cluster_first(
    scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
) -> Allocation | None:
    """Return an allocation on one cluster if possible, fastest first, otherwise split within the residual bandwidth.

    *Fastest* refers to the level: the Γ of the slowest node the job would use. One cluster: the least level at which
    some cluster has τ free nodes, ties to the first cluster. Split: the least level at which the links allow a split;
    clusters are filled by descending number of free nodes (ties to the first), each with as many tasks as its link and
    the following clusters allow. Inside a cluster the slowest nodes of the level are used first, so that fast ones
    remain free.
    """
    tasks = scaled.tasks[job]
    if sum(free) < tasks:
        return None
    free_at = []
    for level, nodes in enumerate(scaled.nodes_by_level(free)):
        if max(nodes) >= tasks:
            split = [0] * scaled.cluster_count
            split[next(cluster for cluster, count in enumerate(nodes) if count >= tasks)] = tasks
            return _allocate(scaled, job, free, level, split)
        free_at.append(nodes)
    for level, nodes in enumerate(free_at):
        tasks_by_cluster = _split(scaled, job, nodes, residual)
        if tasks_by_cluster is not None:
            return _allocate(scaled, job, free, level, tasks_by_cluster)
    return None


def _split(scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]) -> list[int] | None:
    """Return the number of tasks by cluster, or None; sets of reachable sums are stored as bits of integers."""
    tasks = scaled.tasks[job]
    if sum(free) < tasks:
        return None
    order = sorted(filter(free.__getitem__, range(scaled.cluster_count)), key=lambda cluster: (-free[cluster], cluster))
    if max(scaled.link_loads[job]) <= min(residual):
        return _fill(order, free, tasks)
    row = cache(partial(allowed_counts, scaled, job))  # many clusters are equal
    needed = (2 << tasks) - 1
    reachable = [1]  # sums that the last clusters of `order` can hold: none of them, the last, the last two, …
    for cluster in reversed(order):
        check_clock()
        if reachable[-1] == needed:  # so it remains with more clusters, which may hold no task
            break
        sums = 0
        for count in row(free[cluster], residual[cluster]):
            sums |= reachable[-1] << count
        reachable.append(sums & needed)
    if not reachable[-1] >> tasks & 1:
        return None
    split, left = [0] * scaled.cluster_count, tasks
    for position, cluster in enumerate(order):
        following = len(order) - position - 1
        rest = reachable[following] if following < len(reachable) else needed
        allowed = row(free[cluster], residual[cluster])
        split[cluster] = max(count for count in allowed if count <= left and rest >> (left - count) & 1)
        left -= split[cluster]
        if not left:
            break
    return split


def _fill(order: Iterable[int], free: Sequence[int], tasks: int) -> list[int]:
    """Return the split of `_split` if no link restricts the job: as many tasks as possible on each cluster in turn."""
    split = [0] * len(free)
    for cluster in order:
        split[cluster] = min(free[cluster], tasks)
        tasks -= split[cluster]
        if not tasks:
            break
    return split


def _allocate(
    scaled: ScaledCoallocation, job: int, free: Sequence[int], level: int, split: Sequence[int]
) -> Allocation:
    counts = [0] * len(scaled.classes)
    for cluster in compress(range(scaled.cluster_count), split):
        left = split[cluster]
        for index in reversed(scaled.classes_by_cluster[cluster]):  # slowest first
            if scaled.classes[index].level <= level:
                counts[index] = min(free[index], left)
                left -= counts[index]
    return make_allocation(scaled, job, counts)


def list_schedule(
    instance: CoallocationInstance,
    queue: Sequence[int],
    *,
    overtaking: bool,
    place: PlacementRule = one_cluster_first,
    method: str = "",
) -> Schedule:
    """Schedule the jobs of `queue` at the instance's slot size (η = 0: in continuous time).

    Parameters
    ----------
    queue
        Job indices in queue order.
    overtaking
        False: a job starts only after all jobs before it, so starts never decrease along the queue. True: whenever
        nodes become free, the queue is traversed and every job that fits starts.
    place
        The placement rule.
    method
        Name of the schedule.

    Raises
    ------
    InfeasibleError
        If some job has no allocation even on an empty grid.
    """
    check_placeable(instance)
    scaled = instance.scaled()
    if instance.saturation.slows:
        runs = run_slowed_queue(RunningJobs(instance), scaled, queue, overtaking, place)
        return schedule_from_starts(instance, runs, method)
    return schedule_from_runs(instance, scaled, _run_queue(scaled, queue, overtaking, place), method)


def check_placeable(instance: CoallocationInstance) -> None:
    """Raise `InfeasibleError`, naming the jobs, if some have no allocation even on an empty grid."""
    hopeless = jobs_without_allocation(instance.scaled())
    if hopeless:
        names = ", ".join(instance.jobs[job].id for job in hopeless)
        raise InfeasibleError(f"no allocation exists for: {names} (too little link bandwidth)")


class Room:
    """Free nodes of each class, and residual capacity of each link."""

    def __init__(self, scaled: ScaledCoallocation) -> None:
        self.free = [len(node_class.nodes) for node_class in scaled.classes]
        self.residual = list(scaled.link_capacity)

    def take(self, allocation: Allocation, sign: int) -> None:
        """Occupy the resources of an allocation; with sign -1 release them."""
        for index in used_classes(allocation.counts):
            self.free[index] -= sign * allocation.counts[index]
        for index, load in allocation.links:
            self.residual[index] -= sign * load


def _started(
    scaled: ScaledCoallocation, room: Room, waiting: list[int], overtaking: bool, place: PlacementRule
) -> Iterator[tuple[int, Allocation]]:
    """Remove the jobs that start now from the queue, and yield them with their allocations."""
    position = 0
    while position < len(waiting):
        check_clock()
        allocation = place(scaled, waiting[position], room.free, room.residual)
        if allocation is not None:
            room.take(allocation, 1)
            yield waiting.pop(position), allocation
        elif overtaking:
            position += 1
        else:
            return


def run_slowed_queue(
    grid: RunningJobs, scaled: ScaledCoallocation, queue: Sequence[int], overtaking: bool, place: PlacementRule
) -> list[StartedRun]:
    """Return the runs of a queue whose jobs may slow one another down.

    `grid` must be empty at moment 0 and contains all running jobs whenever the placement rule is called. Other
    arguments are as in `list_schedule`; every job must have an allocation.
    """
    room, waiting, runs = Room(scaled), list(queue), []
    while waiting:
        for job, allocation in _started(scaled, room, waiting, overtaking, place):
            runs.append(StartedRun(job, grid.now, allocation))
            grid.start(job, allocation)
        until = grid.next_end()
        assert until is not None, "a job that has an allocation at all fits the empty grid"
        for ended in grid.pass_until(until):
            room.take(ended.allocation, -1)
    return runs


def _run_queue(scaled: ScaledCoallocation, queue: Sequence[int], overtaking: bool, place: PlacementRule) -> list[Run]:
    room, waiting, runs = Room(scaled), list(queue), []
    ends: list[tuple[int, int]] = []  # (end, index in `runs`) of the running jobs
    now = 0
    while waiting:
        for job, allocation in _started(scaled, room, waiting, overtaking, place):
            runs.append(Run(job, now, allocation))
            heapq.heappush(ends, (runs[-1].end, len(runs) - 1))
        if waiting:
            # Every job fits the empty grid, so some job is running here.
            now = ends[0][0]
            while ends and ends[0][0] == now:
                room.take(runs[heapq.heappop(ends)[1]].allocation, -1)
    return runs
