"""The heaviest sets of items that fit into a bin, where pairs of items are decided to be together or apart.

A *cut* is three items: of all bins of a packing, at most one holds two of them or more (a subset-row cut of Jepsen et
al., Operations Research 2008). Its price is taken from the weight of a set that holds two or three of them.

Items that are together are one. Those that are apart from others, or in a cut with others, form components; of each
component the sets without a pair that is apart that fit are its *options*, and an item by itself is a component of one
option. Of each component at most one option is taken: a multiple-choice knapsack, by dynamic programming in integers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.knapsack import table_type
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from oas.bounds.mosp.pair_tree.bins import Kind

MAX_OPTIONS = 20_000  # of one component
STEP_CELLS = 4_000  # what a step of the dynamic program costs beside its cells

# What is taken together: its size, and its items.
Option = tuple[int, tuple[int, ...]]
Pair = tuple[int, int]
Triple = tuple[int, int, int]
# Of the dynamic program: component, where it improves the table as bits, size, items, limit.
_Step = tuple[int, Any, int, tuple[int, ...], int]


def joined(count: int, together: Iterable[Pair]) -> list[tuple[int, ...]]:
    """Return the items that are one by these pairs, each group ascending, by their first."""
    group_of = list(range(count))
    members = {item: [item] for item in range(count)}
    for one, other in together:
        kept, gone = sorted((group_of[one], group_of[other]))
        if kept != gone:
            for item in members[gone]:
                group_of[item] = kept
            members[kept] += members.pop(gone)
    return [tuple(sorted(own)) for own in members.values()]


class Packing:
    """The sets that fit into a bin of one kind.

    Weights are one for each item, and then one for each cut: its price.

    Parameters
    ----------
    sizes
        Of each item.
    kind
        The bins; with any pair or cut it must be uniform.
    together, apart
        Pairs of items.
    cuts
        Triples of items.
    most_options
        Of one component.

    Attributes
    ----------
    effort
        What one pricing costs, in cells of the table.

    Raises
    ------
    TooLargeError
        If a component has too many options.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        kind: Kind,
        together: Sequence[Pair] = (),
        apart: Sequence[Pair] = (),
        cuts: Sequence[Triple] = (),
        most_options: int = MAX_OPTIONS,
    ) -> None:
        self.capacity = kind.capacity
        units = [
            (sum(sizes[item] for item in own), min(kind.limits[item] for item in own), own)
            for own in joined(len(sizes), together)
            if not any(one in own and other in own for one, other in apart)
        ]
        units = [one for one in units if one[0] <= one[1]]
        place = {item: index for index, (_, _, own) in enumerate(units) for item in own}
        foes: dict[int, set[int]] = defaultdict(set)
        for one, other in apart:
            if one in place and other in place:
                foes[place[one]].add(place[other])
                foes[place[other]].add(place[one])
        links = defaultdict(set, {unit: set(own) for unit, own in foes.items()})
        for cut in cuts:
            there = {place[item] for item in cut if item in place}
            for unit in there:
                links[unit] |= there
        self._alike: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        for index, (size, limit, own) in enumerate(units):
            if index not in links:
                self._alike[limit, size].append(own)
        self._components = [
            _Component(_options(units, part, foes, self.capacity, most_options), cuts, len(sizes))
            for part in _parts(links)
        ]
        singles = sum(min(len(own), limit // size) for (limit, size), own in self._alike.items())
        steps = singles + sum(min(len(one.options), self.capacity) for one in self._components)
        entries = sum(one.entries for one in self._components)
        self.effort = steps * (self.capacity + STEP_CELLS) + entries

    def heaviest(self, weights: Sequence[int]) -> int:
        """Return what a set that fits weighs at most."""
        best, filled = np.zeros(self.capacity + 1, dtype=table_type(weights)), 0
        for limit, options in self._choices(weights):
            best[filled + 1 : limit + 1] = best[filled]
            filled = limit
            before = best[: limit + 1].copy() if len(options) > 1 else best
            for size, weight, _ in options:
                room = best[size : limit + 1]
                np.maximum(room, before[: limit + 1 - size] + weight, out=room)
        return int(best[filled])

    def heaviest_set(self, weights: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Return the weight of a heaviest set that fits, and its items."""
        return self.heaviest_sets(weights, 1)[0]

    def heaviest_sets(self, weights: Sequence[int], count: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return a heaviest set that fits and its weight, and others: the heaviest that end with another option."""
        best, filled = np.zeros(self.capacity + 1, dtype=table_type(weights)), 0
        steps: list[_Step] = []
        ends: list[tuple[int, int]] = []
        for number, (limit, options) in enumerate(self._choices(weights)):
            best[filled + 1 : limit + 1] = best[filled]
            filled = limit
            before = best[: limit + 1].copy() if len(options) > 1 else best
            for size, weight, items in options:
                tried, room = before[: limit + 1 - size] + weight, best[size : limit + 1]
                ends.append((-int(tried[-1]), len(steps)))
                better = tried > room
                np.maximum(room, tried, out=room)
                steps.append((number, np.packbits(better), size, items, limit))
        found = [(int(best[filled]), _traced(steps, len(steps), filled, ()))]
        if count > 1:
            for weight, end in sorted(ends)[1:count]:
                number, _, size, items, limit = steps[end]
                found.append((-weight, _traced(steps, end, limit - size, items, number)))
        return found

    def _choices(self, weights: Sequence[int]) -> list[tuple[int, list[tuple[int, int, tuple[int, ...]]]]]:
        """The components by limits, each with its options of a weight: size, weight, items."""
        found = []
        for limit, size in sorted(self._alike):
            own = [(sum(weights[item] for item in items), items) for items in self._alike[limit, size]]
            own.sort(key=lambda one: -one[0])
            found += [(limit, [(size, *one)]) for one in own[: limit // size] if one[0] > 0]
        found += [(self.capacity, options) for one in self._components if (options := one.worthwhile(weights))]
        return found


def _traced(steps: Sequence[_Step], end: int, left: int, taken: tuple[int, ...], done: int = -1) -> tuple[int, ...]:
    """The items taken before step `end` with so much room left, and those taken already, by option `done`."""
    for number, better, size, items, limit in reversed(steps[:end]):
        if number == done:
            continue
        at = min(left, limit) - size
        if at >= 0 and better[at >> 3] >> (7 - (at & 7)) & 1:
            taken += items
            left, done = at, number
    return tuple(sorted(taken))


class _Component:
    """Options of which at most one is taken, by size."""

    def __init__(self, options: list[Option], cuts: Sequence[Triple], count: int) -> None:
        self.options = sorted(options)
        items = sorted({item for _, own in options for item in own})
        column = {item: index for index, item in enumerate(items)}
        touched = [index for index, cut in enumerate(cuts) if any(item in column for item in cut)]
        self._columns = [*items, *(count + index for index in touched)]
        self._entries = np.zeros((len(options), len(self._columns)), dtype=np.int64)
        for row, (_, own) in enumerate(self.options):
            self._entries[row, [column[item] for item in own]] = 1
        for index, cut in enumerate(touched, len(items)):
            held = [column[item] for item in cuts[cut] if item in column]
            self._entries[:, index] = -(self._entries[:, held].sum(axis=1) // 2)
        self.entries = self._entries.size

    def worthwhile(self, weights: Sequence[int]) -> list[tuple[int, int, tuple[int, ...]]]:
        """The options that weigh more than every smaller one: size, weight, items."""
        own = np.array([weights[column] for column in self._columns], dtype=table_type(weights))
        values = self._entries.astype(own.dtype) @ own
        before = np.maximum.accumulate(np.append(np.zeros(1, dtype=own.dtype), values[:-1]))
        return [
            (*self.options[row][:1], int(values[row]), self.options[row][1]) for row in np.flatnonzero(values > before)
        ]


def _parts(foes: dict[int, set[int]]) -> list[list[int]]:
    """The components of a graph."""
    seen: set[int] = set()
    parts = []
    for first in sorted(foes):
        if first in seen:
            continue
        part, queue = [], [first]
        seen.add(first)
        while queue:
            one = queue.pop()
            part.append(one)
            queue += [other for other in foes[one] if other not in seen]
            seen |= foes[one]
        parts.append(sorted(part))
    return parts


def _options(
    units: Sequence[tuple[int, int, tuple[int, ...]]],
    part: Sequence[int],
    foes: dict[int, set[int]],
    capacity: int,
    most: int,
) -> list[Option]:
    """All sets of a component that fit and hold no pair that is apart."""
    found: list[Option] = []
    stack: list[tuple[int, int, tuple[int, ...], Collection[int]]] = [(0, 0, (), frozenset())]
    while stack:
        index, size, items, barred = stack.pop()
        if items:
            found.append((size, items))
            if len(found) > most:
                raise TooLargeError(f"more than {most:,} sets of items that are apart from others, or in cuts")
        for at in range(index, len(part)):
            grown = size + units[part[at]][0]
            if grown <= capacity and part[at] not in barred:
                stack.append((at + 1, grown, items + units[part[at]][2], {*barred, *foes.get(part[at], ())}))
    return found
