"""Small models for Exact with their true optima, which the tests prove by enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from oas.solvers.exact import ExactTask, Question, Row, row_of

BUILDER = "oas.solvers.known.known_exact_models:build"


@dataclass(frozen=True)
class KnownExactModel:
    """0-1 variables in rows; minimise the sum of their costs."""

    name: str
    costs: tuple[int, ...]
    rows: tuple[Row, ...]
    optimum: Fraction | None  # None if there is no solution
    note: str  # the tested feature


_PAIRS = tuple(
    row_of({4 * first + hole: -1, 4 * second + hole: -1}, -1)
    for hole in range(4)
    for first, second in combinations(range(5), 2)
)
MODELS = (
    KnownExactModel(
        "cover",
        (7, 5, 4, 3, 2),
        (row_of({0: 10**6 + 3, 1: 10**6, 2: 999_999, 3: 500_001, 4: 2}, 2 * 10**6), row_of({1: -1, 2: -1}, -1)),
        Fraction(11),
        "large coefficients",
    ),
    KnownExactModel(
        "pigeons",
        (1,) * 20,
        (*_PAIRS, *(row_of(dict.fromkeys(range(4 * one, 4 * one + 4), 1), 1) for one in range(5))),
        None,
        "five pigeons in four holes: no solution, which cutting planes prove",
    ),
)


def build(name: object) -> ExactTask:
    """Return the known model of this name."""
    (data,) = (model for model in MODELS if model.name == name)

    def question(most: int) -> Question:
        within = row_of({variable: -cost for variable, cost in enumerate(data.costs)}, -most)
        return Question(len(data.costs), [*data.rows, within])

    def values(_: int, chosen: object) -> dict[tuple[str, tuple[object, ...]], float]:
        assert isinstance(chosen, list)
        return {("makespan", ()): sum(data.costs[variable] for variable in chosen)}

    return ExactTask(question, values, ("makespan", ()), sum(data.costs), 0)
