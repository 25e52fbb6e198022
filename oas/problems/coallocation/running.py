"""Jobs that run at the same moment, as exact time passes: how far they are, and which ends next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import LongTimesError
from oas.core.numbers import MAX_DIGITS, ceil_to
from oas.problems.coallocation.rates import rate, slowdowns

if TYPE_CHECKING:
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance

_TOO_LONG = 10**MAX_DIGITS


def long_times(moment: Fraction, slot: Fraction) -> LongTimesError:
    """Return the error that exact times have too many digits from `moment` on."""
    reason = f"exact times need more than {MAX_DIGITS} digits from {float(moment):.6g} on; choose a slot size"
    return LongTimesError(reason, field="slot", value=slot)


@dataclass
class RunningJob:
    """A job that runs.

    Attributes
    ----------
    job
        Index of the job.
    allocation
        Its node counts and link loads.
    power
        Γ of its slowest node.
    left, since
        Progress that was still to be made, 1 at its start, at the moment `since` when its speed last changed; below 0
        if it waited for the end of its slot.
    slowdown
        SC: how much longer it communicates at present than over links that are not saturated.
    speed
        Progress in a unit of time at present; 0 before the first speed is set.
    end
        When it ends if its speed stays the same.
    """

    job: int
    allocation: Allocation
    power: Fraction
    left: Fraction = field(default=Fraction(1))
    since: Fraction = field(default=Fraction(0))
    slowdown: Fraction = field(default=Fraction(1))
    speed: Fraction = field(default=Fraction(0))
    end: Fraction = field(default=Fraction(0))


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

    Attributes
    ----------
    now
        In the instance's time unit; 0 at first.
    """

    def __init__(self, instance: CoallocationInstance, slot: Fraction | None = None) -> None:
        self._instance = instance
        self._scaled = instance.scaled()
        self._slot = instance.slot if slot is None else slot
        self._stale = False
        self._running: dict[int, RunningJob] = {}
        self.now = Fraction(0)

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
        levels = [one.level for one, count in zip(self._scaled.classes, allocation.counts, strict=True) if count]
        self._running[job] = RunningJob(job, allocation, self._scaled.powers[max(levels)])
        self._stale = True

    def end_of(self, one: RunningJob) -> Fraction:
        """Return when a job of `running` ends if nothing else starts or ends before."""
        return one.end

    def next_end(self) -> Fraction | None:
        """Return when the next job ends if nothing starts before; None if nothing runs.

        Raises
        ------
        LongTimesError
            Naming ``slot``, if that moment has more digits than files hold: without slots each end adds some.
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
