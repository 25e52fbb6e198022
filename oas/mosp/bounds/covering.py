"""Covering jobs by sets, as a linear program that grows by column generation (worker side).

Nothing here is trusted: duals become integer weights, and exact pricing computes the bound that these prove.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor, inf
from typing import TYPE_CHECKING

from oas.lp.generation import generate_columns
from oas.lp.master import Master

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Integer weight of a dual of 1. Duals lie in [0, 1], except for jobs that no set covers; floats resolve about 2^-50.
SCALE = 2**40
_NOISE = 1e-9  # a set is added if its weight exceeds the dual of its kind by more than this
_MAGIC = 10_000.0  # cost of a column that covers all jobs and keeps the program feasible; above every useful value
_WHOLE = 1e-6  # a fraction this close to 0 or 1 counts as integral

Column = tuple[int, tuple[int, ...]]  # kind and jobs of a set
Pair = tuple[int, int]
Triple = tuple[int, int, int]


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
    constants should be around 1. For bin packing with rate_k bins of kind k and no constants, a value of at most 1
    means that the bins suffice if sets may be used in part.

    `rows`: the row of each job; interchangeable jobs share a row. `demands`: of each row. `kinds`: (rate, constant) of
    each kind of sets.

    Attributes: `values`: x_S of each set in the last solution.
    """

    def __init__(self, rows: Sequence[int], demands: Sequence[float], kinds: Sequence[tuple[float, float]]) -> None:
        super().__init__()
        self.rows = rows
        self.values: list[float] = []
        self._demands = [self.program.add_row(demand) for demand in demands]
        self._rooms = [self.program.add_row(-constant) for _, constant in kinds]
        self.program.add_column(1, self._rooms, [rate for rate, _ in kinds])
        self.program.add_column(_MAGIC, self._demands, demands)
        self._bounds: dict[int, tuple[float, float]] = {}  # by index of a set; (0, ∞) for others
        self._cuts: list[tuple[Triple, int]] = []  # with their rows

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
        cuts = [row for cut, row in self._cuts if len({*cut} & {*jobs}) > 1]
        rows = [*(self._demands[row] for row in entries), self._rooms[kind], *cuts]
        return 0.0, rows, [*map(float, entries.values()), -1.0, *(-1.0 for _ in cuts)]

    def add(self, columns: Iterable[Column]) -> bool:
        """Add sets; return whether any is new, or was excluded by its bounds."""
        columns, freed = list(columns), False
        for index in (self._index.get(self.key(column)) for column in columns):
            if index is not None:
                lower, upper = self._bounds.get(index, (0.0, inf))
                freed |= upper == 0
                self.bound(index, lower, inf)
        return super().add(columns) or freed

    def bound(self, index: int, lower: float, upper: float) -> None:
        """Set the bounds of x_S for a set, given by its index."""
        if self._bounds.get(index, (0.0, inf)) != (lower, upper):
            self._bounds[index] = (lower, upper)
            self.program.set_bounds(self._places[index], lower, upper)

    def cut(self, cut: Triple) -> None:
        """Add a subset-row cut: at most one set holds two or more of these three jobs."""
        sets = zip(self._places, self.columns, strict=True)
        columns = [place for place, (_, jobs) in sets if len({*cut} & {*jobs}) > 1]
        self._cuts.append((cut, self.program.add_row(-1.0, inf, columns, [-1.0] * len(columns))))

    def solve(self) -> tuple[float, list[float], list[float]]:
        """Return the value, the dual of each job's row and then of each cut, and of each kind."""
        value = self.program.solve()
        duals, self.values = self.program.duals(), self.amounts()
        demands = [duals[row] for row in self._demands]
        jobs_and_cuts = [*(demands[row] for row in self.rows), *(duals[row] for _, row in self._cuts)]
        return value, jobs_and_cuts, [duals[row] for row in self._rooms]


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


def broken_cuts(used: Iterable[tuple[tuple[int, ...], float]], least: float) -> list[Triple]:
    """Return the triples of items whose subset-row cut is violated, most violated first.

    The values of the sets with at least two of the three items add up to more than 1 + `least`. `used`: sets of items,
    each with its value in the solution.
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
    cuts = []
    for first, partners in friends.items():
        for second in partners:
            for third in partners & friends.get(second, set()):
                cut = (first, second, third)
                held = parts[first, second] + parts[first, third] + parts[second, third] - 2 * triples.get(cut, 0.0)
                if held > 1 + least:
                    cuts.append((held, cut))
    return [cut for _, cut in sorted(cuts, reverse=True)]


def split_pairs(used: Iterable[tuple[tuple[int, ...], float]]) -> dict[Pair, float]:
    """Return the pairs that share a set fractionally, each with the distance of the fraction to the nearest integer.

    If there are none, the sets in use are a partition.
    """
    parts: dict[Pair, float] = defaultdict(float)
    for items, amount in used:
        for pair in combinations(items, 2):
            parts[pair] += amount
    return {pair: min(part, 1 - part) for pair, part in parts.items() if _WHOLE < part < 1 - _WHOLE}
