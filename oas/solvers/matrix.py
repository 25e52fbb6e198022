"""A linear model as numbers, without code or names: it crosses to the worker whatever a user has put into a model.

`of_model` reads a Pyomo model. The other functions run in the worker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, SolverError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.solvers.isolation.protocol import Session


LARGEST_COUNT = 10**6


@dataclass(frozen=True)
class Row:
    """lower ≤ Σ coefficient · column ≤ upper."""

    name: str  # of the constraint
    family: str  # name of its component
    lower: float
    upper: float
    columns: tuple[int, ...]
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class Matrix:
    """Minimise offset + Σ cost · column within rows and bounds."""

    costs: tuple[float, ...]
    offset: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    integer: tuple[bool, ...]
    rows: tuple[Row, ...]

    @property
    def is_binary(self) -> bool:
        """Whether all columns are binary."""
        return all(self.integer) and min(self.lower, default=0) >= 0 and max(self.upper, default=1) <= 1

    @cached_property
    def unit(self) -> Fraction | None:
        """A number of which objective - offset is a multiple at all points with integers in the integer columns.

        It is the greatest one; None if there is none, or more than a million of it are in a cost.
        """
        costs = [Fraction(cost) for cost in self.costs if cost]
        if not all(integer for cost, integer in zip(self.costs, self.integer, strict=True) if cost):
            return None
        whole = math.lcm(*(cost.denominator for cost in costs))
        unit = Fraction(math.gcd(*(int(cost * whole) for cost in costs)) or 1, whole)
        return unit if all(abs(cost) <= LARGEST_COUNT * unit for cost in costs) else None

    def counted(self) -> Matrix:
        """Return the model with the objective (objective - offset) / unit, small integers; itself without a unit."""
        unit = self.unit
        if unit is None:
            return self
        return replace(self, costs=tuple(float(Fraction(cost) / unit) for cost in self.costs), offset=0.0)

    @cached_property
    def nonzeros(self) -> int:
        """Number of coefficients in the rows."""
        return sum(len(row.columns) for row in self.rows)


def of_model(model: Any) -> tuple[Matrix, list[Any]]:
    """Return a Pyomo model as a matrix, and the variable of each column; fixed variables are constants.

    A constraint without free variables is left out if it holds. Raises `InputError` for a model that is not linear, has
    components other than linear constraints, or an objective that is not minimised.
    """
    import pyomo.environ as pyo
    from pyomo.core.base.component import ActiveComponent
    from pyomo.repn import generate_standard_repn

    from oas.solvers.variables import check_model

    check_model(model, "model")
    for component in model.component_objects(active=True, descend_into=True):
        if isinstance(component, ActiveComponent) and component.ctype not in (
            pyo.Constraint,
            pyo.Objective,
            pyo.Block,
            pyo.Suffix,
        ):
            raise InputError(f"{component.ctype.__name__} is not supported: rows must be linear", field=component.name)
    place: dict[int, int] = {}
    variables: list[Any] = []

    def terms(expression: Any, name: str) -> tuple[float, tuple[int, ...], tuple[float, ...]]:
        parts = generate_standard_repn(expression, quadratic=False)
        if not parts.is_linear():
            raise InputError("is not linear", field=name)
        for variable in parts.linear_vars:
            if id(variable) not in place:
                place[id(variable)] = len(variables)
                variables.append(variable)
        columns = tuple(place[id(variable)] for variable in parts.linear_vars)
        return float(parts.constant), columns, tuple(map(float, parts.linear_coefs))

    rows = []
    for constraint in model.component_data_objects(pyo.Constraint, active=True):
        constant, columns, coefficients = terms(constraint.body, constraint.name)
        low = -math.inf if constraint.lower is None else float(pyo.value(constraint.lower)) - constant
        high = math.inf if constraint.upper is None else float(pyo.value(constraint.upper)) - constant
        if columns or not low <= 0 <= high:
            family = constraint.parent_component().name
            rows.append(Row(constraint.name, family, low, high, columns, coefficients))
    (objective,) = model.component_data_objects(pyo.Objective, active=True)
    offset, priced, prices = terms(objective.expr, objective.name)
    costs = dict(zip(priced, prices, strict=True))
    bounds = [variable.bounds for variable in variables]
    matrix = Matrix(
        tuple(costs.get(column, 0.0) for column in range(len(variables))),
        offset,
        tuple(-math.inf if low is None else float(low) for low, _ in bounds),
        tuple(math.inf if high is None else float(high) for _, high in bounds),
        tuple(not variable.is_continuous() for variable in variables),
        tuple(rows),
    )
    return matrix, variables


def build(matrix: Matrix) -> Any:
    """Return the matrix as a Pyomo model with variables x[column].

    Raises `InputError` for a row without columns, which can never hold.
    """
    import pyomo.environ as pyo
    from pyomo.core.expr.numeric_expr import LinearExpression

    model = pyo.ConcreteModel("matrix")

    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    def linear(columns: Sequence[int], coefficients: Sequence[float], constant: float = 0.0) -> Any:
        variables = [model.x[column] for column in columns]
        return LinearExpression(constant=constant, linear_coefs=list(coefficients), linear_vars=variables)

    def row(_: Any, index: int) -> Any:
        one = matrix.rows[index]
        if not one.columns:
            raise InputError("can never hold: it has no free variable", field=one.name)
        return finite(one.lower), linear(one.columns, one.coefficients), finite(one.upper)

    model.x = pyo.Var(
        range(len(matrix.costs)),
        domain=lambda _, column: pyo.Integers if matrix.integer[column] else pyo.Reals,
        bounds=lambda _, column: (finite(matrix.lower[column]), finite(matrix.upper[column])),
    )
    model.rows = pyo.Constraint(range(len(matrix.rows)), rule=row)
    priced = [column for column, cost in enumerate(matrix.costs) if cost]
    expression = linear(priced, [matrix.costs[column] for column in priced], matrix.offset)
    model.objective = pyo.Objective(expr=expression, sense=pyo.minimize)
    return model


@dataclass(frozen=True)
class LinearOptimum:
    """The answer of `solve_relaxation`."""

    status: str  # of HiGHS; ``kOptimal`` for an optimum
    objective: float = math.nan
    point: tuple[float, ...] = ()  # value of each column
    bound: Fraction | None = None  # proven lower bound on the objective; None if the duals prove none


def solve_relaxation(given: tuple[Matrix, Mapping[int, float]], session: Session) -> LinearOptimum:
    """Minimise without integrality, with the given columns fixed, by HiGHS on one thread."""
    matrix, fixed = given
    engine = _silent(matrix, fixed, session)
    engine.run()
    status = engine.getModelStatus().name
    if status == "kModelEmpty":
        return LinearOptimum("kOptimal", matrix.offset, (), Fraction(matrix.offset))
    if status != "kOptimal":
        return LinearOptimum(status)
    answer = engine.getSolution()
    bound = None if fixed else proven_bound(matrix, list(answer.row_dual))
    return LinearOptimum(status, float(engine.getObjectiveValue()), tuple(answer.col_value), bound)


def presolved_size(matrix: Matrix, session: Session) -> tuple[int, int, int] | None:
    """Return rows, columns and nonzeros after HiGHS's presolve; None if it did not end, or found no solution."""
    engine = _silent(matrix, {}, session, integral=True)
    engine.presolve()
    status = engine.getModelPresolveStatus().name
    if status == "kNotReduced":
        return len(matrix.rows), len(matrix.costs), matrix.nonzeros
    if status not in ("kReduced", "kReducedToEmpty"):
        return None
    program = engine.getPresolvedLp()
    return program.num_row_, program.num_col_, len(program.a_matrix_.value_)


def _silent(matrix: Matrix, fixed: Mapping[int, float], session: Session, integral: bool = False) -> Any:
    """Return a silent HiGHS with the model, the time left and one thread."""
    import highspy

    engine = highspy.Highs()
    engine.silent()
    pass_to(engine, matrix, fixed, integral)
    engine.setOptionValue("threads", 1)
    left = session.time_left()
    if left is not None:
        engine.setOptionValue("time_limit", left)
    return engine


def pass_to(engine: Any, matrix: Matrix, fixed: Mapping[int, float], integral: bool) -> None:
    """Pass the model to HiGHS, with the given columns fixed, and with or without integrality."""
    import highspy
    import numpy as np

    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(matrix.costs), len(matrix.rows)
    program.col_cost_, program.offset_ = np.array(matrix.costs, dtype=np.double), matrix.offset
    lower, upper = np.array(matrix.lower, dtype=np.double), np.array(matrix.upper, dtype=np.double)
    for column, value in fixed.items():
        lower[column] = upper[column] = value
    program.col_lower_, program.col_upper_ = lower, upper
    program.row_lower_ = np.array([row.lower for row in matrix.rows], dtype=np.double)
    program.row_upper_ = np.array([row.upper for row in matrix.rows], dtype=np.double)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lengths = [len(row.columns) for row in matrix.rows]
    program.a_matrix_.start_ = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    program.a_matrix_.index_ = np.array([one for row in matrix.rows for one in row.columns], dtype=np.int32)
    program.a_matrix_.value_ = np.array([one for row in matrix.rows for one in row.coefficients], dtype=np.double)
    if integral:
        kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        program.integrality_ = [kinds[integer] for integer in matrix.integer]
    if engine.passModel(program).name == "kError":
        raise SolverError("HiGHS refuses the model")


SCALE = 2**40


def proven_bound(matrix: Matrix, duals: Sequence[float]) -> Fraction | None:
    """Return a lower bound on the objective of all points within rows and bounds, or None; exact for any duals.

    Σ y·b + Σ min (c − y·A)·x, where b is the side of each row that its dual y asks for, and each column x is at the
    better one of its bounds (Neumaier and Shcherbina, Mathematical Programming 99, 2004). The duals are rounded to
    multiples of 2^-40 first, so that the arithmetic is in integers. None if a column without a bound is needed.
    """
    total: Fraction | int = 0
    prices = [exact(cost) * SCALE for cost in matrix.costs]
    for row, dual in zip(matrix.rows, duals, strict=True):
        scaled = dual * SCALE
        factor = round(scaled) if math.isfinite(scaled) else 0
        side = row.lower if factor > 0 else row.upper
        if factor and math.isfinite(side):
            total += factor * exact(side)
            for column, coefficient in zip(row.columns, row.coefficients, strict=True):
                prices[column] -= factor * exact(coefficient)
    for price, lower, upper in zip(prices, matrix.lower, matrix.upper, strict=True):
        if price:
            side = lower if price > 0 else upper
            if not math.isfinite(side):
                return None
            total += price * exact(side)
    return Fraction(total) / SCALE + Fraction(matrix.offset)


def exact(value: float) -> Fraction | int:
    """Return the exact value of a float, as an int if possible."""
    return int(value) if value.is_integer() else Fraction(value)
