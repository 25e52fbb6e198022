"""Pairs of items: the heaviest set that agrees with pairs of which one set holds both items, or none does.

A *cut* is three items with a price, which is taken from the weight of each set that holds two of them or three: sets
that share no item contain at most one such, so the price is paid once at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from oas.checker.mosp_weights import HeaviestSums
from oas.checker.reading import integer_of, list_of, refused, rows_of

MAX_PAIR_DEPTH = 200  # of a tree of pairs

ItemTuple = tuple[int, ...]
# Pairs of items that are together, and pairs that are apart.
SupposedPairs = tuple[tuple[ItemTuple, ...], tuple[ItemTuple, ...]]


def after_pair(pair: ItemTuple, given: SupposedPairs) -> list[SupposedPairs]:
    """Return the suppositions of the two children of a pair."""
    together, apart = given
    return [((*together, pair), apart), (together, (*apart, pair))]


def read_items(value: object, items: int, field: str, count: int | None = None) -> ItemTuple:
    """Return `count` different items below `items`, at least one."""
    members = tuple(integer_of(one, field, 0, items - 1) for one in list_of(value, field, count))
    if not members or len({*members}) < len(members):
        raise refused(field, "must be different jobs, one at least", value)
    return members


def read_item_lists(value: object, items: int, field: str, most: int, count: int | None = None) -> list[ItemTuple]:
    """Return at most `most` lists of items, each as `read_items` reads it."""
    return [read_items(one, items, place, count) for one, place in rows_of(value, field, most)]


class SetKnapsack(NamedTuple):
    """A knapsack that every set must fit into, into which groups of a `PairBranch` are put one after another."""

    order: Sequence[int]  # the groups that fit into it
    sizes: Sequence[int]  # of each of them
    capacity: int  # of the knapsack
    # For each place in the order what this group and those after it weigh at most, without pairs and cuts, together
    # with others that are in no pair and no cut and are not in the order; and last what these others weigh alone
    rests: Sequence[HeaviestSums]


class PairBranch:
    """The sets of `count` items that agree with pairs; `cuts` are triples of items.

    Items that are together are one of the `groups`, unless two of them are supposed to be apart, too.
    """

    def __init__(self, count: int, supposed: SupposedPairs, cuts: Sequence[ItemTuple]) -> None:
        together, apart = supposed
        self.count = count
        group_of = list(range(count))
        for one, other in together:
            kept, gone = group_of[one], group_of[other]
            group_of = [kept if group == gone else group for group in group_of]
        torn = {group_of[one] for one, other in apart if group_of[one] == group_of[other]}
        members: dict[int, list[int]] = {}
        for item, group in enumerate(group_of):
            if group not in torn:
                members.setdefault(group, []).append(item)
        self.groups = list(members.values())
        self._bits = [sum(1 << item for item in group) for group in self.groups]
        place = {item: index for index, group in enumerate(self.groups) for item in group}
        self._foes = [0] * len(self.groups)  # of each group, the groups apart from it, in bits
        for one, other in apart:
            if one in place and other in place:
                self._foes[place[one]] |= 1 << place[other]
                self._foes[place[other]] |= 1 << place[one]
        self._held = [0] * len(self.groups)  # how many items of each cut, two bits for a cut
        for index, cut in enumerate(cuts):
            for item in cut:
                if item in place:
                    self._held[place[item]] += 1 << 2 * index

    def group_weights(self, weights: Sequence[int]) -> list[int]:
        """Return the weight of each group."""
        return [sum(map(weights.__getitem__, own)) for own in self.groups]

    def has_links(self, group: int) -> bool:
        """Whether some pair keeps the group apart from another one, or some cut has an item of it."""
        return bool(self._foes[group] or self._held[group])

    def heaviest(
        self,
        weights: Sequence[int],
        floor: int,
        knapsack: SetKnapsack,
        spend: Callable[[int], None],
        may_be: Callable[[int], bool] = lambda _: True,
    ) -> int:
        """Return the weight of the heaviest set; `floor` if none is heavier.

        The weights are those of all items, and then the prices of the cuts; all at least 0. `spend` takes off steps;
        `may_be` says whether a set of items, in bits, may be counted.
        """
        order, sizes, capacity, rests = knapsack
        own = self.group_weights(weights)
        second_bits = sum(2 << 2 * cut for cut, price in enumerate(weights[self.count :]) if price)
        floor = max(floor, rests[-1].within(capacity))
        stack = [(0, 0, capacity, 0, 0, 0)]
        while stack:
            begin, weight, room, found, barred, held = stack.pop()
            place = begin
            for place in range(begin, len(order)):
                if weight + rests[place].within(room) <= floor:
                    break
                group, left = order[place], room - sizes[place]
                if barred >> group & 1 or not own[group] or left < 0:
                    continue
                now = held + self._held[group]
                total = weight + own[group] - self._prices(weights, now & second_bits & ~held)
                grown = found | self._bits[group]
                if total + rests[place + 1].within(left) > floor and may_be(grown):
                    floor = max(floor, total + rests[-1].within(left))
                    stack.append((place + 1, weight, room, found, barred, held))
                    stack.append((place + 1, total, left, grown, barred | self._foes[group], now))
                    break
            spend(1 + place - begin)
        return floor

    def _prices(self, weights: Sequence[int], cuts: int) -> int:
        """Return the prices of these cuts, given by their second bits."""
        paid = 0
        while cuts:
            lowest = cuts & -cuts
            paid += weights[self.count + lowest.bit_length() // 2 - 1]
            cuts ^= lowest
        return paid


def outweighs_all(weight: int, kinds: Sequence[tuple[Any, int]], heaviest: Callable[[Any, int], int]) -> bool:
    """Return whether something weighs more than one heaviest set for each of several holders, by kind and number.

    ``heaviest(kind, floor)`` is the weight of the heaviest set of one holder, or any number above `floor` if it is
    above; `floor` if no set is heavier.
    """
    left = weight - 1  # what all holders together may hold
    for kind, count in kinds[:-1]:
        left -= count * heaviest(kind, 0)
    if left < 0:
        return False
    if not kinds:
        return True
    kind, count = kinds[-1]
    return heaviest(kind, left // count) <= left // count
