"""Jobs that run at the same moment, as exact time passes, and runs given by their starts alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import InputError, LongTimesError
from oas.core.numbers import MAX_DIGITS, ceil_to
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.allocations import allocation_of, first_fit, placements_by_job, slowest_level
from oas.problems.coallocation.rates import rate, slowdowns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance

_TOO_LONG = 10**MAX_DIGITS


def long_times(moment: Fraction, slot: Fraction) -> LongTimesError:
    """Return the error that exact times have too many digits from `moment` on."""
    reason = f"exact times need more than {MAX_DIGITS} digits from {float(moment):.6g} on; choose a slot size"
    return LongTimesError(reason, field="slot", value=slot)


@dataclass
class RunningJob:
    """A job that runs."""

    job: int  # index of the job
    allocation: Allocation  # its node counts and link loads
    power: Fraction  # Γ of its slowest node
    # left, since: progress that was still to be made, 1 at its start, at the moment `since` when its speed last
    # changed; below 0 if it waited for the end of its slot
    left: Fraction = field(default=Fraction(1))
    since: Fraction = field(default=Fraction(0))
    # SC: how much longer it communicates at present than over links that are not saturated.
    slowdown: Fraction = field(default=Fraction(1))
    # Progress in a unit of time at present; 0 before the first speed is set.
    speed: Fraction = field(default=Fraction(0))
    end: Fraction = field(default=Fraction(0))  # when it ends if its speed stays the same


class RunningJobs:
    """What runs at a moment, under any saturation policy. Nodes and the limits of links are the caller's concern.

    Jobs hold nodes and links until they end: at progress 1, or with slots at the first multiple of η from then on.
    Speeds change at starts and ends only, so time passes from one of these to the next.

    Parameters
    ----------
    instance
        Whose jobs run.
    slot
        η if it is not the instance's.
    """

    def __init__(self, instance: CoallocationInstance, slot: Fraction | None = None) -> None:
        self._instance = instance
        self._scaled = instance.scaled()
        self._slot = instance.slot if slot is None else slot
        self._stale = False
        self._running: dict[int, RunningJob] = {}
        self.now = Fraction(0)  # in the instance's time unit; 0 at first

    def copy(self) -> RunningJobs:
        """Return the same jobs at the same moment, to see what would follow."""
        other = RunningJobs(self._instance, self._slot)
        other.now, other._stale = self.now, self._stale
        other._running = {job: replace(one) for job, one in self._running.items()}
        return other

    @property
    def running(self) -> list[RunningJob]:
        """What runs now, in the order of starts, with present speeds."""
        self._set_speeds()
        return list(self._running.values())

    def start(self, job: int, allocation: Allocation) -> None:
        """Let a job start now."""
        power = self._scaled.powers[slowest_level(self._scaled, allocation.counts)]
        self._running[job] = RunningJob(job, allocation, power)
        self._stale = True

    def next_end(self) -> Fraction | None:
        """Return when the next job ends if nothing starts before; None if nothing runs.

        Raises `LongTimesError` naming ``slot``, if that moment has more digits than files hold: without slots each end
        adds some.
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
        """Let time pass until a moment that is not after `next_end`; return what ends then, in the order of starts.

        What ends is taken out; what is left has no speed that the caller could rely on until `running` is asked for.
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
        every = list(self._running.values())
        sharing, bandwidth = self._instance.saturation.sharing, self._scaled.link_bandwidth
        for one, factor in zip(
            every, slowdowns(sharing, bandwidth, [one.allocation.loads for one in every]), strict=True
        ):
            if one.speed and factor == one.slowdown:  # then its end is the same too
                continue
            one.left -= one.speed * (self.now - one.since)
            one.since, one.slowdown = self.now, factor
            one.speed = rate(self._instance.jobs[one.job], one.power, factor)
            end = self.now + max(one.left, Fraction(0)) / one.speed
            one.end = max(ceil_to(end, self._slot), self.now)
        self._stale = False


@dataclass(frozen=True)
class StartedRun:
    """A job's run of which the end is not known yet."""

    job: int  # index of the job
    start: Fraction  # in the instance's time unit; a multiple of η where there are slots
    allocation: Allocation  # node counts. Its duration holds for links that are not saturated only.


def ends_of(instance: CoallocationInstance, runs: Sequence[StartedRun]) -> list[Fraction]:
    """Return when each run ends: at progress 1, or with slots at the first multiple of η from then on.

    Nodes are not looked at. With slots a job holds its links until it ends, as it does its nodes.

    Raises `InputError` if a link is asked for more than it may be, naming a job and the moment, or if a moment has too
    many digits.
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
    given = sorted(runs, key=lambda one: (one.start, one.job))
    ends = ends_of(instance, given)
    nodes = first_fit(
        instance, ((run.job, run.start, end, run.allocation) for run, end in zip(given, ends, strict=True))
    )
    placements = [
        Placement(instance.jobs[run.job].id, run.start, end, own)
        for run, end, own in zip(given, ends, nodes, strict=True)
    ]
    return Schedule(placements, method)


def starts_from_schedule(instance: CoallocationInstance, schedule: Schedule) -> list[StartedRun]:
    """Return the starts and node counts of a verified schedule, in the order of job indices."""
    scaled = instance.scaled()
    placed = placements_by_job(instance, schedule)
    return [
        StartedRun(job, placement.start, allocation_of(instance, scaled, job, placement))
        for job, placement in enumerate(placed)
    ]
