"""The free processors of each cluster of a MOSP instance over time, in ticks or in whole units."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import NamedTuple

from oas.checker.mosp_instance import MospTicks
from oas.checker.reading import refused

MAX_TIMELINE_UNITS = 20_000

# Pairs of a moment and the number of processors free from then to the next moment. The first moment is 0.
FreeTimeline = list[tuple[int, int]]
# Begin and end of an interval; None for no end.
FreeGap = tuple[int, int | None]


def free_timelines(ticks: MospTicks) -> list[FreeTimeline]:
    """Return the free processors of each cluster: all but those reserved."""
    changes: list[dict[int, int]] = [{0: size} for size in ticks.processors]
    for cluster, start, end, width in ticks.reservations:
        own = changes[cluster]
        own[start] = own.get(start, 0) - width
        own[end] = own.get(end, 0) + width
    timelines = []
    for own in changes:
        free = 0
        timeline = []
        for moment in sorted(own):
            free += own[moment]
            timeline.append((moment, free))
        timelines.append(timeline)
    return timelines


def ticks_in_units(ticks: MospTicks) -> tuple[MospTicks, int]:
    """Return the instance in units of the greatest common divisor of all times, releases and reservations.

    Starts rounded down to units keep every rule, so no schedule is lost. Deadlines are rounded down; local starts are
    left out. The second result is the ticks of a unit.
    """
    unit = gcd(*ticks.times, *ticks.releases, *(moment for _, *own, _ in ticks.reservations for moment in own))
    coarse = replace(
        ticks,
        times=tuple(one // unit for one in ticks.times),
        releases=tuple(one // unit for one in ticks.releases),
        reservations=tuple((k, start // unit, end // unit, q) for k, start, end, q in ticks.reservations),
        deadlines=tuple(None if one is None else one // unit for one in ticks.deadlines),
    )
    return coarse, unit


def free_gaps(timeline: FreeTimeline, width: int) -> list[FreeGap]:
    """Return the longest intervals with `width` processors free, ascending; the last one has no end."""
    gaps: list[FreeGap] = []
    begin = None
    for moment, free in timeline:
        if free >= width and begin is None:
            begin = moment
        elif free < width and begin is not None:
            gaps.append((begin, moment))
            begin = None
    return [*gaps, (begin, None)] if begin is not None else gaps


def spread_out(values: list[int], count: int) -> list[int]:
    """Return `count` of the values, evenly spread, with the first and the last; all if there are no more."""
    if len(values) <= count:
        return values
    return [values[index * (len(values) - 1) // (count - 1)] for index in range(count)]


class TimelineJob(NamedTuple):
    """Time in units, processors, from when it may run, and by when it must have ended."""

    time: int
    width: int
    release: int
    end: int


class Timeline(NamedTuple):
    """An instance of one cluster, and a makespan that is asked for; locality is left out."""

    horizon: int  # the makespan in units
    unit: int  # in ticks
    free: list[int]  # processors that reservations leave free in each unit, and 0 at the horizon
    jobs: list[TimelineJob]  # in the order of the instance

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
        """Return the intervals, (first, last), of starts at which reservations leave room for the job."""
        found = []
        for begin, end in free_gaps(list(enumerate(self.free)), job.width):
            first, last = max(begin, job.release), min(end or 0, job.end) - job.time
            if first <= last:
                found.append((first, last))
        return found
