"""The pool: all sets of items that bins of a packing can hold, according to weights.

No bin of a packing wastes more than the gap, as `oas.checker.mosp_pair_tree` proves; a small gap leaves few sets. For
each set the pool stores which *listed* items it contains, and the remaining capacity, which other, small items may use:
listing them too would give too many sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import TooLargeError
from oas.mosp.bounds.knapsack import EXACT, heaviest_by_capacity, heaviest_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.bounds.covering import Column, Pair, Triple
    from oas.mosp.bounds.pair_tree.bins import Kind

MAX_CELLS = 10_000_000  # of the table of one kind, and of all sets × items listed
MAX_TABLES = 30_000_000  # of the tables of all kinds
MAX_SETS = 60_000
LINE, CALL = 100, 5_000  # costs of a line of Python and of a call that works on whole arrays, in cells


class Pool:
    """All sets that waste no more than the gap.

    Weights have one number for each item, then the price of each cut, as in `Covering`; their sum is below 2^62.

    `sizes`: of each item. `kinds`: the bins; each uniform. `listed`: distinct items. `weights`: of each item. Raises
    `TooLargeError` if there are too many sets, or the tables are too large.

    Attributes: `kind_of`, `room`: for each set, the kind of bin and the remaining capacity. `holds`: for each set,
    whether it contains each of the listed items.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        kinds: Sequence[Kind],
        listed: Sequence[int],
        weights: Sequence[int],
    ) -> None:
        self.sizes, self.kinds, self.listed = sizes, kinds, tuple(listed)
        self.place = {item: place for place, item in enumerate(self.listed)}
        self.others = [item for item in range(len(sizes)) if item not in self.place]
        _exact(weights)
        if sum((len(self.listed) + 1) * (kind.capacity + 1) for kind in kinds) > MAX_TABLES:
            raise TooLargeError(f"items × capacity of all kinds are above {MAX_TABLES:,}")
        tables = [self._completions(kind, weights) for kind in kinds]
        gap = sum(kind.count * int(table[0][-1]) for kind, table in zip(kinds, tables, strict=True)) - sum(weights)
        kind_of, room, holds, total = [], [], [], 0
        for number, (kind, table) in enumerate(zip(kinds, tables, strict=True)):
            left, items = self._sets(kind, weights, table, int(table[0][-1]) - gap, MAX_SETS - total)
            total += len(items)
            kind_of.append(np.full(len(items), number))
            room.append(left)
            holds.append(items)
        self.kind_of, self.room, self.holds = np.concatenate(kind_of), np.concatenate(room), np.concatenate(holds)
        rows, places = np.nonzero(self.holds)
        nobody = len(sizes)  # placeholder that comes first in each set, so that no set is empty
        listed_items = np.array(listed, dtype=np.int64)  # even if empty
        rows, items = np.append(np.arange(total), rows), np.append(np.full(total, nobody), listed_items[places])
        order = np.argsort(rows, kind="stable")
        self._items = items[order]
        self._begin = np.searchsorted(rows[order], np.arange(total))
        self._cut_sets: list[Any] = []  # for each cut, the sets that pay its price

    @property
    def effort(self) -> int:
        """The cost of weighing all sets once, in cells."""
        tables = sum(kind.capacity + LINE for kind in self.kinds) * len(self.others)
        sets = len(self._items) + len(self.holds) + sum(len(sets) + CALL for sets in self._cut_sets)
        return tables + sets + LINE * len(self.sizes)

    def _completions(self, kind: Kind, weights: Sequence[int]) -> Any:
        """Return, by place and capacity, the maximum weight of listed items from this place on and items not listed."""
        if (len(self.listed) + 1) * (kind.capacity + 1) > MAX_CELLS:
            raise TooLargeError(f"items × capacity are above {MAX_CELLS:,}")
        table = [self._fillings(kind, weights)]
        for item in reversed(self.listed):
            size, row = self.sizes[item], table[-1].copy()
            if size <= kind.limits[item]:
                np.maximum(row[size:], table[-1][: kind.capacity + 1 - size] + weights[item], out=row[size:])
            table.append(row)
        return table[::-1]

    def _fillings(self, kind: Kind, weights: Sequence[int]) -> Any:
        """Return the maximum weight of items that are not listed, by remaining capacity."""
        items = [item for item in self.others if self.sizes[item] <= kind.limits[item]]
        sizes = [self.sizes[item] for item in items]
        return np.array(heaviest_by_capacity([weights[item] for item in items], sizes, kind.capacity), dtype=np.int64)

    def _sets(self, kind: Kind, weights: Sequence[int], table: Any, least: int, most: int) -> tuple[Any, Any]:
        """Return the free capacity and the items of all sets of a kind whose best completion weighs at least `least`.

        Built item by item: every partial set has a completion, so partial sets are never more than the final sets.
        """
        room, value = np.array([kind.capacity]), np.zeros(1, dtype=np.int64)
        steps = []
        cells = 0
        for place, item in enumerate(self.listed):
            size, after = self.sizes[item], table[place + 1]
            left = np.flatnonzero(value + after[room] >= least)
            with_it = np.zeros(0, dtype=np.int64)
            if size <= kind.limits[item]:
                fits = np.flatnonzero(room >= size)
                with_it = fits[value[fits] + weights[item] + after[room[fits] - size] >= least]
            if len(left) + len(with_it) > most:
                raise TooLargeError(f"more than {MAX_SETS:,} sets")
            cells += len(left) + len(with_it)
            if cells > MAX_CELLS:
                raise TooLargeError(f"sets × items listed are above {MAX_CELLS:,}")
            steps.append((np.append(left, with_it), len(left)))
            room = np.append(room[left], room[with_it] - size)
            value = np.append(value[left], value[with_it] + weights[item])
        holds = np.zeros((len(room), len(self.listed)), dtype=bool)
        at = np.arange(len(room))
        for place in range(len(self.listed) - 1, -1, -1):
            before, without = steps[place]
            holds[:, place] = at >= without
            at = before[at]
        return room, holds

    def cut(self, cut: Triple) -> None:
        """Add a cut; from now on, weights contain its price."""
        self._cut_sets.append(np.flatnonzero(self.holds[:, [self.place[item] for item in cut]].sum(axis=1) > 1))

    def together(self, mask: Any, pair: Pair) -> Any:
        """Return the mask restricted to sets that contain both items or neither."""
        first, second = (self.holds[:, self.place[item]] for item in pair)
        return mask & (first == second)

    def apart(self, mask: Any, pair: Pair) -> Any:
        """Return the mask restricted to sets that do not contain both items."""
        first, second = (self.holds[:, self.place[item]] for item in pair)
        return mask & ~(first & second)

    def weigh(self, weights: Sequence[int]) -> Any:
        """Return the maximum weight of each set with items that are not listed, minus the prices of cuts."""
        _exact(weights)
        count = len(self.sizes)
        padded = np.array([*weights[:count], 0], dtype=np.int64)
        values = np.add.reduceat(padded[self._items], self._begin) if len(self._begin) else np.zeros(0, dtype=np.int64)
        for number, kind in enumerate(self.kinds):
            of = self.kind_of == number
            values[of] += self._fillings(kind, weights)[self.room[of]]
        for sets, price in zip(self._cut_sets, weights[count:], strict=True):
            values[sets] -= price
        return values

    def filled(self, places: Sequence[int], weights: Sequence[int]) -> list[Column]:
        """Return these sets, each with the items not listed that maximise its weight."""
        columns: list[Column] = []
        for place in places:
            kind, room = int(self.kind_of[place]), int(self.room[place])
            items = [self.listed[index] for index in np.flatnonzero(self.holds[place])]
            fits = [item for item in self.others if self.sizes[item] <= self.kinds[kind].limits[item]]
            if fits:
                ((_, more),) = heaviest_sets([weights[i] for i in fits], [self.sizes[i] for i in fits], [room])
                items += [fits[index] for index in more]
            columns.append((kind, tuple(sorted(items))))
        return columns

    def excess(self, mask: Any, values: Any, weights: Sequence[int]) -> int | None:
        """Return the weight of all items minus the maximum weight in the bins and prices of cuts; a proof if positive.

        None if some bin cannot hold any of the remaining sets, not even the empty one: then there is no packing.
        """
        room = 0
        for number, kind in enumerate(self.kinds):
            own = values[mask & (self.kind_of == number)]
            if kind.count and not len(own):
                return None
            room += kind.count * int(own.max()) if kind.count else 0
        count = len(self.sizes)
        return sum(weights[:count]) - sum(weights[count:]) - room

    def fixed(self, mask: Any, values: Any, weights: Sequence[int]) -> Any:
        """Return a mask of the sets that waste no more than the gap by these weights."""
        excess = self.excess(mask, values, weights)
        left = mask.copy()
        for number in range(len(self.kinds)):
            of = mask & (self.kind_of == number)
            if excess is not None and of.any():
                left[of] = values[of] >= int(values[of].max()) + excess
        return left


def _exact(weights: Sequence[int]) -> None:
    if sum(weights) >= EXACT:
        raise TooLargeError("weights and prices add up to 2^62 or more")
