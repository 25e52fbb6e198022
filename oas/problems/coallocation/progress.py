"""Runs that are given by their starts alone: how long each lasts follows from what runs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.running import RunningJobs
from oas.problems.coallocation.runs import allocation_of, placements_by_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class StartedRun:
    """A job's run of which the end is not known yet.

    Attributes
    ----------
    job
        Index of the job.
    start
        In the instance's time unit; a multiple of η where there are slots.
    allocation
        Node counts. Its duration holds for links that are not saturated only.
    """

    job: int
    start: Fraction
    allocation: Allocation


def ends_of(instance: CoallocationInstance, runs: Sequence[StartedRun]) -> list[Fraction]:
    """Return when each run ends: at progress 1, or with slots at the first multiple of η from then on.

    Nodes are not looked at. With slots a job holds its links until it ends, as it does its nodes.

    Raises
    ------
    InputError
        If a link is asked for more than it may be, naming a job and the moment, or if a moment has too many digits.
    """
    ends: dict[int, Fraction] = {}
    running, loads = RunningJobs(instance), [0] * len(instance.clusters)
    waiting = sorted(runs, key=lambda one: one.start, reverse=True)
    while len(ends) < len(runs):
        until = running.next_end()
        if waiting and (until is None or waiting[-1].start < until):
            until = waiting[-1].start
        assert until is not None, "a run that has not ended waits or is running"
        for ended in running.pass_until(until):
            ends[ended.job] = until
            loads = [load - own for load, own in zip(loads, ended.allocation.loads, strict=True)]
        while waiting and waiting[-1].start == until:
            run = waiting.pop()
            loads = [load + own for load, own in zip(loads, run.allocation.loads, strict=True)]
            _check_links(instance, loads, run)
            running.start(run.job, run.allocation)
    return [ends[run.job] for run in runs]


def _check_links(instance: CoallocationInstance, loads: Sequence[int], run: StartedRun) -> None:
    """Refuse the start of a run if some link is asked for more than it may be."""
    for cluster, load, limit in zip(instance.clusters, loads, instance.scaled().link_capacity, strict=True):
        if load > limit:
            job = instance.jobs[run.job].id
            reason = f"the link of cluster {cluster.id} is asked for more than it may be as job {job} starts"
            raise InputError(f"{reason} at {run.start}")


def schedule_from_starts(instance: CoallocationInstance, runs: Iterable[StartedRun], method: str = "") -> Schedule:
    """Give runs their ends and concrete nodes: first fit in time, lowest number first, for each node class.

    Raises
    ------
    InputError
        If at some moment the runs ask for more nodes of a class than it has, or for more of a link than they may.
    """
    scaled = instance.scaled()
    given = sorted(runs, key=lambda one: (one.start, one.job))
    ends = ends_of(instance, given)
    idle = [list(node_class.nodes) for node_class in scaled.classes]  # heaps: ascending
    busy: list[tuple[Fraction, int, list[list[int]]]] = []  # a heap by end
    placements = []
    for place, (run, end) in enumerate(zip(given, ends, strict=True)):
        while busy and busy[0][0] <= run.start:
            for free, back in zip(idle, heappop(busy)[2], strict=True):
                for number in back:
                    heappush(free, number)
        for free, count in zip(idle, run.allocation.counts, strict=True):
            if len(free) < count:
                job = instance.jobs[run.job].id
                raise InputError(f"job {job} finds {len(free)} of {count} nodes free at {run.start}")
        taken = [[heappop(free) for _ in range(count)] for free, count in zip(idle, run.allocation.counts, strict=True)]
        heappush(busy, (end, place, taken))
        nodes: dict[str, list[int]] = {}
        for node_class, numbers in zip(scaled.classes, taken, strict=True):
            nodes.setdefault(instance.clusters[node_class.cluster].id, []).extend(numbers)
        placements.append(Placement(instance.jobs[run.job].id, run.start, end, nodes))
    return Schedule(placements, method)


def starts_from_schedule(instance: CoallocationInstance, schedule: Schedule) -> list[StartedRun]:
    """Return the starts and node counts of a verified schedule, in the order of job indices."""
    scaled = instance.scaled()
    placed = placements_by_job(instance, schedule)
    return [
        StartedRun(job, placement.start, allocation_of(instance, scaled, job, placement))
        for job, placement in enumerate(placed)
    ]
