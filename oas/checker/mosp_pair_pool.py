"""MOSP instances that are bin packing, and the pool of a pair tree: the sets that a bin can hold, by weights.

*Equal times*: all times, releases and ends of reservations are multiples of one unit, which is the time of every job.
Starts rounded down to units keep every rule, so a bin is a unit of time of a cluster, as large as what is free then,
and an item's size is its job's width. Releases and deadlines say which bins take an item.

*One processor each*, without releases and reservations: a bin is a processor, as large as the makespan, and an item's
size is its job's time. Jobs with deadlines up to d must fit into d together (Jackson). In both, a set of items fits
into a bin if for each item of it those of no greater *limit* add up to its limit at most.

*Theorem of the pool.* Let no set that fits into a bin of kind k weigh more than W_k, and let there be n_k such bins. In
a packing of all items, each bin of kind k holds a set of weight at least W_k less the *gap*, Σ_k n_k·W_k − Σ_j w_j.

*Proof.* What a bin holds less than W_k is its waste, which is not negative. All bins of a packing of all items waste
the gap together, so none wastes more. If the gap is negative, there is no packing.

The pool has the sets that waste no more: of each the items that are *listed*, and the room that they leave, which other
items may fill as well as they can.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_branches import ItemTuple
from oas.checker.mosp_instance import MospTicks, free_timelines, ticks_in_units
from oas.checker.mosp_weights import HeaviestSums, KnapsackItem, heaviest_sums, knapsack_items, suffix_sums
from oas.checker.reading import refused

POOL_MAX_SETS = 60_000
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


class PooledSet(NamedTuple):
    """The room that a set of listed items leaves, and its columns: items, and the cuts that it has two items of."""

    room: int
    columns: frozenset[int]


# Of each kind of bins some of the pool's sets.
PoolPart = list[list[PooledSet]]


class PairPool:
    """The sets that waste no more than the gap by the weights of the items; `all` has them.

    Each bin of the packing has one limit. `cuts` are triples of listed items; later weights have a price for each.
    """

    def __init__(
        self, packing: BinPacking, listed: ItemTuple, weights: Sequence[int], cuts: Sequence[ItemTuple], effort: Effort
    ) -> None:
        self.packing, self.listed, self.effort = packing, listed, effort
        rests = []
        for kind in packing.kinds:
            items = [KnapsackItem(packing.sizes[item], weights[item], kind.capacity) for item in self._taken(kind)]
            rests.append(suffix_sums(self._fillers(kind, weights), items, effort))
        most = [rest[0].within(kind.capacity) for rest, kind in zip(rests, packing.kinds, strict=True)]
        gap = sum(kind.number * one for kind, one in zip(packing.kinds, most, strict=True)) - sum(weights)
        self._cuts = dict(enumerate(map(frozenset, cuts), len(packing.sizes)))
        self._count = 0
        self.all: PoolPart = [
            self._list(kind, weights, rest, one - gap)
            for kind, rest, one in zip(packing.kinds, rests, most, strict=True)
        ]

    def _taken(self, kind: BinKind) -> list[int]:
        """Return the listed items that such a bin takes."""
        return [item for item in self.listed if self.packing.sizes[item] <= kind.limits[item]]

    def _fillers(self, kind: BinKind, weights: Sequence[int]) -> list[KnapsackItem]:
        """Return the items that are not listed and that such a bin takes."""
        listed, sizes = {*self.listed}, self.packing.sizes
        own = [item for item in range(len(sizes)) if item not in listed and sizes[item] <= kind.limits[item]]
        columns = [weights[item] for item in own], [sizes[item] for item in own], [kind.capacity] * len(own)
        return knapsack_items(*columns)

    def _list(
        self, kind: BinKind, weights: Sequence[int], rests: Sequence[HeaviestSums], least: int
    ) -> list[PooledSet]:
        """Return all sets that weigh `least` or more if they are filled as well as can be.

        Item by item: what is followed up can be completed, so there are never more than sets in the end.
        """
        partial: list[tuple[int, int, ItemTuple]] = [(kind.capacity, 0, ())]  # room, weight, items
        if rests[0].within(kind.capacity) < least:
            return []
        for item, rest in zip(self._taken(kind), rests[1:], strict=True):
            size, weight = self.packing.sizes[item], weights[item]
            self.effort.spend(len(partial) + 1)
            grown = [one for one in partial if one[1] + rest.within(one[0]) >= least]
            for room, value, held in partial:
                if room >= size and value + weight + rest.within(room - size) >= least:
                    grown.append((room - size, value + weight, (*held, item)))
            if self._count + len(grown) > POOL_MAX_SETS:
                raise refused("certificate", f"more than {POOL_MAX_SETS} sets in the pool")
            partial = grown
        self._count += len(partial)
        return [self._pooled(room, held) for room, _, held in partial]

    def _pooled(self, room: int, items: ItemTuple) -> PooledSet:
        self.effort.spend(2 * len(self._cuts))
        held = frozenset(items)
        columns = held.union([column for column, cut in self._cuts.items() if len(held & cut) > 1])
        self.effort.hold(1 + len(columns))
        return PooledSet(room, columns)

    def together(self, part: PoolPart, pair: ItemTuple) -> PoolPart:
        """Return those sets that hold both of the items or neither."""
        one, other = pair
        return [[own for own in sets if (one in own.columns) == (other in own.columns)] for sets in part]

    def apart(self, part: PoolPart, pair: ItemTuple) -> PoolPart:
        """Return those sets that do not hold both of the items."""
        return [[own for own in sets if not own.columns.issuperset(pair)] for sets in part]

    def closes(self, part: PoolPart, weights: Sequence[int]) -> bool:
        """Return whether all items weigh more than the bins hold of these sets, with all prices of cuts.

        So it is if some bin can hold none of the sets, not even the empty one.
        """
        values = self._values(part, weights)
        return not all(values) or self._excess(values, weights) > 0

    def fixed(self, part: PoolPart, weights: Sequence[int]) -> PoolPart:
        """Return those sets that waste no more than the gap by these weights."""
        values = self._values(part, weights)
        if not all(values):
            return part
        excess = self._excess(values, weights)
        return [
            [own for own, value in zip(sets, one, strict=True) if value >= max(one) + excess]
            for sets, one in zip(part, values, strict=True)
        ]

    def _values(self, part: PoolPart, weights: Sequence[int]) -> list[list[int]]:
        """Return the weight of each of these sets, filled as well as possible, less the prices of cuts."""
        count = len(self.packing.sizes)
        value_of = [*weights[:count], *(-price for price in weights[count:])].__getitem__
        found = []
        for kind, sets in zip(self.packing.kinds, part, strict=True):
            self.effort.spend(1 + 4 * len(sets))
            sums = heaviest_sums(self._fillers(kind, weights), self.effort)
            filled = {room: sums.within(room) for room in {own.room for own in sets}}
            found.append([sum(map(value_of, own.columns)) + filled[own.room] for own in sets])
        return found

    def _excess(self, values: list[list[int]], weights: Sequence[int]) -> int:
        """Return by how much all items weigh more than the bins hold and the prices of cuts."""
        count = len(self.packing.sizes)
        room = sum(kind.number * max(own) for kind, own in zip(self.packing.kinds, values, strict=True))
        return sum(weights[:count]) - sum(weights[count:]) - room
