"""Variables of a Pyomo model by names that cross processes (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyomo.core.base.objective import Objective
from pyomo.core.base.PyomoModel import ConcreteModel
from pyomo.core.base.var import Var
from pyomo.core.kernel.objective import minimize

from oas.core.errors import InputError
from oas.solvers.task import INTEGRALITY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyomo.core.base.var import VarData

    from oas.solvers.task import Key


def check_model(model: object, builder: str) -> ConcreteModel:
    """Return `model`; raises `InputError` unless it is a ConcreteModel with exactly one active objective to minimise.

    Maximisation is refused, because CBC's plugin then gives bounds of the wrong sign.
    """
    if not isinstance(model, ConcreteModel):
        raise InputError("does not return a ConcreteModel", field="builder", value=builder)
    objectives = list(model.component_data_objects(Objective, active=True))
    if len(objectives) != 1 or objectives[0].sense != minimize:
        raise InputError("needs exactly one active objective, to be minimised", field="builder", value=builder)
    return model


def key_of(variable: VarData) -> Key:
    """Return the name and the index of `variable`."""
    component = variable.parent_component()
    if not component.is_indexed():
        return component.name, ()
    index = variable.index()
    return component.name, index if isinstance(index, tuple) else (index,)


def discrete_variables(model: ConcreteModel) -> list[VarData]:
    """Return the discrete variables on active blocks, including fixed ones."""
    return [variable for variable in model.component_data_objects(Var, active=True) if not variable.is_continuous()]


def integral(values: Iterable[tuple[Key, float | None]]) -> dict[Key, float] | None:
    """Return the nonzero values as integers; None if a value is missing or not within 1e-5 of an integer."""
    rounded: dict[Key, float] = {}
    for key, value in values:
        if value is None or not abs(value) < 2**53:
            return None
        nearest = round(value)
        if abs(value - nearest) > INTEGRALITY:
            return None
        if nearest:
            rounded[key] = float(nearest)
    return rounded
