"""Runs that are given by their starts alone: how long each lasts follows from what runs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import ceil_to
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.rates import rates
from oas.problems.coallocation.runs import allocation_of, placements_by_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
        If a link is asked for more than it may be, naming a job and the moment.
    """
    ends = [Fraction(0)] * len(runs)
    left = [Fraction(1)] * len(runs)
    running: list[int] = []
    waiting = sorted(range(len(runs)), key=lambda one: runs[one].start, reverse=True)
    now = Fraction(0)
    while running or waiting:
        if not running:
            now = runs[waiting[-1]].start
        while waiting and runs[waiting[-1]].start == now:
            running.append(waiting.pop())
            _check_links(instance, [runs[one] for one in running], now)
        speeds = rates(instance, [(runs[one].job, runs[one].allocation) for one in running])
        done = [now + max(left[one], Fraction(0)) / speed for one, speed in zip(running, speeds, strict=True)]
        held = [max(ceil_to(moment, instance.slot), now) for moment in done]
        until = min([*held, *(runs[one].start for one in waiting[-1:])])
        for one, speed in zip(running, speeds, strict=True):
            left[one] -= speed * (until - now)
        for one, moment in zip(running, held, strict=True):
            if moment == until:
                ends[one] = until
        running = [one for one, moment in zip(running, held, strict=True) if moment != until]
        now = until
    return ends


def _check_links(instance: CoallocationInstance, runs: Sequence[StartedRun], now: Fraction) -> None:
    for link, limit in enumerate(instance.scaled().link_capacity):
        if sum(run.allocation.loads[link] for run in runs) > limit:
            job, cluster = instance.jobs[runs[-1].job].id, instance.clusters[link].id
            reason = f"the link of cluster {cluster} is asked for more than it may be as job {job} starts at {now}"
            raise InputError(reason)


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
