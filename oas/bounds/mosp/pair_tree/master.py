"""Covering items by bins, as a linear program whose columns can be fixed and forbidden (worker side)."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from oas.bounds.mosp.covering import Column, Covering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.bounds.mosp.pair_tree.packing import Pair, Triple


class Master(Covering):
    """Minimise t such that x_S bins hold the set S, every row is covered, and Σ x_S ≤ n_k·t over the sets of kind k.

    Its value is at most 1 where the bins suffice, but for integrality.

    Parameters
    ----------
    rows, demands
        As for a `Covering`.
    counts
        n_k, at least 1.

    Attributes
    ----------
    columns
        The sets, each with its kind.
    values
        x_S of each at the last solution.
    """

    def __init__(self, rows: Sequence[int], demands: Sequence[float], counts: Sequence[int]) -> None:
        super().__init__(rows, demands, [(float(count), 0.0) for count in counts])
        self.columns: list[Column] = []
        self.values: list[float] = []
        self._index: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        self._bounds: list[tuple[float, float]] = []
        self._places: list[int] = []
        self.cuts: list[Triple] = []
        self._cut_rows: list[int] = []

    def cut(self, cut: Triple) -> None:
        """Let at most one set hold two of these three items or more; its dual comes after those of the items."""
        own = [place for place, (_, jobs) in zip(self._places, self.columns, strict=True) if len({*cut} & {*jobs}) > 1]
        self._cut_rows.append(self._program.add_row(-1.0, math.inf, own, [-1.0] * len(own)))
        self.cuts.append(cut)

    def entries(self, jobs: Iterable[int]) -> dict[int, int]:
        """Return how many items of each row a set has."""
        found: dict[int, int] = {}
        for job in jobs:
            found[self.rows[job]] = found.get(self.rows[job], 0) + 1
        return found

    def add(self, columns: Iterable[Column]) -> bool:
        """Add sets; return whether any is new, or was forbidden."""
        new = False
        for kind, jobs in columns:
            entries = self.entries(jobs)
            key = (kind, frozenset(entries.items()))
            index = self._index.get(key)
            if index is not None:
                new |= self._bounds[index][1] == 0
                self.bound(index, self._bounds[index][0], math.inf)
                continue
            self._index[key] = len(self.columns)
            self.columns.append((kind, jobs))
            self._bounds.append((0.0, math.inf))
            rows = [self._demands[row] for row in entries]
            cuts = [row for cut, row in zip(self.cuts, self._cut_rows, strict=True) if len({*cut} & {*jobs}) > 1]
            values = [*entries.values(), -1, *(-1 for _ in cuts)]
            self._places.append(self._program.add_column(0, [*rows, self._rooms[kind], *cuts], values))
            new = True
        return new

    def bound(self, index: int, lower: float, upper: float) -> None:
        """Let x_S of a set be in between."""
        if self._bounds[index] != (lower, upper):
            self._bounds[index] = (lower, upper)
            self._program.set_bounds(self._places[index], lower, upper)

    def solve(self) -> tuple[float, list[float], list[float]]:
        """Return the value, the dual of each item's row and then of each cut, and of each kind."""
        value, duals, rooms = super().solve()
        primal = self._program.primal()
        self.values = [primal[place] for place in self._places]
        if self._cut_rows:
            priced = self._program.duals()
            duals = [*duals, *(priced[row] for row in self._cut_rows)]
        return value, duals, rooms


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
