"""Packing items into bins by rounding: fix the fullest columns, and generate others for what is left (worker side).

Diving with limited discrepancy search, as Sadykov et al., *Primal heuristics for branch and price*, INFORMS Journal on
Computing 2019, describe it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from oas.bounds.mosp.pair_tree.packing import Packing, fill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from oas.bounds.mosp.covering import Column, Covering
    from oas.bounds.mosp.pair_tree.bins import Kind

_WHOLE = 1e-6
FAILURES = 4  # of one dive; each forbids the column that was fixed last


class Diving:
    """Dives from a program that the bins suffice for.

    Parameters
    ----------
    master
        With rows for items that are alike.
    """

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

        Parameters
        ----------
        greed
            The column with the greatest fraction is fixed with this probability, else any.
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
