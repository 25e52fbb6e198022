"""The heaviest sets of items that fit into a bin, by dynamic programming in integers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.knapsack import table_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.pair_tree.bins import Kind

Pair = tuple[int, int]
Triple = tuple[int, int, int]
# Of the dynamic program: where it improves the table as bits, size, item, limit.
_Step = tuple[Any, int, int, int]


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
    """The items that these steps take with so much room left, and those taken already."""
    for better, size, item, limit in reversed(steps):
        at = min(left, limit) - size
        if at >= 0 and better[at >> 3] >> (7 - (at & 7)) & 1:
            taken += (item,)
            left = at
    return tuple(sorted(taken))
