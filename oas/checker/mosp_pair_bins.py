"""MOSP instances that are bin packing, for the bound "pair tree": jobs of equal times, or of one processor each.

*Equal times*: all times, releases and ends of reservations are multiples of one unit, which is the time of every job.
Starts rounded down to units keep every rule, so a bin is a unit of time of a cluster, as large as what is free then,
and an item's size is its job's width. Releases and deadlines say which bins take an item.

*One processor each*, without releases and reservations: a bin is a processor, as large as the makespan, and an item's
size is its job's time. Jobs with deadlines up to d must fit into d together (Jackson).

In both, a set of items fits into a bin if for each item of it those of no greater *limit* add up to its limit at most.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import gcd

from oas.checker.errors import refused
from oas.checker.mosp_free import free_timelines
from oas.checker.mosp_instance import MospTicks

PAIR_MAX_KINDS = 60
PAIR_MAX_PIECES = 20_000_000  # clusters times intervals that are looked at, and jobs times intervals
PAIR_MAX_CAPACITY = 10_000_000


@dataclass(frozen=True)
class PairBins:
    """Bins that are alike.

    Attributes
    ----------
    count
        How many; no more than there are items.
    limits
        Of each item: items of no greater limit add up to this at most in a bin with it; 0 where no bin takes it.
    """

    count: int
    limits: tuple[int, ...]

    @cached_property
    def capacity(self) -> int:
        """What such a bin holds at most."""
        return max(self.limits, default=0)

    @cached_property
    def uniform(self) -> bool:
        """Whether all items that it takes have one limit, so that their order does not matter."""
        return len({*self.limits} - {0}) <= 1


@dataclass(frozen=True)
class PairItems:
    """An instance as bin packing: the size of each item, the unit of makespans in ticks, and the bins by a makespan."""

    sizes: tuple[int, ...]
    unit: int
    bins: tuple[PairBins, ...]


def pair_items_of(scaled: MospTicks, makespan: int) -> PairItems:
    """Return the bins and items of an instance for a makespan in ticks, which is rounded down to its unit.

    Raises
    ------
    Refused
        If the instance is no bin packing, or its bins are of too many kinds or too large.
    """
    moments = [moment for _, start, end, _ in scaled.reservations for moment in (start, end)]
    unit = gcd(*scaled.times, *scaled.releases, *moments)
    if {*scaled.times} == {unit}:
        scale = gcd(*scaled.widths)
        sizes = tuple(width // scale for width in scaled.widths)
        bins = _units_of_time(scaled, unit, scale, makespan // unit)
    elif {*scaled.widths} == {1} and not any(scaled.releases) and not scaled.reservations:
        unit = gcd(*scaled.times)
        sizes = tuple(time // unit for time in scaled.times)
        own = [makespan // unit if one is None else min(makespan, one) // unit for one in scaled.deadlines]
        count = min(len(sizes), sum(scaled.processors))
        bins = [PairBins(count, tuple(own[owner] for owner in scaled.owners))]
    else:
        raise refused("certificate", "is for bin packing, which this instance is not")
    if any(one.capacity > PAIR_MAX_CAPACITY for one in bins):
        raise refused("certificate", f"a bin's capacity is above {PAIR_MAX_CAPACITY}")
    return PairItems(sizes, unit, tuple(bins))


def _units_of_time(scaled: MospTicks, unit: int, scale: int, makespan: int) -> list[PairBins]:
    """The units of time of all clusters before the makespan, in units; rooms are in multiples of `scale`."""
    ends = [None if one is None else one // unit for one in scaled.deadlines]
    windows = [(release // unit, ends[owner]) for release, owner in zip(scaled.releases, scaled.owners, strict=True)]
    bounds = {0, makespan, *(begin for begin, _ in windows), *(end for _, end in windows if end is not None)}
    stages = [(begin, end) for begin, end in pairwise(sorted(one for one in bounds if one <= makespan))]
    steps = [([moment // unit for moment, _ in own], [free for _, free in own]) for own in free_timelines(scaled)]
    work, count = 0, len(windows)
    found: dict[tuple[int, ...], int] = {}
    for begin, end in stages:
        work += count + len(steps)
        rooms: dict[int, int] = {}
        for moments, free in steps:
            place = bisect_right(moments, begin) - 1
            while place < len(moments) and moments[place] < end:
                until = min(end, moments[place + 1]) if place + 1 < len(moments) else end
                room = free[place] // scale
                if room > 0:
                    rooms[room] = rooms.get(room, 0) + until - max(begin, moments[place])
                place, work = place + 1, work + 1
        if work > PAIR_MAX_PIECES:
            raise refused("certificate", "the instance has too many releases, deadlines and reservations for it")
        takes = [release <= begin and (due is None or end <= due) for release, due in windows]
        for room, length in rooms.items():
            limits = tuple(room if one else 0 for one in takes)
            found[limits] = found.get(limits, 0) + length
            if len(found) > PAIR_MAX_KINDS:
                raise refused("certificate", f"bins are of more than {PAIR_MAX_KINDS} kinds")
    return [PairBins(min(count, length), limits) for limits, length in found.items()]
