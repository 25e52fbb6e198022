"""Allocations of nodes to jobs, runs in ticks and node counts, and the conversion from and to schedules.

An *allocation* of a job is the number of nodes that it takes of each class. Nodes of one class are interchangeable at
every moment, and runs that never need more nodes of a class than it has can always be assigned fixed nodes (first fit
in time), so models and searches need only counts. The counts are by class, not by nested levels of a cluster: with
several Γ inside one cluster, nested counts that fit at each moment may still force a job to migrate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from heapq import heappop, heappush
from itertools import compress, pairwise
from typing import TYPE_CHECKING, TypeVar

from oas.core.errors import InputError, TooLargeError
from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import ScaledCoallocation

Moment = TypeVar("Moment", int, Fraction)

LinkLoad = tuple[int, int]
"""The index of a link, and a load on it in the scaled unit."""

MAX_ALLOCATIONS = 200_000
MAX_CLASSES = 800  # the enumeration of allocations recurs once for each class of nodes


@dataclass(frozen=True)
class Allocation:
    """Node counts of one job."""

    counts: tuple[int, ...]  # nodes of each class of the scaled instance
    duration: int  # running time in ticks, determined by the slowest class used
    loads: tuple[int, ...]  # load on each cluster's link, scaled unit

    @cached_property
    def links(self) -> tuple[LinkLoad, ...]:
        """The links with a load above 0, which are few of many."""
        return used_links(self.loads)


def used_links(loads: Sequence[int]) -> tuple[LinkLoad, ...]:
    """Return the indices of the links with a load above 0, with these loads."""
    return tuple((link, load) for link, load in enumerate(loads) if load)


def make_allocation(scaled: ScaledCoallocation, job: int, counts: Sequence[int]) -> Allocation:
    """Return the allocation of `job` with these counts, including its duration and link loads."""
    row = scaled.link_loads[job]
    loads = tuple(row[count] if count else 0 for count in tasks_by_cluster(scaled, counts))
    return Allocation(tuple(counts), scaled.durations[job][slowest_level(scaled, counts)], loads)


def slowest_level(scaled: ScaledCoallocation, counts: Sequence[int]) -> int:
    """Return the level of the slowest nodes among these counts by node class."""
    return max(node_class.level for node_class in compress(scaled.classes, counts))


def tasks_by_cluster(scaled: ScaledCoallocation, counts: Sequence[int]) -> list[int]:
    """Return the number of nodes on each cluster for counts by node class."""
    usage = [0] * scaled.cluster_count
    for index in used_classes(counts):
        usage[scaled.classes[index].cluster] += counts[index]
    return usage


def used_classes(counts: Sequence[int]) -> list[int]:
    """Return the indices of the node classes with a count above 0, which are few of many."""
    return list(compress(range(len(counts)), counts))


def nodes_by_cluster(instance: CoallocationInstance, allocation: Allocation) -> dict[str, int]:
    """Return the number of nodes of an allocation by the id of their cluster, without clusters that it does not use."""
    counts = tasks_by_cluster(instance.scaled(), allocation.counts)
    return {cluster.id: count for cluster, count in zip(instance.clusters, counts, strict=True) if count}


def allocations(scaled: ScaledCoallocation, job: int, cap: int = MAX_ALLOCATIONS) -> list[Allocation]:
    """Return the allocations of `job` that all links allow on an empty grid, in lexicographic order of counts.

    Raises `TooLargeError` if there are more than `cap`, or more than 800 classes of nodes.
    """
    if len(scaled.classes) > MAX_CLASSES:
        kinds = f"{len(scaled.classes):,} kinds of nodes (cluster and power), above {MAX_CLASSES}"
        raise TooLargeError(f"the grid has {kinds}; this formulation lists all allocations")
    result: list[Allocation] = []
    for counts in _compositions(scaled, job):
        result.append(make_allocation(scaled, job, counts))
        if len(result) > cap:
            raise TooLargeError(f"job {job} has more than {cap:,} allocations; this formulation lists them all")
    return result


def allowed_counts(scaled: ScaledCoallocation, job: int, free: int, residual: int) -> list[int]:
    """Return the possible numbers of tasks of `job` on a cluster, ascending, with 0.

    `free` is the number of free nodes of the cluster, `residual` the free capacity of its link, scaled unit.
    """
    loads = scaled.link_loads[job]
    return [count for count in range(min(free, scaled.tasks[job]) + 1) if loads[count] <= residual]


def fastest_level(scaled: ScaledCoallocation, job: int) -> int | None:
    """Return the lowest level at which `job` has an allocation on an empty grid; None if it has none at all."""
    tasks, peak = scaled.tasks[job], max(scaled.link_loads[job])
    for level, sizes in enumerate(scaled.sizes_by_level):
        if sum(sizes) < tasks:
            continue
        if peak <= min(scaled.link_capacity):
            return level  # any division among clusters is allowed
        sums = 1  # bit s: the clusters so far can hold s tasks
        allowed = cache(partial(allowed_counts, scaled, job))  # many clusters are equal
        for free, capacity in zip(sizes, scaled.link_capacity, strict=True):
            reached = 0
            for count in allowed(free, capacity):
                reached |= sums << count
            sums = reached & (2 << tasks) - 1
            if sums >> tasks & 1:  # the other clusters may hold no task
                return level
    return None


def most_running(scaled: ScaledCoallocation) -> int:
    """Return an upper bound on the number of jobs that run at the same time: as many of the narrowest as fit."""
    free = sum(len(one.nodes) for one in scaled.classes)
    for count, tasks in enumerate(sorted(scaled.tasks)):
        free -= tasks
        if free < 0:
            return count
    return scaled.job_count


def jobs_without_allocation(scaled: ScaledCoallocation) -> list[int]:
    """Return the indices of the jobs without any allocation: if there are any, the instance is infeasible."""
    return [job for job in range(scaled.job_count) if fastest_level(scaled, job) is None]


def _compositions(scaled: ScaledCoallocation, job: int) -> Iterator[tuple[int, ...]]:
    """Yield the counts by class that add up to τ and respect the limit of each link."""
    tasks, loads = scaled.tasks[job], scaled.link_loads[job]
    sizes = [len(node_class.nodes) for node_class in scaled.classes]
    remaining_size = [sum(sizes[index:]) for index in range(len(sizes) + 1)]
    last = [True] * len(sizes)  # whether a class is the last of its cluster, so that the link's load is known
    for index, (current, following) in enumerate(pairwise(scaled.classes)):
        last[index] = current.cluster != following.cluster
    counts = [0] * len(sizes)

    def extend(index: int, left: int, usage: int) -> Iterator[tuple[int, ...]]:
        if index == len(sizes):
            yield tuple(counts)
            return
        for count in range(max(0, left - remaining_size[index + 1]), min(sizes[index], left) + 1):
            total = usage + count
            if last[index] and loads[total] > scaled.link_capacity[scaled.classes[index].cluster]:
                continue
            counts[index] = count
            yield from extend(index + 1, left - count, 0 if last[index] else total)

    yield from extend(0, tasks, 0)


@dataclass(frozen=True)
class Run:
    """A job's run in ticks, as models and searches determine it."""

    job: int  # index of the job
    start: int  # tick of its start
    allocation: Allocation  # node counts and the duration

    @property
    def end(self) -> int:
        """Tick of its end."""
        return self.start + self.allocation.duration


def schedule_from_runs(
    instance: CoallocationInstance, scaled: ScaledCoallocation, runs: Iterable[Run], method: str = ""
) -> Schedule:
    """Assign nodes to runs: first fit in time, lowest number first, for each node class.

    Raises `InputError` if the runs need more nodes of a class than there are.
    """
    ordered = sorted(runs, key=lambda one: (one.start, one.job))
    parts = ((run.job, run.start, run.end, run.allocation) for run in ordered)
    return place_first_fit(instance, parts, method, scaled.to_time)


def place_first_fit(
    instance: CoallocationInstance,
    runs: Iterable[tuple[int, Moment, Moment, Allocation]],
    method: str,
    to_time: Callable[[Moment], Fraction],
) -> Schedule:
    """Return the schedule of runs (job, start, end, allocation), in the order of starts, on the first idle nodes.

    `to_time` converts starts and ends to the instance's time unit.

    Raises `InputError` if the runs need more nodes of a class than there are.
    """
    classes = instance.scaled().classes
    idle = [list(node_class.nodes) for node_class in classes]  # heaps: ascending
    busy: list[tuple[Moment, int, list[tuple[int, list[int]]]]] = []  # a heap by end: taken nodes by class
    placements = []
    for index, (job, start, end, allocation) in enumerate(runs):
        name = instance.jobs[job].id
        while busy and busy[0][0] <= start:
            for place, returned in heappop(busy)[2]:
                for number in returned:
                    heappush(idle[place], number)
        taken = []
        for place in used_classes(allocation.counts):
            free, count = idle[place], allocation.counts[place]
            if len(free) < count:
                raise InputError(f"job {name} finds {len(free)} of {count} nodes free at {to_time(start)}")
            taken.append((place, [heappop(free) for _ in range(count)]))
        heappush(busy, (end, index, taken))
        nodes: dict[str, list[int]] = {}
        for place, numbers in taken:
            nodes.setdefault(instance.clusters[classes[place].cluster].id, []).extend(numbers)
        placements.append(Placement(name, to_time(start), to_time(end), nodes))
    return Schedule(placements, method)


def runs_from_schedule(instance: CoallocationInstance, scaled: ScaledCoallocation, schedule: Schedule) -> list[Run]:
    """Return a verified schedule in ticks and node counts, in the order of job indices."""
    return [
        Run(job, int(placement.start / scaled.tick), allocation_of(instance, scaled, job, placement))
        for job, placement in enumerate(placements_by_job(instance, schedule))
    ]


def placements_by_job(instance: CoallocationInstance, schedule: Schedule) -> list[Placement]:
    """Return the placements of a verified schedule in the order of job indices."""
    by_job = {placement.job: placement for placement in schedule.placements}
    return [by_job[job.id] for job in instance.jobs]


def allocation_of(
    instance: CoallocationInstance, scaled: ScaledCoallocation, job: int, placement: Placement
) -> Allocation:
    """Return the node counts of a placement of a job."""
    counts = [0] * len(scaled.classes)
    for place, node_class in enumerate(scaled.classes):
        name = instance.clusters[node_class.cluster].id
        if name in placement.nodes:
            counts[place] = len(node_class.members.intersection(placement.nodes[name]))
    return make_allocation(scaled, job, counts)
