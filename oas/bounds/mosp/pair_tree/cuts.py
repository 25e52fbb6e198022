"""Subset-row cuts that values break (worker side)."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.bounds.mosp.pair_tree.packing import Pair, Triple


def broken_cuts(used: Iterable[tuple[tuple[int, ...], float]], least: float) -> list[Triple]:
    """Return the triples of which sets hold two items or more, more than once in all, those that are broken most first.

    Parameters
    ----------
    used
        Sets of items, each with how much of it is used.
    least
        By how much a cut must be broken.
    """
    parts: dict[Pair, float] = defaultdict(float)
    triples: dict[Triple, float] = defaultdict(float)
    friends: dict[int, set[int]] = defaultdict(set)
    for items, amount in used:
        for pair in combinations(items, 2):
            parts[pair] += amount
            friends[pair[0]].add(pair[1])
        for triple in combinations(items, 3):
            triples[triple] += amount
    found = []
    for one, own in friends.items():
        for other in own:
            for third in own & friends.get(other, set()):
                cut = (one, other, third)
                held = parts[one, other] + parts[one, third] + parts[other, third] - 2 * triples.get(cut, 0.0)
                if held > 1 + least:
                    found.append((held, cut))
    return [cut for _, cut in sorted(found, reverse=True)]
