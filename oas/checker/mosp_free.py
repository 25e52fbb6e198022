"""The free processors of each cluster of a MOSP instance over time, in ticks or in whole units."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from oas.checker.mosp_instance import MospTicks

# From each moment on so many are free, to the next moment; the last for ever. The first moment is 0.
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
    """Return the longest intervals with so many processors free, ascending; the last one has no end."""
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
    """Return so many of the values, evenly spread, the first and the last among them; all if they are no more."""
    if len(values) <= count:
        return values
    return [values[index * (len(values) - 1) // (count - 1)] for index in range(count)]
