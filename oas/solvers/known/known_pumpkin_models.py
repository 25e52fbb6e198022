"""Small models for Pumpkin with their true optima, which the tests prove by enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from oas.solvers.pumpkin import PumpkinTask, Question, Resource

BUILDER = "oas.solvers.known.known_pumpkin_models:build"


@dataclass(frozen=True)
class KnownPumpkinModel:
    """Jobs on a number of processors; minimise the end of the last one."""

    name: str
    times: tuple[int, ...]
    resources: tuple[Resource, ...]
    optimum: Fraction
    note: str  # the tested feature
    orders: tuple[tuple[int, int], ...] = ()


_ALL = list(range(4))
MODELS = (
    KnownPumpkinModel(
        "fixed loads",
        (4, 3, 3, 2),
        (Resource(_ALL, [2, 2, 1, 3], [(3, 5, 4), (8, 9, 3)], 4), Resource([1], [1], [(0, 6, 1)], 1)),
        Fraction(13),
        "cumulative constraints, fixed loads, and a job that is shut out for some time",
    ),
    KnownPumpkinModel(
        "orders", (5, 5, 1, 3), (Resource(_ALL, [1, 1, 1, 1], [], 2),), Fraction(8), "orders", ((3, 0), (3, 1), (0, 2))
    ),
)


def build(name: object) -> PumpkinTask:
    """Return the known model of this name."""
    (data,) = (model for model in MODELS if model.name == name)

    def question(makespan: int) -> Question:
        return Question(makespan, data.times, data.resources, data.orders)

    def values(_: int, starts: object) -> dict[tuple[str, tuple[object, ...]], float]:
        assert isinstance(starts, list)
        return {("makespan", ()): max(start + time for start, time in zip(starts, data.times, strict=True))}

    return PumpkinTask(question, values, ("makespan", ()), int(data.optimum or 0) + 3, 0)
