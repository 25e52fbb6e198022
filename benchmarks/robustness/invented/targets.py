"""Instances of co-allocation under attack, in both readings, and the judgement of an attempt."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import ceil, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.robustness.invented.drawing import draw_document
from benchmarks.robustness.invented.grids import Grid, keeps
from oas.checker.coallocation_instance import read_coallocation
from oas.checker.reading import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction as F
    from random import Random

    from benchmarks.robustness.invented.drawing import Document
    from benchmarks.robustness.invented.grids import Ran

# Limits of the products of the numbers of options, with links that slow jobs down also of starts
MOST_CASES = 3000
MOST_SLOWED_CASES = 500


class Attempt(NamedTuple):
    """An attempt: whether something was confirmed, whether it meets the optimum of its case, and its fault if any."""

    confirmed: bool
    met: bool = False
    fault: str = ""


class Target:
    """An instance."""

    def __init__(self, document: Document) -> None:
        self.document, self.grid = document, Grid(document)
        self.own = read_coallocation(document)
        self.all = [frozenset(range(len(own))) for own in self.grid.options]
        self._schedules: list[Ran] | None = None

    @property
    def schedules(self) -> list[Ran]:
        """Schedules with saturated links, shortest first."""
        if self._schedules is None:
            self._schedules = self.grid.schedules()
        return self._schedules

    @property
    def is_crowded(self) -> bool:
        """Whether some jobs are slower in pairs than alone."""
        items = [(job, option) for job, own in enumerate(self.all) for option in sorted(own)]
        pairs = (pair for pair in combinations(items, 2) if pair[0][0] != pair[1][0] and self.grid.fit(pair))
        return any(self.grid.progress(pair) != tuple(self.grid.progress((one,))[0] for one in pair) for pair in pairs)

    def optimum(self, allowed: Sequence[frozenset[int]]) -> F | None:
        """Return the shortest makespan with these options of each job; None if there is no schedule."""
        if not all(allowed):
            return None
        if not self.grid.slows:
            return self.grid.shortest(tuple(allowed))
        return next((ran.makespan for ran in self.schedules if keeps(ran, allowed, ())), None)


def draw_target(draw: Random, *, slows: bool, slotted: bool | None = None, crowded: bool = True) -> Target:
    """Return an instance whose jobs have allocations, few if links slow jobs down, and mostly `crowded` ones."""
    most, clusters = (6, (2, 3, 3)) if slows else (5, (1, 2, 2, 3))
    while True:
        target = Target(draw_document(draw, slows=slows, slotted=slotted, most=most, clusters=clusters))
        cases = prod(map(len, target.all))
        if slows and target.grid.slot:
            longest = sum(ceil(max(one.time for one in own) / target.grid.slot) for own in target.grid.options if own)
            cases *= longest ** (len(target.all) - 1)
        few = 0 < cases <= (MOST_SLOWED_CASES if slows else MOST_CASES)
        if few and (not (slows and crowded) or target.is_crowded or draw.random() < 0.1):
            return target


def judged(value: F, optimum: F | None, what: object) -> Attempt:
    """Return the attempt for a confirmed value of a case with this optimum; with None anything is true."""
    if optimum is None:
        return Attempt(confirmed=True)
    return Attempt(value > 0, value == optimum, f"{value} above {optimum}: {what}" if value > optimum else "")


def whole(target: Target, check: Callable[[Any, Any], F], certificate: Document) -> Attempt:
    """Return the attempt for a whole certificate."""
    try:
        value = check(target.own, certificate)
    except Refused:
        return Attempt(confirmed=False)
    return judged(value, target.optimum(target.all), (certificate, target.document))


def split_in_parts(draw: Random, choices: Sequence[int]) -> list[list[int]]:
    """Return the choices in at least two parts."""
    mixed = draw.sample(list(choices), len(choices))
    cuts = [0, *sorted(draw.sample(range(1, len(mixed)), draw.randint(1, len(mixed) - 1))), len(mixed)]
    return [mixed[begin:end] for begin, end in pairwise(cuts)]
