"""Sets of items that fit into bins: the heaviest by dynamic programming, column generation, and packing by rounding.

Diving fixes the fullest columns and generates others for the remaining items, with limited discrepancy search as in
Sadykov et al., *Primal heuristics for branch and price*, INFORMS Journal on Computing 2019 (worker side).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.mosp.bounds.covering import generate, load_ratio
from oas.mosp.bounds.knapsack import table_type
from oas.mosp.bounds.pair_tree.bins import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from fractions import Fraction
    from random import Random

    from oas.mosp.bounds.covering import Column, Covering, Proven

FURTHER = 4  # further sets per round and kind of bins, each without the items of the sets before
GREAT = 20_000  # capacity from which on pricing takes longer than the program
ENDS = 8  # number of sets then taken from one table, which end with different items
ENOUGH = 1 + 1e-9  # a value of the program up to which the bins suffice

_Step = tuple[Any, int, int, int]  # of the dynamic program: improved places as bits, size, item, limit
_WHOLE = 1e-6
FAILURES = 4  # maximum number in a dive; each forbids the column that was fixed last


class Packing:
    """The sets of items of these sizes that fit into a bin of one kind."""

    def __init__(self, sizes: Sequence[int], kind: Kind) -> None:
        self.capacity = kind.capacity
        self._alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for item, (size, limit) in enumerate(zip(sizes, kind.limits, strict=True)):
            if size <= limit:
                self._alike[limit, size].append(item)

    def heaviest_sets(self, weights: Sequence[int], count: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the heaviest set that fits with its weight, and others: the heaviest that end with other items."""
        best, filled = np.zeros(self.capacity + 1, dtype=table_type(weights)), 0
        steps: list[_Step] = []
        ends: list[tuple[int, int]] = []
        for limit, size in sorted(self._alike):
            own = sorted(self._alike[limit, size], key=lambda item: -weights[item])[: limit // size]
            for item in (one for one in own if weights[one] > 0):
                best[filled + 1 : limit + 1] = best[filled]
                filled = limit
                tried, room = best[: limit + 1 - size] + weights[item], best[size : limit + 1]
                ends.append((-int(tried[-1]), len(steps)))
                better = tried > room
                np.maximum(room, tried, out=room)
                steps.append((np.packbits(better), size, item, limit))
        sets = [(int(best[filled]), _traced(steps, filled, ()))]
        if count > 1:
            for weight, end in sorted(ends)[1:count]:
                _, size, item, limit = steps[end]
                sets.append((-weight, _traced(steps[:end], limit - size, (item,))))
        return sets


def _traced(steps: Sequence[_Step], left: int, taken: tuple[int, ...]) -> tuple[int, ...]:
    """Return the items that these steps take for the remaining capacity, and those taken already."""
    for better, size, item, limit in reversed(steps):
        at = min(left, limit) - size
        if at >= 0 and better[at >> 3] >> (7 - (at & 7)) & 1:
            taken += (item,)
            left = at
    return tuple(sorted(taken))


def fill(
    master: Covering,
    sizes: Sequence[int],
    kinds: Sequence[Kind],
    must_stop: Callable[[], bool],
    items: Iterable[int] | None = None,
    *,
    best: bool = False,
) -> Proven:
    """Generate sets until the bins suffice (`suffices`) or weights prove that they do not; neither if it must stop.

    `sizes`: of all items. `kinds`: the remaining bins. `items`: the items to pack; None for all. `best`: continue until
    no set is missing. The weights prove that the bins do not suffice if their value is above 1.
    """
    packings = [Packing(sizes, kind) for kind in kinds]
    counted = list(range(len(master.rows)) if items is None else items)
    columns: list[Column] = []

    def prove(weights: Sequence[int]) -> Fraction:
        columns.clear()
        room = 0
        for kind, packing in enumerate(packings):
            great = packing.capacity >= GREAT
            heaviest = packing.heaviest_sets(weights, ENDS if great else 1)
            room += heaviest[0][0] * kinds[kind].count
            columns.extend((kind, items) for _, items in heaviest if items)
            left, (_, items) = list(weights), heaviest[0]
            for _ in range(0 if great else FURTHER):
                for item in items:
                    left[item] = 0
                ((_, items),) = packing.heaviest_sets(left, 1)
                if not items:
                    break
                columns.append((kind, items))
        total = sum(weights[item] for item in counted) - sum(weights[len(master.rows) :])
        return load_ratio(max(total, 0), room)

    def done(proven: Proven) -> bool:
        return proven.value > 1 or (proven.hope <= ENOUGH and not best) or must_stop()

    return generate(master, lambda _: columns, prove, done)


def suffices(proven: Proven) -> bool:
    """Return whether the program is satisfied: its values are a packing except for integrality."""
    return proven.value <= 1 and proven.hope <= ENOUGH


class Diving:
    """Dives from a program whose bins suffice; `master` has one row for identical items."""

    def __init__(
        self,
        master: Covering,
        sizes: Sequence[int],
        kinds: Sequence[Kind],
        must_stop: Callable[[], bool],
        random: Random,
    ) -> None:
        self.master, self.sizes, self.kinds, self.random = master, sizes, kinds, random
        self.must_stop = must_stop
        self.members: dict[int, list[int]] = {}
        for item, row in enumerate(master.rows):
            self.members.setdefault(row, []).append(item)

    def dive(self, greed: float) -> list[Column] | None:
        """Return bins that hold all items; None if the dive fails.

        `greed`: probability of fixing the column with the greatest fraction instead of the next one.
        """
        fixed: Counter[int] = Counter()
        barred: set[int] = set()
        failures = 0
        last = -1
        try:
            while not self.must_stop():
                left = self._left(fixed)
                if not any(left.values()):
                    return self._packed(fixed)
                if self._suffices(fixed, left, barred):
                    last = self._fix(fixed, left, barred, greed)
                    if last >= 0:
                        continue
                failures += 1
                if failures > FAILURES or last < 0 or not fixed[last]:
                    return None
                fixed[last] -= 1
                barred.add(last)
            return None
        finally:
            for index in range(len(self.master.columns)):
                self.master.bound(index, 0, math.inf)

    def _left(self, fixed: Counter[int]) -> dict[int, int]:
        left = {row: len(items) for row, items in self.members.items()}
        for index, count in fixed.items():
            for row, many in self.master.entries(self.master.columns[index][1]).items():
                left[row] -= many * count
        return left

    def _suffices(self, fixed: Counter[int], left: dict[int, int], barred: set[int]) -> bool:
        """Whether the remaining bins suffice for the remaining items, except for integrality."""
        used = Counter[int]()
        for index, count in fixed.items():
            used[self.master.columns[index][0]] += count
        if any(kind.count < used[number] for number, kind in enumerate(self.kinds)):
            return False
        for index, (_, jobs) in enumerate(self.master.columns):
            fits = index not in barred and all(many <= left[row] for row, many in self.master.entries(jobs).items())
            self.master.bound(index, fixed[index], math.inf if fits else fixed[index])
        gone = {item for row, items in self.members.items() for item in items[left[row] :]}
        kinds = []
        for number, kind in enumerate(self.kinds):
            limits = tuple(0 if item in gone else limit for item, limit in enumerate(kind.limits))
            kinds.append(Kind(kind.count - used[number], limits))
        here = [item for item in range(len(self.sizes)) if item not in gone]
        return suffices(fill(self.master, self.sizes, kinds, self.must_stop, here))

    def _fix(self, fixed: Counter[int], left: dict[int, int], barred: set[int], greed: float) -> int:
        """Fix the integral parts and one more column; return this column, otherwise 0 if parts were fixed, or -1."""
        rest = dict(left)
        parts = []
        for index, amount in enumerate(self.master.values):
            beyond = amount - fixed[index]
            if beyond <= _WHOLE:
                continue
            entries = self.master.entries(self.master.columns[index][1])
            whole = min([math.floor(beyond + _WHOLE), *(rest[row] // many for row, many in entries.items())])
            if whole > 0:
                fixed[index] += whole
                for row, many in entries.items():
                    rest[row] -= many * whole
            if index not in barred and beyond - whole > _WHOLE:
                parts.append((beyond - whole, index))
        candidates = []
        for _, index in sorted(parts, reverse=True):
            entries = self.master.entries(self.master.columns[index][1])
            if all(many <= rest[row] for row, many in entries.items()):
                candidates.append(index)
        if not candidates:
            return 0 if rest != left else -1
        chosen = 0
        while chosen + 1 < len(candidates) and self.random.random() > greed:
            chosen += 1
        fixed[candidates[chosen]] += 1
        return candidates[chosen]

    def _packed(self, fixed: Counter[int]) -> list[Column]:
        """Return the fixed columns as bins, with an item for each row entry."""
        stock = {row: list(items) for row, items in self.members.items()}
        packed = []
        for index in fixed.elements():
            kind, jobs = self.master.columns[index]
            entries = self.master.entries(jobs)
            packed.append((kind, tuple(stock[row].pop() for row in entries.elements())))
        return packed
