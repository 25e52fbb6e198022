"""One cluster in whole units of time until a horizon: free processors, and when each job may run."""

from __future__ import annotations

from typing import NamedTuple

from oas.checker.errors import refused
from oas.checker.mosp_free import free_gaps, free_timelines, ticks_in_units
from oas.checker.mosp_instance import MospTicks

MAX_TIMELINE_UNITS = 20_000


class TimelineJob(NamedTuple):
    """Time in units, processors, from when it may run, and by when it must have ended."""

    time: int
    width: int
    release: int
    end: int


class Timeline(NamedTuple):
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
        In the order of the instance.
    """

    horizon: int
    unit: int
    free: list[int]
    jobs: list[TimelineJob]

    @classmethod
    def of(cls, scaled: MospTicks, horizon: int, *, mirrored: bool) -> Timeline:
        """Return the timeline; mirrored, time runs backwards from the horizon."""
        if scaled.cluster_count != 1:
            raise refused("certificate", "only one cluster can be weighed moment by moment", scaled.cluster_count)
        if horizon > MAX_TIMELINE_UNITS:
            raise refused("certificate.makespan", f"must be at most {MAX_TIMELINE_UNITS:,} units", horizon)
        ticks, unit = ticks_in_units(scaled)
        (steps,) = free_timelines(ticks)
        free: list[int] = []
        for (_, count), end in zip(steps, [*(moment for moment, _ in steps[1:]), horizon], strict=True):
            free += [count] * (min(end, horizon) - len(free))
        rows = zip(ticks.times, ticks.widths, ticks.releases, strict=True)
        if mirrored:
            free.reverse()
            jobs = [TimelineJob(time, width, 0, horizon - release) for time, width, release in rows]
        else:
            jobs = [TimelineJob(time, width, release, horizon) for time, width, release in rows]
        return cls(horizon, unit, [*free, 0], jobs)

    def starts(self, job: TimelineJob) -> list[tuple[int, int]]:
        """Return the intervals, (first, last), of starts at which the job may run beside the reservations."""
        found = []
        for begin, end in free_gaps(list(enumerate(self.free)), job.width):
            first, last = max(begin, job.release), min(end or 0, job.end) - job.time
            if first <= last:
                found.append((first, last))
        return found
