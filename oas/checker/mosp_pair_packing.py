"""The heaviest sets of items that fit into a bin, pairs of items being together or apart, for the bound "pair tree".

A *cut* is three items, its price is taken from the weight of a set that holds two or three of them. Items that are
together are one *unit*. Units that are apart from others, or in a cut with others, form components, of which all sets
without a pair that is apart are enumerated; any other unit is a set by itself. Of each component a bin takes one such
set at most, and all its sets must fit together: of all sums those are kept that no other sum beats.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_pair_bins import PairBins

PAIR_MAX_OPTIONS = 20_000  # sets of one component
PAIR_MAX_SUMS = 2_000_000  # kept at a time

ItemPair = tuple[int, int]
ItemTriple = tuple[int, int, int]
# Size, least limit, and items.
ItemUnit = tuple[int, int, list[int]]


class PairPacking:
    """Sets that fit into a bin of one kind.

    Parameters
    ----------
    sizes
        Of each item.
    bins
        The bins; uniform where there are pairs or cuts.
    together, apart
        Pairs of items.
    cuts
        Triples of items.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        bins: PairBins,
        together: Sequence[ItemPair],
        apart: Sequence[ItemPair],
        cuts: Sequence[ItemTriple],
    ) -> None:
        self.capacity, self.cuts, self.items = bins.capacity, cuts, len(sizes)
        groups = [
            own
            for own in items_joined(len(sizes), together)
            if len(own) == 1 or not any(one in own and other in own for one, other in apart)
        ]
        units = [(sum(sizes[item] for item in own), min(bins.limits[item] for item in own), own) for own in groups]
        self.units = [unit for unit in units if unit[0] <= unit[1]]
        place = {item: index for index, (_, _, own) in enumerate(self.units) for item in own}
        self.foes: dict[int, set[int]] = {}
        for one, other in apart:
            if one in place and other in place:
                self.foes.setdefault(place[one], set()).add(place[other])
                self.foes.setdefault(place[other], set()).add(place[one])
        links = {unit: {*own} for unit, own in self.foes.items()}
        for cut in cuts:
            there = {place[item] for item in cut if item in place}
            for index in there:
                links.setdefault(index, set()).update(there)
        self.components = _linked_parts(links)
        self.alike: dict[tuple[int, int], list[list[int]]] = {}
        for index, (size, limit, own) in enumerate(self.units):
            if index not in links:
                self.alike.setdefault((limit, size), []).append(own)

    def heaviest(self, weights: Sequence[int], effort: Effort) -> int:
        """Return what no set that fits outweighs.

        Parameters
        ----------
        weights
            Of all items, and then the prices of the cuts; all at least 0.

        Raises
        ------
        Refused
            If a component has too many sets, or too many sums are to be looked at.
        """
        total = sum(weights[: self.items])
        bits = total.bit_length() + 1
        mask = (1 << bits) - 1
        sums = [total]  # size · 2^bits + (total − weight): ascending by size, of equal ones the heaviest first
        for limit, options in self._choices(weights, effort):
            merged = sums.copy()
            for size, weight in options:
                step, too_large = (size << bits) - weight, (limit - size + 1) << bits
                merged += [one + step for one in sums[: bisect_left(sums, too_large)]]
                if len(merged) > PAIR_MAX_SUMS:
                    raise refused("certificate", f"more than {PAIR_MAX_SUMS} sums are to be kept at a time")
            effort.spend(len(merged))
            merged.sort()
            sums, lightest = [], mask
            for one in merged:
                if one & mask < lightest:
                    lightest = one & mask
                    sums.append(one)
        return total - (sums[-1] & mask)

    def _choices(self, weights: Sequence[int], effort: Effort) -> list[tuple[int, list[tuple[int, int]]]]:
        """Of each component the limit and what can be taken, size and weight; limits ascend."""
        found = []
        for component in self.components:
            effort.spend(len(component))
            if options := self._options(component, weights, effort):
                found.append((self.capacity, options))
        for limit, size in sorted(self.alike, key=lambda one: (one[0], -one[1])):
            own = sorted((sum(weights[item] for item in items) for items in self.alike[limit, size]), reverse=True)
            found += [(limit, [(size, weight)]) for weight in own[: limit // size] if weight > 0]
        return found

    def _options(self, component: Sequence[int], weights: Sequence[int], effort: Effort) -> list[tuple[int, int]]:
        """The sets of a component, size and weight, that weigh more than every smaller one."""
        units = [self.units[index] for index in component]
        place = {index: at for at, index in enumerate(component)}
        enemies = [sum(1 << place[foe] for foe in self.foes.get(index, ())) for index in component]
        values = [sum(weights[item] for item in own) for _, _, own in units]
        prices, counts = self._prices(units, weights)
        second = sum(2 << 2 * cut for cut in range(len(prices)))  # of the two bits of each cut: it has two items
        found = []
        stack = [(0, 0, 0, 0, 0)]
        while stack:
            first, size, weight, barred, held = stack.pop()
            for at in range(first, len(component)):
                grown = size + units[at][0]
                if grown > self.capacity or barred >> at & 1:
                    continue
                now = held + counts[at]
                heavier, paid = weight + values[at], now & second & ~held
                while paid:
                    lowest = paid & -paid
                    heavier -= prices[lowest.bit_length() // 2 - 1]
                    paid ^= lowest
                found.append((grown, -heavier))
                if len(found) > PAIR_MAX_OPTIONS:
                    raise refused("certificate", f"more than {PAIR_MAX_OPTIONS} sets of items apart or in cuts")
                stack.append((at + 1, grown, heavier, barred | enemies[at], now))
            effort.spend(len(component) - first)
        found.sort()
        best, kept = 0, []
        for size, less in found:
            if -less > best:
                best = -less
                kept.append((size, best))
        return kept

    def _prices(self, units: Sequence[ItemUnit], weights: Sequence[int]) -> tuple[list[int], list[int]]:
        """The prices of the cuts of a component, and how many items of each every unit holds, two bits for a cut."""
        of = {item: at for at, (_, _, own) in enumerate(units) for item in own}
        prices: list[int] = []
        counts = [0] * len(units)
        for index, cut in enumerate(self.cuts):
            there = [of[item] for item in cut if item in of]
            if there:
                for at in there:
                    counts[at] += 1 << 2 * len(prices)
                prices.append(weights[self.items + index])
        return prices, counts


def items_joined(count: int, together: Sequence[ItemPair]) -> list[list[int]]:
    """Return the items in groups: those of a pair are in one."""
    members = {item: [item] for item in range(count)}
    group_of = list(range(count))
    for one, other in together:
        kept, gone = group_of[one], group_of[other]
        if kept != gone:
            for item in members[gone]:
                group_of[item] = kept
            members[kept] += members.pop(gone)
    return list(members.values())


def _linked_parts(links: dict[int, set[int]]) -> list[list[int]]:
    """The connected parts of a graph."""
    seen: set[int] = set()
    parts = []
    for first in sorted(links):
        if first in seen:
            continue
        seen.add(first)
        part, queue = [], [first]
        while queue:
            one = queue.pop()
            part.append(one)
            new = links[one] - seen
            seen |= new
            queue += new
        parts.append(sorted(part))
    return parts
