"""Trees over pairs of items: what follows a pair supposes first that one set holds both, then that none does.

`walk_pair_tree` reads any tree in preorder. `PairBranch` is what a leaf supposes, and finds the heaviest set that
agrees with it. A *cut* is three items with a price, which is taken from the weight of each set that holds two of them
or three: sets that share no item contain at most one such, so the price is paid once at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import sub
from typing import Any, NamedTuple

from oas.checker.errors import refused
from oas.checker.reading import integer_of, list_of

MAX_TREE_DEPTH = 200

ItemTuple = tuple[int, ...]
# Pairs of items that are together, and pairs that are apart.
SupposedPairs = tuple[tuple[ItemTuple, ...], tuple[ItemTuple, ...]]


def walk_pair_tree(value: object, most: int, root: Any, follow: Callable[[Any, Any, str], list[Any]]) -> None:
    """Walk through a tree in preorder.

    Parameters
    ----------
    value
        The nodes, from the certificate.
    most
        Maximum number of nodes.
    root
        What the first node is given.
    follow
        ``(node, given, field)``: reads a node and returns what its children are given; the child to be walked first
        comes last. It raises `Refused` for a malformed node.

    Raises
    ------
    Refused
        If the list ends before the tree or after it, or the tree is deeper than `MAX_TREE_DEPTH`.
    """
    open_nodes = [(root, 0)]
    for index, node in enumerate(list_of(value, "certificate.tree", most=most)):
        field = f"certificate.tree[{index}]"
        if not open_nodes:
            raise refused(field, "the tree ends before")
        given, depth = open_nodes.pop()
        children = follow(node, given, field)
        if children and depth >= MAX_TREE_DEPTH:
            raise refused(field, f"is deeper than {MAX_TREE_DEPTH}")
        open_nodes += [(child, depth + 1) for child in children]
    if open_nodes:
        raise refused("certificate.tree", "nodes are missing")


def after_pair(pair: ItemTuple, given: SupposedPairs) -> list[SupposedPairs]:
    """Return what the two children of a pair suppose, as `walk_pair_tree` takes them."""
    together, apart = given
    return [(together, (*apart, pair)), ((*together, pair), apart)]


def read_items(value: object, items: int, field: str, count: int | None = None) -> ItemTuple:
    """Return `count` different items below `items`, at least one; raise `Refused` if the value holds none such."""
    members = tuple(integer_of(one, field, 0, items - 1) for one in list_of(value, field, count))
    if not members or len({*members}) < len(members):
        raise refused(field, "must be different jobs, one at least", value)
    return members


def read_item_lists(value: object, items: int, field: str, most: int, count: int | None = None) -> list[ItemTuple]:
    """Return at most `most` lists of items, each as `read_items` reads it."""
    return [
        read_items(one, items, f"{field}[{index}]", count) for index, one in enumerate(list_of(value, field, most=most))
    ]


class SetKnapsacks(NamedTuple):
    """Knapsacks that every set has to fit into, for `PairBranch.heaviest`.

    Attributes
    ----------
    groups
        The groups that sets are made of, in the order in which they are tried.
    sizes
        Of each of them, by each knapsack.
    capacities
        Of each knapsack.
    room
        Returns what is left of the knapsacks as `most` takes it.
    most
        ``(place, room)``: what no set of the group at this place and those after it outweighs that fits into the room.
        After the last place: what other groups weigh at most that may fill the room; no pair and no cut has these.
    """

    groups: Sequence[int]
    sizes: Sequence[tuple[int, ...]]
    capacities: tuple[int, ...]
    room: Callable[[tuple[int, ...]], Any]
    most: Callable[[int, Any], int]


class PairBranch:
    """The sets of items that agree with pairs.

    Parameters
    ----------
    count
        Number of items.
    supposed
        Pairs of items together, and pairs apart.
    cuts
        Triples of items.

    Attributes
    ----------
    groups
        Items that are together; no group that is supposed to be apart, too.
    """

    def __init__(self, count: int, supposed: SupposedPairs, cuts: Sequence[ItemTuple]) -> None:
        together, apart = supposed
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
        place = {group: index for index, group in enumerate(members)}
        self.cuts = len(cuts)
        self._foes = [0] * len(place)  # of each group, those that are apart from it, in bits
        for one, other in apart:
            first, second = place.get(group_of[one]), place.get(group_of[other])
            if first is not None and second is not None:
                self._foes[first] |= 1 << second
                self._foes[second] |= 1 << first
        self._held = [0] * len(place)  # how many items of each cut, two bits for a cut
        for index, cut in enumerate(cuts):
            for item in cut:
                if group_of[item] in place:
                    self._held[place[group_of[item]]] += 1 << 2 * index

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
        knapsacks: SetKnapsacks,
        bits: Sequence[int],
        may_be: Callable[[int, int], bool],
        spend: Callable[[int], None],
        *,
        first: bool = False,
    ) -> int:
        """Return the weight of the heaviest set; `floor` if none is heavier.

        Parameters
        ----------
        weights
            Of all items, and then the prices of the cuts; all at least 0.
        bits
            Of each group, as `may_be` has them.
        may_be
            ``(set, group)``: whether the set of these bits may be counted, of which `group` is the last one.
        spend
            Takes off steps.
        first
            Whether the search ends with any set above `floor`.
        """
        groups, sizes, capacities, room_of, most = knapsacks
        count, own = len(groups), self.group_weights(weights)
        prices = weights[len(weights) - self.cuts :]
        second = sum(2 << 2 * cut for cut, price in enumerate(prices) if price)  # the second bit: two items are held
        room = room_of(capacities)
        floor = max(floor, most(count, room))
        stack = [(0, 0, capacities, room, 0, 0, 0)]
        while stack:
            begin, weight, left, room, found, barred, held = stack.pop()
            place = begin
            for place in range(begin, count):
                if weight + most(place, room) <= floor:
                    break
                group, after = groups[place], tuple(map(sub, left, sizes[place]))
                if barred >> group & 1 or not own[group] or min(after) < 0:
                    continue
                now = held + self._held[group]
                total, paid = weight + own[group], now & second & ~held
                while paid:
                    lowest = paid & -paid
                    total -= prices[lowest.bit_length() // 2 - 1]
                    paid ^= lowest
                rest = room_of(after)
                if total + most(place + 1, rest) <= floor:
                    continue
                grown = found | bits[group]
                if may_be(grown, group):
                    filled = total + most(count, rest)
                    if filled > floor:
                        floor = filled
                        if first:
                            return floor
                    stack.append((place + 1, weight, left, room, found, barred, held))
                    stack.append((place + 1, total, after, rest, grown, barred | self._foes[group], now))
                    break
            spend(1 + place - begin)
        return floor


def outweighs_all(weight: int, kinds: Sequence[tuple[Any, int]], heaviest: Callable[[Any, int], int]) -> bool:
    """Return whether something weighs more than one heaviest set for each of several holders.

    Parameters
    ----------
    kinds
        Holders by kind and number.
    heaviest
        ``(kind, floor)``: weight of the heaviest set of one holder, or any number above `floor` if it is above;
        `floor` if no set is heavier.
    """
    left = weight - 1  # what all holders together may hold
    for kind, count in kinds[:-1]:
        left -= count * heaviest(kind, 0)
    if left < 0:
        return False
    if not kinds:
        return True
    kind, count = kinds[-1]
    floor = left // count
    return heaviest(kind, floor) <= floor
