"""One cluster in whole units of time until a horizon: free processors, and when each job may run.

A unit is the common divisor of all times, releases and reservations in ticks: starts rounded down to units keep every
rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from oas.checker.errors import refused
from oas.checker.mosp_instance import MospTicks

MAX_TIMELINE_UNITS = 20_000
MAX_TIMELINE_PROCESSORS = 1_000_000


@dataclass(frozen=True)
class TimelineJob:
    """Time in units, processors, from when it may run, and by when it must have ended."""

    time: int
    width: int
    release: int
    end: int


@dataclass(frozen=True)
class Timeline:
    """An instance of one cluster, and a makespan that is asked for; locality is left out.

    Attributes
    ----------
    horizon
        The makespan in units.
    unit
        In ticks.
    free
        Processors that reservations leave free in each unit, and 0 at the horizon.
    jobs
        In the order of the instance, without their names.
    """

    horizon: int
    unit: int
    free: list[int]
    jobs: list[TimelineJob]

    @classmethod
    def of(cls, ticks: MospTicks, horizon: int, *, mirrored: bool) -> Timeline:
        """Return the timeline; mirrored, time runs backwards from the horizon.

        Raises
        ------
        Refused
            If there is more than one cluster, or horizon or processors are too many to be listed.
        """
        if ticks.cluster_count != 1:
            raise refused("certificate", "only one cluster can be weighed moment by moment", ticks.cluster_count)
        if horizon > MAX_TIMELINE_UNITS:
            raise refused("certificate.makespan", f"must be at most {MAX_TIMELINE_UNITS:,} units", horizon)
        if ticks.processors[0] > MAX_TIMELINE_PROCESSORS:
            raise refused("certificate", "too many processors to be listed", ticks.processors[0])
        unit = common_unit(ticks)
        change = [0] * (horizon + 1)
        for _, start, end, held in ticks.reservations:
            change[min(start // unit, horizon)] -= held
            change[min(end // unit, horizon)] += held
        free, now = [], ticks.processors[0]
        for one in change[:-1]:
            now += one
            free.append(now)
        rows = zip(ticks.times, ticks.widths, ticks.releases, strict=True)
        if mirrored:
            free.reverse()
            jobs = [TimelineJob(time // unit, width, 0, horizon - release // unit) for time, width, release in rows]
        else:
            jobs = [TimelineJob(time // unit, width, release // unit, horizon) for time, width, release in rows]
        return cls(horizon, unit, [*free, 0], jobs)

    def starts(self, job: TimelineJob) -> list[tuple[int, int]]:
        """Return the intervals, (first, last), of starts at which the job may run beside the reservations."""
        found, begin = [], None
        for moment, free in enumerate(self.free):  # the last one is 0: it ends the last interval
            if free >= job.width and begin is None:
                begin = moment
            elif free < job.width and begin is not None:
                first, last = max(begin, job.release), min(moment, job.end) - job.time
                if first <= last:
                    found.append((first, last))
                begin = None
        return found


def common_unit(ticks: MospTicks) -> int:
    """Return the greatest common divisor of all times, releases and reservations, in ticks."""
    moments = [moment for _, start, end, _ in ticks.reservations for moment in (start, end)]
    return gcd(*ticks.times, *ticks.releases, *moments)


def identical_before(jobs: Sequence[TimelineJob]) -> list[int]:
    """Return for each job the last one before it that is like it, -1 for none."""
    last: dict[TimelineJob, int] = {}
    found = []
    for place, job in enumerate(jobs):
        found.append(last.get(job, -1))
        last[job] = place
    return found
