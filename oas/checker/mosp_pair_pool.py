"""The pool of the bound "pair tree": all sets of items that a bin of a packing can hold, as far as weights tell.

Let no set that fits into a bin of kind k weigh more than W_k. What a bin holds less than that is its waste, and all
bins of a packing of all items waste Σ_k n_k·W_k − Σ_j w_j together, so none wastes more. The pool has the sets that do
not: of each the items that are *listed*, and the room that they leave, which other items may fill.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_pair_bins import PairBins
from oas.checker.mosp_pair_packing import ItemPair, ItemTriple
from oas.checker.mosp_weights import HeaviestSums, heaviest_side_by_side

POOL_MAX_CELLS = 10_000_000  # items listed times capacity, of one kind of bins; and of all kinds
POOL_MAX_TABLES = 30_000_000
POOL_MAX_CAPACITY = 1_000_000
POOL_MAX_SETS = 60_000
POOL_MAX_COLUMNS = 10_000_000  # items of all sets, and cuts
POOL_MAX_TOTAL = 2**62  # what weights and prices may add up to

# Of each kind of bins some of the pool's sets, by their indices; or a number for each of them.
PoolPart = list[list[int]]


class PairPool:
    """The sets that waste no more than the gap.

    Parameters
    ----------
    sizes
        Of each item.
    bins
        The kinds, each uniform.
    listed
        Items, none twice.
    weights
        Of each item.
    cuts
        Triples of items that are listed; the weights of leaves have a price for each, as in `PairPacking`.

    Raises
    ------
    Refused
        If there are too many sets, or the tables are too large.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        bins: Sequence[PairBins],
        listed: Sequence[int],
        weights: Sequence[int],
        cuts: Sequence[ItemTriple],
        effort: Effort,
    ) -> None:
        self.sizes, self.bins, self.listed, self.effort = sizes, bins, listed, effort
        own = {*listed}
        others = [item for item in range(len(sizes)) if item not in own]
        self.fillers = [[item for item in others if sizes[item] <= kind.limits[item]] for kind in bins]
        _check_total(weights)
        if sum((len(listed) + 1) * (kind.capacity + 1) for kind in bins) > POOL_MAX_TABLES:
            raise refused("certificate", f"items listed times capacities are above {POOL_MAX_TABLES}")
        tables = [self._completions(number, weights) for number in range(len(bins))]
        most = [table[0][-1] for table in tables]
        gap = sum(kind.count * one for kind, one in zip(bins, most, strict=True)) - sum(weights)
        self.kept = 0
        self.rooms: list[int] = []
        self.columns: list[list[int]] = []  # items, and cuts of which two items or more are held
        self.all: PoolPart = []
        for number in range(len(bins)):
            begin = len(self.rooms)
            self._list(number, weights, tables[number], most[number] - gap)
            self.all.append([*range(begin, len(self.rooms))])
        self.holders: dict[int, set[int]] = {item: set() for item in listed}
        for index, items in enumerate(self.columns):
            for item in items:
                self.holders[item].add(index)
        for column, cut in enumerate(cuts, len(sizes)):
            one, other, third = (self.holders[item] for item in cut)
            held = (one & other) | (one & third) | (other & third)
            self._grow(len(held))
            for index in held:
                self.columns[index].append(column)

    def _fillings(self, number: int, weights: Sequence[int]) -> HeaviestSums:
        """What items that are not listed weigh at most by room, in bins of this kind."""
        own, capacity = self.fillers[number], self.bins[number].capacity
        heaviest, sizes = [weights[item] for item in own], [self.sizes[item] for item in own]
        return heaviest_side_by_side(heaviest, sizes, capacity, self.effort)

    def _completions(self, number: int, weights: Sequence[int]) -> list[array[int]]:
        """Of each item listed, and last of none: what it, those after it and others weigh at most, by room."""
        kind = self.bins[number]
        if kind.capacity > POOL_MAX_CAPACITY:
            raise refused("certificate", f"a pool is for bins of at most {POOL_MAX_CAPACITY}", kind.capacity)
        cells = (len(self.listed) + 1) * (kind.capacity + 1)
        if cells > POOL_MAX_CELLS:
            raise refused("certificate", f"items listed times capacity are above {POOL_MAX_CELLS}")
        self.effort.spend(cells)
        fillings = self._fillings(number, weights)
        row: list[int] = []
        for size, weight in zip([*fillings.sizes[1:], kind.capacity + 1], fillings.weights, strict=True):
            row += [weight] * (size - len(row))
        table = [array("q", row)]
        for item in reversed(self.listed):
            size, weight = self.sizes[item], weights[item]
            if size <= kind.limits[item]:
                with_it = [one + weight for one in row[: len(row) - size]]
                row[size:] = map(max, row[size:], with_it)
            table.append(array("q", row))
        return table[::-1]

    def _list(self, number: int, weights: Sequence[int], table: Sequence[array[int]], least: int) -> None:
        """Add all sets of a kind that weigh `least` or more if they are filled as well as can be.

        Item by item: what is followed up can be completed, so there are never more than sets in the end.
        """
        kind, most = self.bins[number], POOL_MAX_SETS - len(self.rooms)
        partial: list[tuple[int, int, Any]] = [(kind.capacity, 0, None)]  # room, weight, and the last item and others
        for item, after in zip(self.listed, table[1:], strict=True):
            size, weight = self.sizes[item], weights[item]
            grown = [one for one in partial if one[1] + after[one[0]] >= least]
            if size <= kind.limits[item]:
                grown += [
                    (room - size, value + weight, (item, chain))
                    for room, value, chain in partial
                    if room >= size and value + weight + after[room - size] >= least
                ]
            if len(grown) > most:
                raise refused("certificate", f"more than {POOL_MAX_SETS} sets in the pool")
            self.effort.spend(len(partial) + 1)
            partial = grown
        for room, _, chain in partial:
            items: list[int] = []
            while chain is not None:
                item, chain = chain
                items.append(item)
            self._grow(len(items))
            self.rooms.append(room)
            self.columns.append(items)

    def _grow(self, columns: int) -> None:
        """Count what is to be kept."""
        self.effort.spend(columns)
        self.kept += columns
        if self.kept > POOL_MAX_COLUMNS:
            raise refused("certificate", f"the sets of the pool have more than {POOL_MAX_COLUMNS} items")

    def together(self, part: PoolPart, pair: ItemPair) -> PoolPart:
        """Return those sets that hold both of the items or neither."""
        one, other = self.holders[pair[0]], self.holders[pair[1]]
        return [[index for index in own if (index in one) == (index in other)] for own in part]

    def apart(self, part: PoolPart, pair: ItemPair) -> PoolPart:
        """Return those sets that do not hold both of the items."""
        both = self.holders[pair[0]] & self.holders[pair[1]]
        return [[index for index in own if index not in both] for own in part]

    def weigh(self, part: PoolPart, weights: Sequence[int]) -> PoolPart:
        """Return what each of these sets weighs, filled as well as can be, less the prices of cuts."""
        _check_total(weights)
        count = len(self.sizes)
        value_of = [*weights[:count], *(-price for price in weights[count:])].__getitem__
        found = []
        for number, own in enumerate(part):
            self.effort.spend(1 + 4 * len(own))
            values = [sum(map(value_of, self.columns[index])) for index in own]
            if self.fillers[number]:
                within = self._fillings(number, weights).within
                filled = {room: within(room) for room in {self.rooms[index] for index in own}}
                values = [value + filled[self.rooms[index]] for value, index in zip(values, own, strict=True)]
            found.append(values)
        return found

    def excess(self, values: PoolPart, weights: Sequence[int]) -> int | None:
        """Return by how much all items weigh more than the bins hold and the prices of cuts: above 0, a proof.

        None if some bin can hold none of the sets, not even the empty one: then there is no packing at all.

        Parameters
        ----------
        values
            What `weigh` returns for the sets that are left.
        """
        if not all(values):
            return None
        count = len(self.sizes)
        room = sum(kind.count * max(own) for kind, own in zip(self.bins, values, strict=True))
        return sum(weights[:count]) - sum(weights[count:]) - room

    def fixed(self, part: PoolPart, weights: Sequence[int]) -> PoolPart:
        """Return those sets that waste no more than the gap by these weights."""
        values = self.weigh(part, weights)
        excess = self.excess(values, weights)
        if excess is None:
            return part
        least = [max(own) + excess for own in values]
        return [
            [index for index, value in zip(own, one, strict=True) if value >= limit]
            for own, one, limit in zip(part, values, least, strict=True)
        ]


def _check_total(weights: Sequence[int]) -> None:
    if sum(weights) >= POOL_MAX_TOTAL:
        raise refused("certificate", "weights and prices add up to 2^62 or more")
