"""Models of fair sharing that lie in a stated way; a real solver does the lying, in its worker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pyomo.environ as pyo

from oas.core.errors import SolverError
from oas.models.formulation import Formulation
from tests.solvers.builders import market_split

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Lie:
    """What a lie is made of: the cost that the solver proves, and the starts that its answer is read as."""

    cost: int
    starts: tuple[int, ...]


def state(lie: Lie) -> pyo.ConcreteModel:
    """Build a model whose optimum is the cost."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.x >= 1)
    model.objective = pyo.Objective(expr=lie.cost * model.x)
    return model


def impossible(lie: Lie) -> pyo.ConcreteModel:
    """Build a model without a solution."""
    model = state(lie)
    model.contradiction = pyo.Constraint(expr=model.x <= 0)
    return model


def endless(_: Lie) -> pyo.ConcreteModel:
    """Build a model that no solver proves within a test."""
    return market_split((0, 40, 5))


def planted(builder: str, cost: int, starts: Sequence[int]) -> Formulation:
    """Return a model that is said to cost so much, and to start jobs so; no starts at all are nonsense."""
    return Formulation(
        name="planted",
        builder=f"{__name__}:{builder}",
        prepare=partial(_prepare, Lie(cost, tuple(starts))),
        read=_read,
        start_values=_no_start,
        ticks_of=_cost,
        summary="lies",
    )


def _prepare(lie: Lie, *_: object) -> Lie:
    return lie


def _read(lie: Lie, _: object) -> list[int]:
    if not lie.starts:
        raise SolverError("it makes no sense")
    return list(lie.starts)


def _cost(_: Lie, objective: int) -> int:
    return objective


def _no_start(*_: object) -> None:
    return None
