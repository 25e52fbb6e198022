"""Values of variables in the start-indexed model of fair sharing, and the rows that they break."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo

from oas.models.fair.start_indexed import FairStartSpec, formulation
from oas.models.fair.start_indexed_model import build
from oas.problems.fair.objectives import Objective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.objectives import ScheduleClass
    from oas.solvers.task import Key


def spec_of(
    instance: FairInstance, objective: Objective, wanted: ScheduleClass, horizon: int | None = None, bound: int = 0
) -> FairStartSpec:
    until = instance.horizon if horizon is None else horizon
    found: Any = formulation(objective, wanted).prepare(instance, instance.scaled(), until, bound)
    assert isinstance(found, FairStartSpec)
    return found


def unreduced(
    instance: FairInstance, objective: Objective, wanted: ScheduleClass, horizon: int | None = None
) -> FairStartSpec:
    """Every moment, every start from the release on, and no symmetry taken away."""
    spec = spec_of(instance, objective, wanted, horizon)
    ending = objective is Objective.MAKESPAN
    starts = tuple(
        tuple(range(release, spec.until - (time - 1) * ending))
        for release, time in zip(spec.releases, spec.times, strict=True)
    )
    certain = (ending,) * len(starts)
    return replace(spec, moments=tuple(range(spec.until)), starts=starts, certain=certain, alike=())


def put(spec: FairStartSpec, values: Mapping[Key, float]) -> pyo.ConcreteModel:
    """The model with these values, all others 0."""
    model = build(spec)
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0)
    for (name, index), value in values.items():
        model.component(name)[index if len(index) > 1 else index[0]].set_value(value)
    return model


def broken(spec: FairStartSpec, values: Mapping[Key, float]) -> set[str]:
    """Families with a row that the values break."""
    found = set()
    for row in put(spec, values).component_data_objects(pyo.Constraint, active=True):
        body = pyo.value(row.body)
        low, high = pyo.value(row.lower), pyo.value(row.upper)
        if (low is not None and body < low) or (high is not None and body > high):
            found.add(row.parent_component().local_name)
    return found
