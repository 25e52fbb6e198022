"""Sets of jobs that run together in the relaxed search, and weights that are valid for all of them.

The relaxed search assigns no nodes. Its running sets satisfy nested capacities and contain no set that is listed as
*apart*. They include all sets that fit on nodes and links, and others, which may weigh more than any set that fits. The
waste of the search is only correct with weights for all of its running sets: a set that is too heavy and does not fit
is reduced to a minimal one that does not fit, and listed. If the number of listed sets reaches its limit, the maximum
weight M grows instead.
"""

from __future__ import annotations

from itertools import accumulate, combinations
from operator import le
from typing import TYPE_CHECKING

from oas.coallocation.allocations import fastest_level
from oas.coallocation.bounds.configurations import Mode, Weights
from oas.coallocation.bounds.configurations.pricing import heaviest
from oas.core.clock import check_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.coallocation.bounds.configurations.packing import Item
    from oas.coallocation.ticks import ScaledCoallocation

MAX_LARGER = 200  # sets of three or more jobs; the checker accepts 1,000
MAX_SETS = 50_000  # sets that are weighed for one weighting; the checker weighs 200,000


class Relaxation:
    """The running sets of relaxed searches.

    `fits`: returns whether items of different jobs can run together. False must be proven. None: nested capacities are
    the only condition. `tasks` and `capacity` are as in `Packing`, in place of which `heaviest` uses this object.
    """

    def __init__(self, scaled: ScaledCoallocation, fits: Callable[[Sequence[Item]], bool] | None = None) -> None:
        self.tasks, self._scaled, self._fit = scaled.tasks, scaled, fits
        levels = range(len(scaled.powers))
        self.capacity = [sum(len(one.nodes) for one in scaled.classes if one.level <= level) for level in levels]
        self._fastest = [fastest_level(scaled, job) or 0 for job in range(scaled.job_count)]
        self.pairs: list[tuple[Item, Item]] = []  # two jobs that are apart at these levels and at faster ones
        self.larger: list[tuple[Item, ...]] = []  # the same for three or more jobs
        # By job: its level and the other members of each listed set.
        self._sets: list[list[tuple[int, list[Item]]]] = [[] for _ in range(scaled.job_count)]
        self._valid: dict[Weights, Weights] = {}
        self._weights: Sequence[Sequence[int]] = ()  # in use by `fits`
        self._whole = 0
        if fits is not None:
            for first, second in combinations(range(scaled.job_count), 2):
                self._list_pairs(first, second)

    def valid(self, duals: Iterable[Weights]) -> list[Weights]:
        """Return the weights with a maximum that is valid for all running sets; list sets that are too heavy."""
        for dual in duals:
            if dual not in self._valid:
                self._valid[dual] = Weights(dual.weights, self._most_weight(dual))
        return [self._valid[dual] for dual in duals]

    def fits(self, items: Sequence[Item]) -> bool:
        """Whether the items are a running set that is not too heavy, or that cannot be listed."""
        check_clock()  # the sets listed so far remain valid
        if not self.allows(items):
            return False
        if sum(self._weights[job][level] for job, level in items) <= self._whole:
            return True
        if self._fit is None or len(self.larger) >= MAX_LARGER or self._fit(items):
            return True
        self._list(self._reduced(list(items)))
        return False

    def allows(self, items: Iterable[Item]) -> bool:
        """Whether the items satisfy nested capacities and contain no listed set."""
        level_of = dict(items)
        used = [0] * len(self.capacity)
        for job, level in level_of.items():
            used[level] += self.tasks[job]
        if not all(map(le, accumulate(used), self.capacity)):
            return False
        return not any(
            level_of[job] <= slowest and all(level_of.get(other, level + 1) <= level for other, level in others)
            for job in level_of
            for slowest, others in self._sets[job]
        )

    def _list(self, items: Sequence[Item]) -> None:
        if len(items) == 2:
            self.pairs.append((items[0], items[1]))
        else:
            self.larger.append(tuple(items))
        for item in items:
            self._sets[item[0]].append((item[1], [other for other in items if other != item]))

    def _list_pairs(self, first: int, second: int) -> None:
        """List the pairs of two jobs that do not fit, each at its slowest levels."""
        assert self._fit is not None
        levels = len(self._scaled.powers)
        for level in reversed(range(self._fastest[first], levels)):
            check_clock()
            for below in reversed(range(self._fastest[second], levels)):
                pair = [(first, level), (second, below)]
                listed = self.allows(pair) and not self._fit(pair)
                if listed:
                    self._list(pair)
                if not self.allows(pair):  # nor at faster levels
                    break

    def _reduced(self, items: list[Item]) -> list[Item]:
        """Return some of the items that do not fit either, at levels as slow as possible; no job can be left out."""
        assert self._fit is not None
        for item in sorted(items, key=lambda one: (self.tasks[one[0]], one)):
            rest = [other for other in items if other != item]
            if not self._fit(rest):
                items = rest
        for at, (job, level) in enumerate(items):
            for slower in reversed(range(level + 1, len(self.capacity))):
                slowed = [*items[:at], (job, slower), *items[at + 1 :]]
                if not self._fit(slowed):
                    items = slowed
                    break
        return items

    def _most_weight(self, dual: Weights) -> int:
        """Return the maximum weight of a running set, or an upper bound on it; at least `Weights.whole`."""
        self._weights, self._whole = dual.weights, dual.whole
        modes, weights = [], []
        for first, times, row in zip(self._fastest, self._scaled.durations, dual.weights, strict=True):
            modes.append(tuple(Mode(level, times[level]) for level in range(first, len(times))))
            weights.append(row[first:])
        return heaviest(self, tuple(modes), weights, floor=dual.whole, limit=MAX_SETS).weight
