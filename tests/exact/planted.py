"""Formulations that lie in a stated way; the worker imports their builders by name, so a real solver does the lying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyomo.environ as pyo

from oas.core.errors import TooLargeError
from oas.core.schedule import runs_from_schedule
from oas.models.formulation import Formulation
from tests.solvers.builders import market_split

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Run, Schedule


@dataclass(frozen=True)
class Spec:
    """What a lie is made of: the objective that the solver will prove, and the runs that its answer is read as."""

    objective: int
    runs: tuple[Run, ...]


def state(spec: Spec) -> pyo.ConcreteModel:
    """Build a model whose optimum is the objective asked for."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.x >= 1)
    model.objective = pyo.Objective(expr=spec.objective * model.x)
    return model


def impossible(spec: Spec) -> pyo.ConcreteModel:
    """Build a model without a solution."""
    model = state(spec)
    model.contradiction = pyo.Constraint(expr=model.x <= 0)
    return model


def endless(_: Spec) -> pyo.ConcreteModel:
    """Build a model that no solver proves within a test."""
    return market_split((0, 40, 5))


def too_large(_: Spec) -> pyo.ConcreteModel:
    """Notice while building that the model is too large."""
    raise TooLargeError("the planted model would have 10 rows, above 9")


def planted(
    builder: str,
    objective: Callable[[int, int], int],
    read: Callable[[CoallocationInstance], Schedule | list[Run]],
) -> Formulation:
    """Return a formulation whose solver states ``objective(horizon, lower_bound)`` ticks and answers ``read``."""

    def prepare(instance, scaled, horizon: int, lower_bound: int) -> Spec:
        answer = read(instance)
        runs = answer if isinstance(answer, list) else runs_from_schedule(instance, scaled, answer)
        return Spec(objective(horizon, lower_bound), tuple(runs))

    return Formulation(
        name="planted",
        builder=f"{__name__}:{builder}",
        prepare=prepare,
        read=lambda spec, _: list(spec.runs),
        start_values=lambda *_: None,
        ticks_of=lambda _, objective: objective,
        summary="lies",
    )
