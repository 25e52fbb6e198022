"""MOSP instances that are bin packing: jobs of equal times, or of one processor each.

*Equal times*: all times, releases and ends of reservations are multiples of one unit, which is the time of every job.
Starts rounded down to units keep every rule, so a bin is a unit of time of a cluster, as large as what is free then,
and an item's size is its job's width. Releases and deadlines say which bins take an item.

*One processor each*, without releases and reservations: a bin is a processor, as large as the makespan, and an item's
size is its job's time. Jobs with deadlines up to d must fit into d together (Jackson).

In both, a set of items fits into a bin if for each item of it those of no greater *limit* add up to its limit at most.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import NamedTuple

from oas.checker.mosp_free import free_timelines, ticks_in_units
from oas.checker.mosp_instance import MospTicks
from oas.checker.reading import refused

BINS_MAX_KINDS = 60
BINS_MAX_PIECES = 20_000_000  # clusters times intervals that are looked at, and jobs times intervals


class BinKind(NamedTuple):
    """Bins that are alike: their number, at most that of items, and the limit of each item, 0 if none takes it."""

    number: int
    limits: tuple[int, ...]

    @property
    def capacity(self) -> int:
        """The size of such a bin."""
        return max(self.limits, default=0)


class BinPacking(NamedTuple):
    """An instance as bin packing: the size of each item, the unit of makespans in ticks, and the bins by a makespan."""

    sizes: list[int]
    unit: int
    kinds: list[BinKind]

    @property
    def has_one_limit(self) -> bool:
        """Whether in each bin all items that it takes have one limit, so that their order does not matter."""
        return all(len({*kind.limits} - {0}) <= 1 for kind in self.kinds)


def bin_packing_of(scaled: MospTicks, makespan: int) -> BinPacking:
    """Return the bins and items of an instance for a makespan in ticks, which is rounded down to its unit."""
    ticks, unit = ticks_in_units(scaled)
    if {*ticks.times} == {1}:
        scale = gcd(*ticks.widths)
        return BinPacking(
            [width // scale for width in ticks.widths], unit, _units_of_time(ticks, scale, makespan // unit)
        )
    if {*ticks.widths} != {1} or any(ticks.releases) or ticks.reservations:
        raise refused("certificate", "is for bin packing, which this instance is not")
    latest = makespan // unit
    own = [latest if one is None else min(latest, one) for one in ticks.deadlines]
    count = min(ticks.job_count, sum(ticks.processors))
    return BinPacking([*ticks.times], unit, [BinKind(count, tuple(own[owner] for owner in ticks.owners))])


def _units_of_time(ticks: MospTicks, scale: int, makespan: int) -> list[BinKind]:
    """Return the units of time of all clusters before the makespan; their rooms are in multiples of `scale`."""
    windows = [(date, ticks.deadlines[owner]) for date, owner in zip(ticks.releases, ticks.owners, strict=True)]
    bounds = {0, makespan, *(begin for begin, _ in windows), *(end for _, end in windows if end is not None)}
    timelines = free_timelines(ticks)
    moments = {moment for own in timelines for moment, _ in own}
    if (len(moments) + len(bounds)) * (len(timelines) + len(windows)) > BINS_MAX_PIECES:
        raise refused("certificate", "the instance has too many releases, deadlines and reservations for it")
    found: dict[tuple[int, ...], int] = {}
    for begin, end in pairwise(sorted(one for one in bounds if one <= makespan)):
        takes = [release <= begin and (due is None or end <= due) for release, due in windows]
        for own in timelines:
            for (moment, free), until in zip(own, [*(moment for moment, _ in own[1:]), end], strict=True):
                length = min(end, until) - max(begin, moment)
                if length > 0 and free >= scale:
                    limits = tuple(free // scale if one else 0 for one in takes)
                    found[limits] = found.get(limits, 0) + length
                    if len(found) > BINS_MAX_KINDS:
                        raise refused("certificate", f"bins are of more than {BINS_MAX_KINDS} kinds")
    return [BinKind(min(len(windows), length), limits) for limits, length in found.items()]
