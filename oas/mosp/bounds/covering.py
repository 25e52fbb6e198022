"""Covering jobs by sets, as a linear program that grows by column generation (worker side).

Nothing here is trusted: duals become integer weights, and exact pricing computes the bound that these prove.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from oas.lp.generation import generate_columns
from oas.lp.master import Master

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Integer weight of a dual of 1. Duals lie in [0, 1], except for jobs that no set covers; floats resolve about 2^-50.
SCALE = 2**40
_NOISE = 1e-9  # a set is added if its weight exceeds the dual of its kind by more than this
_MAGIC = 10_000.0  # cost of a column that covers all jobs and keeps the program feasible; above every useful value

Column = tuple[int, tuple[int, ...]]  # kind and jobs of a set


@dataclass
class Proven:
    """The best weights so far, the bound that they prove, and the value of the program, which limits this bound."""

    value: Fraction = Fraction(0)
    weights: tuple[int, ...] = ()
    hope: float = float("inf")


def load_ratio(weight: int, room: int) -> Fraction:
    """Return the weight of jobs divided by the available capacity `room`, above 1 if they do not fit."""
    return Fraction(weight, room) if room else Fraction(2 if weight else 0)


class Covering(Master[Column]):
    """Linear program: minimise C such that sets, each used for x_S, cover all jobs within the available room.

    Σ_{S ∋ j in the row} x_S ≥ demand of the row, and Σ_{S of kind k} x_S ≤ rate_k·C + constant_k. Demands, rates and
    constants should be around 1.

    `rows`: the row of each job; interchangeable jobs share a row. `demands`: of each row. `kinds`: (rate, constant) of
    each kind of sets.
    """

    def __init__(self, rows: Sequence[int], demands: Sequence[float], kinds: Sequence[tuple[float, float]]) -> None:
        super().__init__()
        self.rows = rows
        self._demands = [self.program.add_row(demand) for demand in demands]
        self._rooms = [self.program.add_row(-constant) for _, constant in kinds]
        self.program.add_column(1, self._rooms, [rate for rate, _ in kinds])
        self.program.add_column(_MAGIC, self._demands, demands)

    def entries(self, jobs: Iterable[int]) -> Counter[int]:
        """Return how many jobs of each row a set has."""
        return Counter(self.rows[job] for job in jobs)

    def key(self, column: Column) -> tuple[int, frozenset[tuple[int, int]]]:
        """Return the kind of a set and its entries: interchangeable jobs do not make another column."""
        kind, jobs = column
        return kind, frozenset(self.entries(jobs).items())

    def terms(self, column: Column) -> tuple[float, list[int], list[float]]:
        kind, jobs = column
        entries = self.entries(jobs)
        rows = [*(self._demands[row] for row in entries), self._rooms[kind]]
        return 0.0, rows, [*map(float, entries.values()), -1.0]

    def solve(self) -> tuple[float, list[float], list[float]]:
        """Return the value, and the duals of each job's row and of each kind."""
        value = self.program.solve()
        duals = self.program.duals()
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

    `price`: ``weights -> columns`` worth adding, including the heaviest set of each kind. `prove`: ``weights -> bound``
    proven exactly. `done`: called after each pricing; column generation ends if it returns True. `start`: weights
    close to the best ones, in the scale of duals; may be empty.
    """
    proven = Proven()
    duals: list[float] = []
    rooms: list[float] = []

    def solve() -> tuple[float, list[float]]:
        nonlocal duals, rooms
        proven.hope, duals, rooms = covering.solve()
        return proven.hope, duals

    def price_and_prove(_: float, trial: Sequence[float]) -> tuple[bool, list[Column]] | None:
        weights = tuple(min(max(0, floor(weight * SCALE)), SCALE) for weight in trial)
        bound = prove(weights)
        better = bound > proven.value or not proven.weights
        if better:
            proven.value, proven.weights = bound, weights
        if done(proven):
            return None
        columns = price(weights)
        return better, [
            column for column in columns if sum(duals[job] for job in column[1]) > rooms[column[0]] + _NOISE
        ]

    generate_columns(covering, solve, price_and_prove, start)
    return proven


def further_columns(
    weights: Sequence[int],
    rounds: int,
    heaviest_sets: Callable[[Sequence[int]], Sequence[tuple[int, tuple[int, ...]]]],
) -> list[Column]:
    """Return the heaviest sets of all kinds; each further round excludes the jobs of the last kind's sets so far.

    `heaviest_sets`: ``weights -> (weight, set)`` for each kind; the last kind can hold every job.
    """
    left = list(weights)
    columns: list[Column] = []
    for _ in range(rounds):
        sets = [jobs for _, jobs in heaviest_sets(left)]
        columns += [(kind, jobs) for kind, jobs in enumerate(sets) if jobs]
        for job in sets[-1]:
            left[job] = 0
    return columns
