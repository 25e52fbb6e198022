"""Covering jobs by sets, as a linear program that grows by column generation (worker side).

Nothing here is trusted: what the duals prove is computed from integers, by exact pricing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Duals lie in [0, 1], but for jobs that no set covers: floats tell them apart to some 2^-50.
SCALE = 2**40
# What a set must weigh beyond its kind's dual to be worth adding: less is noise of the program.
_NOISE = 1e-9
# Weights are priced where they are so far from the best known towards the program's own (Wentges smoothing).
_STEP = 0.3
# What it costs to cover every job at once, as if by magic: above any value of the program that matters.
_MAGIC = 10_000.0

# A set of jobs, of a kind.
Column = tuple[int, tuple[int, ...]]


@dataclass
class Proven:
    """The best weights so far with the bound that they prove, and the program's estimate of what is still possible."""

    value: Fraction = Fraction(0)
    weights: tuple[int, ...] = ()
    hope: float = float("inf")


class Covering:
    """Minimise C such that sets, each x_S long, cover jobs and have room.

    Σ_{S ∋ j in the row} x_S ≥ demand of the row, and Σ_{S of kind k} x_S ≤ rate_k·C + constant_k. Demands, rates and
    constants are best around 1.

    Parameters
    ----------
    rows
        The row of each job: jobs that may stand for one another share one.
    demands
        Of each row.
    kinds
        (rate, constant) of each kind of sets.
    """

    def __init__(self, rows: Sequence[int], demands: Sequence[float], kinds: Sequence[tuple[float, float]]) -> None:
        # Looking up the bounds loads this module, and a re-check must load no solver.
        from oas.solvers.lp import LinearProgram

        self.rows = rows
        self._program = LinearProgram()
        self._demands = [self._program.add_row(demand) for demand in demands]
        self._rooms = [self._program.add_row(-constant) for _, constant in kinds]
        self._program.add_column(1, self._rooms, [rate for rate, _ in kinds])
        self._program.add_column(_MAGIC, self._demands, demands)
        self._known: set[tuple[int, frozenset[tuple[int, int]]]] = set()

    def add(self, columns: Iterable[Column]) -> bool:
        """Add sets; return whether any is new."""
        new = False
        for kind, jobs in columns:
            entries: dict[int, int] = {}
            for job in jobs:
                entries[self.rows[job]] = entries.get(self.rows[job], 0) + 1
            key = (kind, frozenset(entries.items()))
            if key not in self._known:
                rows = [self._demands[row] for row in entries]
                self._program.add_column(0, [*rows, self._rooms[kind]], [*entries.values(), -1])
                self._known.add(key)
                new = True
        return new

    def solve(self) -> tuple[float, list[float], list[float]]:
        """Return the value, the dual of each job's row, and of each kind."""
        value = self._program.solve()
        duals = self._program.duals()
        demands = [duals[row] for row in self._demands]
        return value, [demands[row] for row in self.rows], [duals[row] for row in self._rooms]


def generate(
    covering: Covering,
    price: Callable[[Sequence[int]], Iterable[Column]],
    prove: Callable[[Sequence[int]], Fraction],
    done: Callable[[Proven], bool],
    start: Sequence[float] = (),
) -> Proven:
    """Generate columns until `done` or no set is missing.

    Parameters
    ----------
    price
        Sets worth adding for these weights of the jobs, the heaviest of each kind among them.
    prove
        What the weights prove, exactly.
    done
        Asked after each pricing.
    start
        Weights near which to begin, as duals would be; none if empty.
    """
    proven = Proven()
    centre = list(start)
    smooth = bool(start)
    while True:
        value, duals, rooms = covering.solve()
        proven.hope = value
        trial = duals
        if smooth:
            trial = [_STEP * own + (1 - _STEP) * best for own, best in zip(duals, centre, strict=True)]
        weights = tuple(min(max(0, floor(one * SCALE)), SCALE) for one in trial)
        bound = prove(weights)
        if bound > proven.value or not proven.weights:
            proven.value, proven.weights, centre = bound, weights, trial
        if done(proven):
            return proven
        columns = [
            (kind, jobs) for kind, jobs in price(weights) if sum(duals[job] for job in jobs) > rooms[kind] + _NOISE
        ]
        if covering.add(columns):
            smooth = True
        elif smooth:
            smooth = False  # the same program again, at its own duals
        else:
            return proven
