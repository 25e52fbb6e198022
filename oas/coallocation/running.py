"""Exact simulation of running jobs under any saturation policy, and schedules from the starts of runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.coallocation.allocations import allocation_of, place_first_fit, placements_by_job, slowest_level
from oas.coallocation.rates import rate, slowdowns_on_links
from oas.core.clock import check_clock
from oas.core.errors import InputError, LongTimesError
from oas.core.numbers import MAX_DIGITS, ceil_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.coallocation.allocations import Allocation
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule

_TOO_LONG = 10**MAX_DIGITS


def long_times(moment: Fraction, slot: Fraction) -> LongTimesError:
    """Return the error for exact times with too many digits from `moment` on."""
    reason = f"exact times need more than {MAX_DIGITS} digits from {float(moment):.6g} on; choose a slot size"
    return LongTimesError(reason, field="slot", value=slot)


@dataclass
class RunningJob:
    """A running job: its allocation, remaining progress, current speed and end."""

    job: int  # index of the job
    allocation: Allocation  # its node counts and link loads
    power: Fraction  # Γ of its slowest node
    # left, since: the remaining progress, 1 at the start, at the moment `since` of the last change of speed; below 0 if
    # the job is waiting for the end of its slot
    left: Fraction = Fraction(1)
    since: Fraction = Fraction(0)
    slowdown: Fraction = Fraction(1)  # current SC, the ratio of communication times
    speed: Fraction = Fraction(0)  # current progress in a unit of time; 0 before it is first set
    end: Fraction = Fraction(0)  # end of the job if its speed does not change


class RunningJobs:
    """The running jobs at some moment, under any saturation policy; the caller checks nodes and limits of links.

    Jobs hold nodes and links until they end: at progress 1, or with slots at the first multiple of η from then on.
    Speeds change only at starts and ends, so time passes from one of these to the next. `slot`: η if it is not the
    instance's.
    """

    def __init__(self, instance: CoallocationInstance, slot: Fraction | None = None) -> None:
        self._instance = instance
        self._scaled = instance.scaled()
        self._slot = instance.slot if slot is None else slot
        self._stale = False  # whether speeds must be computed again
        self._running: dict[int, RunningJob] = {}
        self.now = Fraction(0)  # in the instance's time unit; 0 at first

    def copy(self) -> RunningJobs:
        """Return an independent copy."""
        duplicate = RunningJobs(self._instance, self._slot)
        duplicate.now, duplicate._stale = self.now, self._stale
        duplicate._running = {job: replace(one) for job, one in self._running.items()}
        return duplicate

    @property
    def running(self) -> list[RunningJob]:
        """The running jobs in the order of their starts, with current speeds."""
        self._set_speeds()
        return list(self._running.values())

    def start(self, job: int, allocation: Allocation) -> None:
        """Start a job now."""
        power = self._scaled.powers[slowest_level(self._scaled, allocation.counts)]
        self._running[job] = RunningJob(job, allocation, power)
        self._stale = True

    def next_end(self) -> Fraction | None:
        """Return the end of the next job to end if no other starts before; None if no job is running.

        Raises `LongTimesError` naming ``slot``, if that moment has more digits than files can hold: without slots, each
        end adds digits.
        """
        check_clock()
        if not self._running:
            return None
        self._set_speeds()
        moment = min(one.end for one in self._running.values())
        if max(moment.numerator, moment.denominator) >= _TOO_LONG:
            raise long_times(moment, self._slot)
        return moment

    def pass_until(self, moment: Fraction) -> list[RunningJob]:
        """Advance to a moment that is not after `next_end`; remove and return the jobs that end then, by their starts.

        The speeds of the remaining jobs are valid again after the next access to `running`.
        """
        self._set_speeds()
        ended = [one for one in self._running.values() if one.end == moment]
        for one in ended:
            del self._running[one.job]
        self._stale = self._stale or bool(ended)
        self.now = moment
        return ended

    def _set_speeds(self) -> None:
        if not self._stale:
            return
        jobs = list(self._running.values())
        sharing, bandwidth = self._instance.saturation.sharing, self._scaled.link_bandwidth
        factors = slowdowns_on_links(sharing, bandwidth, [one.allocation.links for one in jobs])
        for one, factor in zip(jobs, factors, strict=True):
            if one.speed and factor == one.slowdown:  # its end does not change either
                continue
            one.left -= one.speed * (self.now - one.since)
            one.since, one.slowdown = self.now, factor
            one.speed = rate(self._instance.jobs[one.job], one.power, factor)
            end = self.now + max(one.left, Fraction(0)) / one.speed
            one.end = max(ceil_to(end, self._slot), self.now)
        self._stale = False


@dataclass(frozen=True)
class StartedRun:
    """A job's run without its end."""

    job: int  # index of the job
    start: Fraction  # in the instance's time unit; a multiple of η if there are slots
    allocation: Allocation  # node counts; the duration is only valid for unsaturated links


def ends_of(instance: CoallocationInstance, runs: Sequence[StartedRun]) -> list[Fraction]:
    """Return the end of each run: at progress 1, or with slots at the first multiple of η from then on.

    Nodes are not checked. With slots, a job holds its links and nodes until its end.

    Raises `InputError` if the load of a link exceeds its limit, naming a job and the moment, or if a moment has too
    many digits.
    """
    ends: dict[int, Fraction] = {}
    running, loads, limits = RunningJobs(instance), [0] * len(instance.clusters), instance.scaled().link_capacity
    waiting = sorted(runs, key=lambda one: one.start, reverse=True)
    while len(ends) < len(runs):
        until = running.next_end()
        if waiting and (until is None or waiting[-1].start < until):
            until = waiting[-1].start
        assert until is not None, "a run that has not ended waits or is running"
        for ended in running.pass_until(until):
            ends[ended.job] = until
            for link, load in ended.allocation.links:
                loads[link] -= load
        while waiting and waiting[-1].start == until:
            run = waiting.pop()
            for link, load in run.allocation.links:
                loads[link] += load
                if loads[link] > limits[link]:
                    reason = f"the load of the link of cluster {instance.clusters[link].id} exceeds its limit"
                    raise InputError(f"{reason} as job {instance.jobs[run.job].id} starts at {run.start}")
            running.start(run.job, run.allocation)
    return [ends[run.job] for run in runs]


def schedule_from_starts(instance: CoallocationInstance, runs: Iterable[StartedRun], method: str = "") -> Schedule:
    """Compute the ends of runs and assign nodes: first fit in time, lowest number first, for each node class.

    Raises `InputError` if the runs need more nodes of a class than there are, or exceed the limit of a link.
    """
    ordered = sorted(runs, key=lambda one: (one.start, one.job))
    ends = ends_of(instance, ordered)
    parts = ((run.job, run.start, end, run.allocation) for run, end in zip(ordered, ends, strict=True))
    return place_first_fit(instance, parts, method, Fraction)


def starts_from_schedule(instance: CoallocationInstance, schedule: Schedule) -> list[StartedRun]:
    """Return the starts and node counts of a verified schedule, in the order of job indices."""
    scaled = instance.scaled()
    return [
        StartedRun(job, placement.start, allocation_of(instance, scaled, job, placement))
        for job, placement in enumerate(placements_by_job(instance, schedule))
    ]
