"""The pool of a pair tree: all sets of items that a bin of a packing can hold, as far as weights tell.

*Theorem.* Let no set that fits into a bin of kind k weigh more than W_k, and let there be n_k such bins. In a packing
of all items, each bin of kind k holds a set of weight at least W_k less the *gap*, Σ_k n_k·W_k − Σ_j w_j.

*Proof.* What a bin holds less than W_k is its waste, which is not negative. All bins of a packing of all items waste
the gap together, so none wastes more. If the gap is negative, there is no packing.

The pool has the sets that waste no more: of each the items that are *listed*, and the room that they leave, which other
items may fill as well as they can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_bin_packing import BinPacking
from oas.checker.mosp_branches import ItemTuple
from oas.checker.mosp_weights import HeaviestSums, growing_sums, heaviest_sums, knapsack_items

POOL_MAX_SETS = 60_000

# Of each kind of bins some of the pool's sets, by their indices; or a number for each of them.
PoolPart = list[list[int]]


class PairPool:
    """The sets that waste no more than the gap.

    Parameters
    ----------
    packing
        Items and bins; each bin has one limit.
    listed
        Items, none twice.
    weights
        Of each item.
    cuts
        Triples of items that are listed; further weights have a price for each (`mosp_branches`).

    Raises
    ------
    Refused
        If there are too many sets, or it takes too many steps to find them.
    """

    def __init__(
        self,
        packing: BinPacking,
        listed: ItemTuple,
        weights: Sequence[int],
        cuts: Sequence[ItemTuple],
        effort: Effort,
    ) -> None:
        self.packing, self.effort = packing, effort
        sizes, own = packing.sizes, {*listed}
        others = [item for item in range(len(sizes)) if item not in own]
        self.fillers = [[item for item in others if sizes[item] <= kind.limits[item]] for kind in packing.kinds]
        takes = [[item for item in listed if sizes[item] <= kind.limits[item]] for kind in packing.kinds]
        # Of each kind: what an item that it takes, those after it and others weigh at most, by room; and last others.
        rests = []
        for number, (kind, items) in enumerate(zip(packing.kinds, takes, strict=True)):
            rows = [(sizes[item], weights[item], kind.capacity) for item in reversed(items)]
            rests.append(growing_sums([*self._filler_items(number, weights), *rows], len(rows), effort)[::-1])
        most = [rest[0].within(kind.capacity) for rest, kind in zip(rests, packing.kinds, strict=True)]
        gap = sum(kind.number * one for kind, one in zip(packing.kinds, most, strict=True)) - sum(weights)
        self.rooms: list[int] = []
        self.columns: list[list[int]] = []  # items, and cuts of which two items or more are held
        self.all: PoolPart = []
        for number, items in enumerate(takes):
            begin = len(self.rooms)
            self._list(packing.kinds[number].capacity, items, weights, rests[number], most[number] - gap)
            self.all.append([*range(begin, len(self.rooms))])
        self.holders: dict[int, set[int]] = {item: set() for item in listed}
        for index, held_items in enumerate(self.columns):
            for item in held_items:
                self.holders[item].add(index)
        for column, cut in enumerate(cuts, len(sizes)):
            one, other, third = (self.holders[item] for item in cut)
            held = (one & other) | (one & third) | (other & third)
            effort.hold(len(held))
            for index in held:
                self.columns[index].append(column)

    def _filler_items(self, number: int, weights: Sequence[int]) -> list[tuple[int, int, int]]:
        """Return the items that are not listed, in bins of this kind, as `heaviest_sums` takes them."""
        own, capacity = self.fillers[number], self.packing.kinds[number].capacity
        sizes = [self.packing.sizes[item] for item in own]
        return knapsack_items([weights[item] for item in own], sizes, [capacity] * len(own))

    def _list(
        self, capacity: int, items: Sequence[int], weights: Sequence[int], rests: Sequence[HeaviestSums], least: int
    ) -> None:
        """Add all sets of items that weigh `least` or more if they are filled as well as can be.

        Item by item: what is followed up can be completed, so there are never more than sets in the end.
        """
        partial: list[tuple[int, int, Any]] = [(capacity, 0, None)]  # room, weight, and the last item and others
        if rests[0].within(capacity) < least:
            return
        for item, rest in zip(items, rests[1:], strict=True):
            size, weight = self.packing.sizes[item], weights[item]
            sizes, most = rest  # `rest.within` written out: nearly all of the time is spent here
            grown = [one for one in partial if one[1] + most[bisect_right(sizes, one[0]) - 1] >= least]
            grown += [
                (room - size, value + weight, (item, chain))
                for room, value, chain in partial
                if room >= size and value + weight + most[bisect_right(sizes, room - size) - 1] >= least
            ]
            if len(grown) > POOL_MAX_SETS - len(self.rooms):
                raise refused("certificate", f"more than {POOL_MAX_SETS} sets in the pool")
            self.effort.spend(len(partial) + 1)
            partial = grown
        for room, _, chain in partial:
            held: list[int] = []
            while chain is not None:
                item, chain = chain
                held.append(item)
            self.effort.hold(1 + len(held))
            self.rooms.append(room)
            self.columns.append(held)

    def together(self, part: PoolPart, pair: ItemTuple) -> PoolPart:
        """Return those sets that hold both of the items or neither."""
        one, other = (self.holders[item] for item in pair)
        return [[index for index in own if (index in one) == (index in other)] for own in part]

    def apart(self, part: PoolPart, pair: ItemTuple) -> PoolPart:
        """Return those sets that do not hold both of the items."""
        one, other = (self.holders[item] for item in pair)
        both = one & other
        return [[index for index in own if index not in both] for own in part]

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
            [index for index, value in zip(own, one, strict=True) if value >= max(one) + excess]
            for own, one in zip(part, values, strict=True)
        ]

    def _values(self, part: PoolPart, weights: Sequence[int]) -> PoolPart:
        """Return what each of these sets weighs, filled as well as can be, less the prices of cuts."""
        count = len(self.packing.sizes)
        value_of = [*weights[:count], *(-price for price in weights[count:])].__getitem__
        found = []
        for number, own in enumerate(part):
            self.effort.spend(1 + 4 * len(own))
            values = [sum(map(value_of, self.columns[index])) for index in own]
            if self.fillers[number]:
                within = heaviest_sums(self._filler_items(number, weights), self.effort).within
                filled = {room: within(room) for room in {self.rooms[index] for index in own}}
                values = [value + filled[self.rooms[index]] for value, index in zip(values, own, strict=True)]
            found.append(values)
        return found

    def _excess(self, values: PoolPart, weights: Sequence[int]) -> int:
        """Return by how much all items weigh more than the bins hold and the prices of cuts."""
        count = len(self.packing.sizes)
        room = sum(kind.number * max(own) for kind, own in zip(self.packing.kinds, values, strict=True))
        return sum(weights[:count]) - sum(weights[count:]) - room
