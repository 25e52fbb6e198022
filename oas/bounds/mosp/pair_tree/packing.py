"""Sets of items that fit into bins: the heaviest by dynamic programming in integers, and column generation."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.covering import generate
from oas.bounds.mosp.knapsack import table_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.bounds.mosp.covering import Column, Covering, Proven
    from oas.bounds.mosp.pair_tree.bins import Kind

FURTHER = 4  # sets a round for each kind of bins, each without the items of those before
GREAT = 20_000  # capacity from which on pricing takes longer than the program
ENDS = 8  # sets then taken from one table, which end with different items
ENOUGH = 1 + 1e-9  # a value of the program up to which the bins suffice

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


@dataclass(frozen=True)
class Generated:
    """What column generation came to.

    Attributes
    ----------
    weights
        That prove that the bins do not suffice; empty if there are none. If asked for, the best ones all the same.
    suffices
        Whether the program is satisfied: its values are a solution but for integrality.
    """

    weights: tuple[int, ...] = ()
    suffices: bool = False


def fill(
    master: Covering,
    packings: Sequence[Packing],
    counts: Sequence[int],
    must_stop: Callable[[], bool],
    items: Iterable[int] | None = None,
    *,
    best: bool = False,
) -> Generated:
    """Generate sets until the bins suffice, or weights prove that they do not; neither if it must stop.

    Parameters
    ----------
    packings, counts
        Of the bins left, by kinds.
    items
        Those to be packed; None for all.
    best
        Go on until no set is missing, and return the weights even if they prove nothing.
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
