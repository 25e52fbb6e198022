"""A Pyomo model as an adapter needs it: numbers by column, and the names of the discrete variables (worker side)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyomo.core.base.var import Var

from oas.core.errors import InputError
from oas.solvers.matrix import of_model
from oas.solvers.task import integer_gap
from oas.solvers.variables import discrete_variables, integral, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyomo.core.base.PyomoModel import ConcreteModel

    from oas.solvers.task import Key, Settings


class Program:
    """A linear model whose columns are the variables that occur in it; fixed variables are constants.

    Attributes
    ----------
    model
        The Pyomo model.
    matrix
        The model as numbers.
    columns
        Column of each variable, by the ``id`` of its object in the model.
    start
        Value of each discrete column in the warm start, and of others that it gives; None without one.
    """

    def __init__(self, model: ConcreteModel, start: Mapping[Key, float] | None) -> None:
        self.model = model
        self.matrix, variables = of_model(model)
        columns = self.columns = {id(variable): column for column, variable in enumerate(variables)}
        discrete = discrete_variables(model)
        self._free = [(key_of(one), columns[id(one)]) for one in discrete if id(one) in columns]
        self._fixed = [(key_of(one), one.value) for one in discrete if one.fixed]
        self.start: dict[int, float] | None = None
        if start is not None:
            known = {key_of(one): columns.get(id(one)) for one in model.component_data_objects(Var, active=True)}
            for key in start.keys() - known:
                raise InputError("no such variable in the model", field="start", value=key)
            given = dict.fromkeys((key for key, _ in self._free), 0.0) | dict(start)
            self.start = {column: float(given[key]) for key in given if (column := known[key]) is not None}

    def write(self, path: Path) -> list[str]:
        """Write the model to an LP file, and return the name of each column in it.

        Pyomo's names are short: the user's may be longer than solvers allow.
        """
        _, number = self.model.write(str(path), io_options={"symbolic_solver_labels": False})
        symbols = self.model.solutions.symbol_map[number].byObject
        return [symbols[identity] for identity in self.columns]

    def values(self, point: Sequence[float | None]) -> dict[Key, float] | None:
        """Return the nonzero discrete values at a point; None if they are not integral."""
        return integral([*((key, point[column]) for key, column in self._free), *self._fixed])

    def objective(self, point: Sequence[float | None]) -> float | None:
        """Return the objective at a point; None if a variable in it has no value."""
        terms = [(cost, value) for cost, value in zip(self.matrix.costs, point, strict=False) if cost]
        if any(value is None for _, value in terms):
            return None
        return math.fsum([self.matrix.offset, *(cost * (value or 0) for cost, value in terms)])

    @property
    def magnitude(self) -> float:
        """The largest absolute value of the objective within the bounds of the columns; may be infinite."""
        matrix = self.matrix
        columns = zip(matrix.costs, matrix.lower, matrix.upper, strict=True)
        return abs(matrix.offset) + sum(abs(cost) * max(abs(low), abs(high)) for cost, low, high in columns if cost)

    def gap(self, settings: Settings) -> float:
        """Return the absolute gap within which the search may stop."""
        return settings.slack + (integer_gap(self.magnitude) if settings.integer_objective else 0.0)
