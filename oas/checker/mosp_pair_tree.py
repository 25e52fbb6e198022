"""The MOSP bound "pair tree": a tree over pairs of items, for instances that are bin packing (`bin_packing_of`).

The certificate is ``{"makespan": C, "cuts": [[i, j, k], …], "weights": [[w, …], …], "tree": [node, …],
"pool": [i, …]}``, C in ticks. A cut is three items. A list of weights has a weight for each item and then a price for
each cut. Nodes are in preorder: ``[i, j]`` distinguishes whether both items are in one bin or not, ``[n]`` removes sets
by list n of weights, and ``n`` is a leaf, which list n closes. The pool contains all items of cuts and pairs; without
"pool" it has no others. Sets are given by their items of the pool; other items fill the remaining room, as a knapsack.

*Theorem.* The weight of a set is the sum of its items' weights minus the price of each cut with at least two items in
it. Let W_k be the maximum weight of a set for a bin of kind k, and n_k the number of such bins. The *gap* is
Σ_k n_k·W_k plus all prices minus the weight of all items. In a packing of all items, every bin of kind k has a set of
weight at least W_k − gap. If at each leaf some kind of bins has no such set, no schedule ends by C.

*Proof.* The sets of a packing are disjoint, so at most one has two items of a cut: their total weight is at least that
of all items minus all prices. So the differences to W_k, which are never negative, add up to at most the gap; with a
negative gap there is no packing. The root removes sets by the first weights, without cuts. At a pair, one bin has both
items, or none has. So a packing of all items, such as a schedule that ends by C, would survive at some leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any, NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance, MospTicks, free_runs, ticks_in_units
from oas.checker.mosp_weights import (
    HeaviestSums,
    ItemTuple,
    KnapsackItem,
    heaviest_sums,
    knapsack_items,
    read_item_lists,
    read_items,
    read_makespan,
    read_weight_lists,
    suffix_sums,
)
from oas.checker.reading import fields_of, integer_of, refused, rows_of
from oas.checker.trees import walk_tree

PAIR_MAX_WEIGHT = 2**53
PAIR_MAX_NODES = 20_000
PAIR_MAX_DEPTH = 200
PAIR_MAX_CUTS = 200
POOL_MAX_SETS = 60_000
BINS_MAX_KINDS = 60
BINS_MAX_PIECES = 20_000_000  # checks of (cluster, interval) and (job, interval)


def check_mosp_pair_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`."""
    document = fields_of(certificate, "certificate", "makespan", "cuts", "weights", "tree", optional=("pool",))
    makespan, ticks = read_makespan(document["makespan"]), instance.ticks
    packing, count, effort = bin_packing_of(ticks, makespan), ticks.job_count, Effort()
    cuts = read_item_lists(document["cuts"], count, "certificate.cuts", PAIR_MAX_CUTS, 3)
    rows = read_weight_lists(document["weights"], count + len(cuts), PAIR_MAX_NODES, PAIR_MAX_WEIGHT)
    if not rows:
        raise refused("certificate.weights", "must be one list at least")
    weights = [[*row[:count], *(-price for price in row[count:])] for row in rows]
    nodes = rows_of(document["tree"], "certificate.tree", PAIR_MAX_NODES)
    pairs = [read_items(node, count, field, 2) for node, field in nodes if type(node) is list and len(node) != 1]
    named = {item for items in (*cuts, *pairs) for item in items}
    listed = document.get("pool", sorted(named))
    listed = read_items(listed, count, "certificate.pool") if listed != [] else ()
    if not named <= {*listed}:
        raise refused("certificate.pool", "must have the items of all cuts and pairs")
    if listed and not packing.has_one_limit:
        raise refused("certificate", "no cuts, pairs and pool are allowed if the order of items in a bin matters")
    pool = PairPool(packing, listed, cuts, effort)

    def follow(node: Any, field: str, part: PoolPart) -> list[PoolPart]:
        effort.spend(1 + 2 * sum(map(len, part)))
        is_leaf = type(node) is not list
        if not is_leaf and len(node) == 2:
            return pool.split(part, *node)
        index = integer_of(node if is_leaf else node[0], field, 0, len(weights) - 1)
        remaining = pool.kept(part, weights[index])
        if not is_leaf:
            return [remaining]
        if remaining and all(remaining):
            raise refused(field, "the weights do not close this leaf", node)
        return []

    walk_tree(document["tree"], pool.all_sets(weights[0]), follow, PAIR_MAX_NODES, PAIR_MAX_DEPTH)
    return ticks.to_time((makespan // packing.unit + 1) * packing.unit)


class BinKind(NamedTuple):
    """Identical bins: their number, at most that of items, and the limit of each item, 0 if they do not take it.

    Items fit into such a bin if, for each of them, the items with the same or a smaller limit do not exceed its limit.
    """

    number: int
    limits: tuple[int, ...]

    @property
    def capacity(self) -> int:
        """The size of such a bin."""
        return max(self.limits, default=0)


class BinPacking(NamedTuple):
    """An instance as bin packing: the size of each item, the unit of makespans in ticks, and the kinds of bins."""

    sizes: list[int]
    unit: int
    kinds: list[BinKind]

    @property
    def has_one_limit(self) -> bool:
        """Whether all items that a bin takes have the same limit, so that their order does not matter."""
        return all(len({*kind.limits} - {0}) <= 1 for kind in self.kinds)


def bin_packing_of(scaled: MospTicks, makespan: int) -> BinPacking:
    """Return the bins and items of an instance for a makespan in ticks, which is rounded down to its unit.

    *Equal times*: all times, releases and ends of reservations are multiples of a unit, the time of every job. Starts
    can be rounded down to units, so a bin is a unit of time of a cluster, its size is the number of free processors,
    and the size of an item is the width of its job. Releases and deadlines determine the bins that take an item.

    *One processor each*, without releases and reservations: a bin is a processor with the size of the makespan, and the
    size of an item is the time of its job. Jobs with deadlines up to d must fit into d together (Jackson).
    """
    ticks, unit = ticks_in_units(scaled)
    if {*ticks.times} == {1}:
        scale = gcd(*ticks.widths)
        kinds = _units_of_time(ticks, scale, makespan // unit)
        return BinPacking([width // scale for width in ticks.widths], unit, kinds)
    if {*ticks.widths} != {1} or any(ticks.releases) or ticks.reservations:
        raise refused("certificate", "is for bin packing, which this instance is not")
    latest = makespan // unit
    limits = [latest if one is None else min(latest, one) for one in ticks.deadlines]
    count = min(ticks.job_count, sum(ticks.processors))
    return BinPacking([*ticks.times], unit, [BinKind(count, tuple(limits[owner] for owner in ticks.owners))])


def _units_of_time(ticks: MospTicks, scale: int, makespan: int) -> list[BinKind]:
    """Return the units of time of all clusters before the makespan; sizes are in multiples of `scale`."""
    windows = [(date, ticks.deadlines[owner]) for date, owner in zip(ticks.releases, ticks.owners, strict=True)]
    runs = [run for cluster_runs in free_runs(ticks, makespan) for run in cluster_runs if run[2] >= scale]
    changes = {0, makespan, *(begin for begin, _ in windows), *(end for _, end in windows if end is not None)}
    bounds = sorted(one for one in changes if one <= makespan)
    if len(bounds) * (len(runs) + len(windows)) > BINS_MAX_PIECES:
        raise refused("certificate", "the instance has too many releases, deadlines and reservations for it")
    numbers: dict[tuple[int, ...], int] = {}
    for begin, end in pairwise(bounds):
        takes = [release <= begin and (due is None or end <= due) for release, due in windows]
        for start, until, free in runs:
            length = min(end, until) - max(begin, start)
            if length > 0:
                limits = tuple(free // scale if taken else 0 for taken in takes)
                numbers[limits] = numbers.get(limits, 0) + length
                if len(numbers) > BINS_MAX_KINDS:
                    raise refused("certificate", f"bins are of more than {BINS_MAX_KINDS} kinds")
    return [BinKind(min(len(windows), length), limits) for limits, length in numbers.items()]


# The free space that a set of listed items leaves, and its columns: items, then the cuts with at least two items in it.
PooledSet = tuple[int, frozenset[int]]
PoolPart = list[list[PooledSet]]  # some of the sets for each kind of bins


class PairPool:
    """The sets of listed items that bins can hold. If there are listed items, each bin of the packing has one limit.

    Weights are the weights of all items, and then the negative price of each cut.
    """

    def __init__(self, packing: BinPacking, listed: Sequence[int], cuts: Sequence[ItemTuple], effort: Effort) -> None:
        self.packing, self.listed, self.effort = packing, listed, effort
        self._cuts = dict(enumerate(map(frozenset, cuts), len(packing.sizes)))
        self._count = 0

    def all_sets(self, weights: Sequence[int]) -> PoolPart:
        """Return the sets whose weight, without cuts, is less than the maximum by at most the gap."""
        sizes, bins = self.packing.sizes, []
        gap = -sum(weights[: len(sizes)])
        for kind in self.packing.kinds:
            items = [item for item in self.listed if sizes[item] <= kind.limits[item]]
            knapsack = [KnapsackItem(sizes[item], weights[item], kind.capacity) for item in items]
            rests = suffix_sums(self._fillers(kind, weights), knapsack, self.effort)
            most = rests[0].within(kind.capacity)
            gap += kind.number * most
            bins.append((kind.capacity, items, knapsack, rests, most))
        if gap < 0:
            return [[] for _ in bins]
        return [self._list(room, items, knapsack, rests, most - gap) for room, items, knapsack, rests, most in bins]

    def _fillers(self, kind: BinKind, weights: Sequence[int]) -> list[KnapsackItem]:
        """Return the items that are not listed and that such a bin takes."""
        listed, sizes = {*self.listed}, self.packing.sizes
        others = [item for item in range(len(sizes)) if item not in listed]
        return knapsack_items(*([row[item] for item in others] for row in (weights, sizes, kind.limits)))

    def _list(
        self, capacity: int, items: list[int], knapsack: list[KnapsackItem], rests: list[HeaviestSums], least: int
    ) -> list[PooledSet]:
        """Return all sets of the items whose weight, with the best fillers, is at least `least`.

        Every partial set can be completed, so that there are never more partial sets than sets in the end.
        """
        partial: list[tuple[int, int, ItemTuple]] = [(capacity, 0, ())]  # room, weight, items
        for item, (size, weight, _), rest in zip(items, knapsack, rests[1:], strict=True):
            self.effort.spend(len(partial) + 1)
            extended = [one for one in partial if one[1] + rest.within(one[0]) >= least]
            for room, value, held in partial:
                if room >= size and value + weight + rest.within(room - size) >= least:
                    extended.append((room - size, value + weight, (*held, item)))
            if self._count + len(extended) > POOL_MAX_SETS:
                raise refused("certificate", f"more than {POOL_MAX_SETS} sets in the pool")
            partial = extended
        self._count += len(partial)
        sets = []
        for room, _, held in partial:
            self.effort.spend(2 * len(self._cuts))
            cuts = [column for column, cut in self._cuts.items() if len(cut.intersection(held)) > 1]
            self.effort.hold(1 + len(held) + len(cuts))
            sets.append((room, frozenset((*held, *cuts))))
        return sets

    def split(self, part: PoolPart, first: int, second: int) -> list[PoolPart]:
        """Return the sets with both of two items or neither, and the sets without both."""
        together = [[one for one in sets if (first in one[1]) == (second in one[1])] for sets in part]
        apart = [[one for one in sets if not one[1].issuperset((first, second))] for sets in part]
        return [together, apart]

    def kept(self, part: PoolPart, weights: Sequence[int]) -> PoolPart:
        """Return the sets whose weight is less than the maximum by at most the gap."""
        if not all(part):
            return part
        values, gap = [], -sum(weights)
        for kind, sets in zip(self.packing.kinds, part, strict=True):
            self.effort.spend(1 + 4 * len(sets))
            sums = heaviest_sums(self._fillers(kind, weights), self.effort)
            filled = {room: sums.within(room) for room in {room for room, _ in sets}}
            values.append([filled[room] + sum(map(weights.__getitem__, columns)) for room, columns in sets])
            gap += kind.number * max(values[-1])
        least = [max(set_values) - gap for set_values in values]
        return [
            [one for one, value in zip(sets, set_values, strict=True) if value >= minimum]
            for sets, set_values, minimum in zip(part, values, least, strict=True)
        ]
