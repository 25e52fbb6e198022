"""Sets of items that fit into bins: the heaviest by dynamic programming, column generation, and packing by rounding.

Diving fixes the fullest columns and generates others for the remaining items, with limited discrepancy search as in
Sadykov et al., *Primal heuristics for branch and price*, INFORMS Journal on Computing 2019 (worker side).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.covering import generate
from oas.bounds.mosp.knapsack import table_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from oas.bounds.mosp.covering import Column, Covering, Proven
    from oas.bounds.mosp.pair_tree.bins import Kind

FURTHER = 4  # sets a round for each kind of bins, each without the items of those before
GREAT = 20_000  # capacity from which on pricing takes longer than the program
ENDS = 8  # sets then taken from one table, which end with different items
ENOUGH = 1 + 1e-9  # a value of the program up to which the bins suffice

# Of the dynamic program: where it improves the table as bits, size, item, limit.
_Step = tuple[Any, int, int, int]
_WHOLE = 1e-6
FAILURES = 4  # of one dive; each forbids the column that was fixed last


class Packing:
    """The sets of items of these sizes that fit into a bin of one kind."""

    def __init__(self, sizes: Sequence[int], kind: Kind) -> None:
        self.capacity = kind.capacity
        self._alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for item, (size, limit) in enumerate(zip(sizes, kind.limits, strict=True)):
            if size <= limit:
                self._alike[limit, size].append(item)

    def heaviest_set(self, weights: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Return the weight of a heaviest set that fits, and its items."""
        return self.heaviest_sets(weights, 1)[0]

    def heaviest_sets(self, weights: Sequence[int], count: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return a heaviest set that fits and its weight, and others: the heaviest that end with another item."""
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
        found = [(int(best[filled]), _traced(steps, filled, ()))]
        if count > 1:
            for weight, end in sorted(ends)[1:count]:
                _, size, item, limit = steps[end]
                found.append((-weight, _traced(steps[:end], limit - size, (item,))))
        return found


def _traced(steps: Sequence[_Step], left: int, taken: tuple[int, ...]) -> tuple[int, ...]:
    """Return the items that these steps take for the remaining capacity, and those taken already."""
    for better, size, item, limit in reversed(steps):
        at = min(left, limit) - size
        if at >= 0 and better[at >> 3] >> (7 - (at & 7)) & 1:
            taken += (item,)
            left = at
    return tuple(sorted(taken))


@dataclass(frozen=True)
class Generated:
    """The result of column generation."""

    # Weights that prove that the bins do not suffice; empty if there are none. On request, the best weights in any
    # case.
    weights: tuple[int, ...] = ()
    suffices: bool = False  # whether the program is satisfied: its values are a solution but for integrality


def fill(
    master: Covering,
    packings: Sequence[Packing],
    counts: Sequence[int],
    must_stop: Callable[[], bool],
    items: Iterable[int] | None = None,
    *,
    best: bool = False,
) -> Generated:
    """Generate sets until the bins suffice or weights prove that they do not; neither if it must stop.

    `packings`, `counts`: of the remaining bins, by kinds. `items`: the items to pack; None for all. `best`: continue
    until no set is missing, and return the weights even if they prove nothing.
    """
    counted = list(range(len(master.rows)) if items is None else items)
    found: list[Column] = []

    def prove(weights: Sequence[int]) -> Fraction:
        found.clear()
        room = 0
        for kind, (packing, count) in enumerate(zip(packings, counts, strict=True)):
            great = packing.capacity >= GREAT
            heaviest = packing.heaviest_sets(weights, ENDS if great else 1)
            room += heaviest[0][0] * count
            found.extend((kind, items) for _, items in heaviest if items)
            left, (_, items) = list(weights), heaviest[0]
            for _ in range(0 if great else FURTHER):
                for item in items:
                    left[item] = 0
                _, items = packing.heaviest_set(left)
                if not items:
                    break
                found.append((kind, items))
        total = sum(weights[item] for item in counted) - sum(weights[len(master.rows) :])
        return Fraction(max(total, 0), room) if room else Fraction(2 if total > 0 else 0)

    def done(proven: Proven) -> bool:
        return proven.value > 1 or (proven.hope <= ENOUGH and not best) or must_stop()

    proven = generate(master, lambda _: found, prove, done)
    if proven.value > 1:
        return Generated(weights=proven.weights)
    return Generated(proven.weights if best else (), proven.hope <= ENOUGH)


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
        left = {row: len(own) for row, own in self.members.items()}
        for index, count in fixed.items():
            for row, many in self.master.entries(self.master.columns[index][1]).items():
                left[row] -= many * count
        return left

    def _suffices(self, fixed: Counter[int], left: dict[int, int], barred: set[int]) -> bool:
        """Whether the bins left suffice for the items left, but for integrality."""
        used = Counter[int]()
        for index, count in fixed.items():
            used[self.master.columns[index][0]] += count
        counts = [kind.count - used[number] for number, kind in enumerate(self.kinds)]
        if min(counts) < 0:
            return False
        for index, (_, jobs) in enumerate(self.master.columns):
            fits = index not in barred and all(many <= left[row] for row, many in self.master.entries(jobs).items())
            self.master.bound(index, fixed[index], math.inf if fits else fixed[index])
        gone = {item for row, own in self.members.items() for item in own[left[row] :]}
        packings = [
            Packing(self.sizes, replace(kind, limits=tuple(0 if i in gone else v for i, v in enumerate(kind.limits))))
            for kind in self.kinds
        ]
        here = [item for item in range(len(self.sizes)) if item not in gone]
        return fill(self.master, packings, counts, self.must_stop, here).suffices

    def _fix(self, fixed: Counter[int], left: dict[int, int], barred: set[int], greed: float) -> int:
        """Fix what is whole, and one more column; return the latter, or -1 if there is none to fix."""
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
        parts.sort(reverse=True)
        parts = [
            one
            for one in parts
            if all(many <= rest[row] for row, many in self.master.entries(self.master.columns[one[1]][1]).items())
        ]
        if not parts:
            return 0 if rest != left else -1
        chosen = 0
        while chosen + 1 < len(parts) and self.random.random() > greed:
            chosen += 1
        index = parts[chosen][1]
        fixed[index] += 1
        return index

    def _packed(self, fixed: Counter[int]) -> list[Column]:
        """The columns fixed, with items of their rows."""
        stock = {row: list(own) for row, own in self.members.items()}
        return [
            (
                self.master.columns[index][0],
                tuple(
                    stock[row].pop()
                    for row, many in self.master.entries(self.master.columns[index][1]).items()
                    for _ in range(many)
                ),
            )
            for index, count in fixed.items()
            for _ in range(count)
        ]
