"""Small models that solvers have answered wrongly, with their true optima.

Each was reported in a solver's issue tracker or measured by this project. The tests prove every optimum in exact
arithmetic. Numbers are exact decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyomo.core.base.PyomoModel import ConcreteModel

BUILDER = "oas.solvers.known.known_models:build"

Number = int | str
Sense = Literal["<=", ">=", "="]
LinearRow = tuple[dict[str, Fraction], Sense, Fraction]
Range = tuple[Fraction | None, Fraction | None]

_TRICKLE = "beyond the tolerances of any floating-point solver: do not use such constants in models"


@dataclass(frozen=True)
class KnownModel:
    """Minimisation of `objective` subject to `rows`, `ranges` and integrality."""

    name: str  # solver and number of the report
    objective: Mapping[str, Fraction]  # coefficient of each variable
    rows: tuple[LinearRow, ...]  # coefficients, sense, right-hand side
    ranges: Mapping[str, Range]  # lower and upper bound of each variable; None for no bound
    integers: frozenset[str]  # the integer variables
    optimum: Fraction  # true optimal value
    note: str  # the wrong answer


def _model(
    name: str,
    objective: Mapping[str, Number],
    rows: Iterable[tuple[Mapping[str, Number], Sense, Number]],
    integers: str,
    optimum: Number,
    note: str,
    ranges: Mapping[str, tuple[Number | None, Number | None]] | None = None,
) -> KnownModel:
    """Return a model; variables without a range are at least 0."""
    exact_rows = tuple(
        ({key: Fraction(value) for key, value in row.items()}, sense, Fraction(right)) for row, sense, right in rows
    )
    names = dict.fromkeys([*objective, *(key for row, _, _ in exact_rows for key in row)])
    limits: dict[str, Range] = {key: (Fraction(0), None) for key in names}
    for key, (low, high) in (ranges or {}).items():
        limits[key] = (None if low is None else Fraction(low), None if high is None else Fraction(high))
    costs = {key: Fraction(value) for key, value in objective.items()}
    return KnownModel(name, costs, exact_rows, limits, frozenset(integers.split()), Fraction(optimum), note)


MODELS = (
    _model(
        "HiGHS #2957",
        {"x": 1, "y": 2},
        [({"x": 1, "y": 1}, ">=", "20.1")],
        integers="x",
        ranges={"x": (0, 20), "y": (8, 20)},
        optimum="28.2",
        note="HiGHS 1.14.0 answered 29",
    ),
    _model(
        "HiGHS #3043",
        {"x": 2, "z": 3},
        [({"x": 1, "z": 1}, ">=", "4.5")],
        integers="z",
        ranges={"x": (0, 10), "z": (0, 10)},
        optimum=9,
        note="HiGHS 1.14.0 answered 15",
    ),
    _model(
        "HiGHS #3073",
        {"gap": 100, "t": "0.01"},
        [
            ({"gap": 1, "x": 1}, "=", 3),
            ({"x": 1, "t": -1}, "<=", 0),
            ({"x": -1, "t": -1}, "<=", 0),
            ({"x": 1}, "<=", 3),
            ({"x": -1}, "<=", "-0.45"),
        ],
        integers="x",
        ranges={"t": (None, None)},
        optimum="0.03",
        note="HiGHS 1.14.0 answered 200.01",
    ),
    _model(
        "HiGHS #3094",
        {"d0": 10, "d1": 8},
        [
            ({"z0": 1, "x0": -1000}, "<=", 0),
            ({"z1": 1, "x1": -1000}, "<=", 0),
            ({"z0": 1, "d0": 1}, "=", 1000),
            ({"z1": 1, "d1": 1}, "=", 1000),
            ({"x0": 1, "x1": 1}, "<=", 1),
        ],
        integers="x0 x1",
        ranges={**{name: (0, 1000) for name in ("z0", "z1", "d0", "d1")}, "x0": (0, 1), "x1": (0, 1)},
        optimum=8000,
        note="HiGHS 1.14.0 answered 10000",
    ),
    _model(
        "HiGHS #2409",
        {"y": 1, "x": -1},
        [({"y": 1, "x": -1}, ">=", "0.1"), ({"y": 1, "x": 1}, ">=", "0.1")],
        integers="y",
        ranges={"x": (-10, 10), "y": (-10, 10)},
        optimum="0.1",
        note="HiGHS 1.11.0 went wrong in presolve; boxes added here",
    ),
    _model(
        "HiGHS #522",
        {"x": -2},
        [({"x": 1}, "<=", "1.5")],
        integers="x",
        ranges={"x": (-2, 2)},
        optimum=-2,
        note="an early HiGHS answered x = 1.5, or infeasible with the box",
    ),
    _model(
        "HiGHS.jl #104",
        {"x": 1},
        [({"y": 1}, "=", 1), ({"y": 1, "x": -1_000_000}, "<=", 0)],
        integers="x",
        ranges={"x": (0, 1), "y": (None, None)},
        optimum=1,
        note=f"x = 1e-6 passes for 0; {_TRICKLE}",
    ),
    _model(
        "Cbc #737",
        {"x0": 1, "x2": -1},
        [({"x0": "-0.02", "x2": "88.5"}, "<=", -1139)],
        integers="x2",
        ranges={"x0": (-200, 200), "x2": (-200, 200)},
        optimum=-187,
        note="CBC's preprocessing said infeasible",
    ),
    _model(
        "Cbc #740",
        {"x0": 1},
        [
            ({"x0": 41, "x1": 49}, "<=", -508),
            ({"x0": 22, "x1": -64}, "<=", -943),
            ({"x1": 83}, ">=", 506),
        ],
        integers="x1",
        ranges={"x0": (-200, 200), "x1": (-200, 200)},
        optimum=-200,
        note="CBC's preprocessing said infeasible",
    ),
    _model(
        "Cbc #751",
        {"a": 2, "b": -3, "c": 4},
        [
            ({"a": "3.8", "c": "83.43"}, ">=", "83.43"),
            ({"b": "-94.75"}, "<=", "-281.5"),
            ({"b": "-63.6", "c": "-85.87"}, ">=", "-277.3"),
            ({"a": 22, "b": "-92.41"}, "<=", "-274.5"),
        ],
        integers="a b c",
        optimum=-5,
        note="CBC without preprocessing said infeasible",
    ),
    _model(
        "Cbc #752",
        {"a": -36, "b": 18, "c": -11, "d": 11},
        [
            ({"b": 72}, ">=", "500.21"),
            ({"a": "-87.93", "b": "6.97", "c": "60.13", "d": "-36.45"}, "<=", "-911.3896"),
            ({"a": "93.87", "b": "6.88", "d": "-99.02"}, "<=", "70.1338"),
            ({"b": "12.18", "c": "56.24", "d": "-80.98"}, ">=", "-469.79"),
            ({"a": "32.24", "b": "-44.88", "c": "1.79", "d": "-51.37"}, ">=", "-446.893"),
        ],
        integers="a b",
        ranges={"a": (-100, 100), "c": (-100, 100), "d": (-100, 100)},
        optimum="-131.12",
        note="CBC's preprocessing said infeasible",
    ),
    _model(
        "Cbc #293",
        {"x1": 9856, "x2": 444},
        [
            ({"x1": 1, "x2": 1}, "<=", 5),
            ({"x1": "0.63", "x2": "1.27"}, "<=", "1.28"),
            ({"x1": "0.63", "x2": "1.27"}, ">=", "0.65"),
        ],
        integers="x1 x2",
        optimum=444,
        note="CBC's preprocessing led to 19712",
    ),
    _model(
        "Cbc.old #21",
        {"cost": 1},
        [
            ({"cost": 1, "a": 4, "b": 4}, ">=", 3),
            ({"cost": 1, "c": 4}, ">=", 1),
            ({"a": 1, "b": 1, "c": 1}, "=", 1),
        ],
        integers="a",
        ranges={"a": (0, 1)},
        optimum=0,
        note="CBC's preprocessing missed the optimum",
    ),
    _model(
        "trickle flow",
        {"end": 1},
        [
            ({"end": 1, "s1": -1}, ">=", 10),
            ({"end": 1, "s2": -1}, ">=", 10),
            ({"s1": 1, "s2": -1, "y": 10_000_000}, "<=", 9_999_990),
            ({"s2": 1, "s1": -1, "y": -10_000_000}, "<=", -10),
        ],
        integers="y",
        ranges={"y": (0, 1)},
        optimum=20,
        note=f"two jobs of 10 on one machine, big-M 1e7: y = 1e-6 lets both run at once; {_TRICKLE}",
    ),
)


def build(name: object) -> ConcreteModel:
    """Return the known model of this name as a Pyomo model."""
    import pyomo.environ as pyo

    (data,) = (model for model in MODELS if model.name == name)
    model = pyo.ConcreteModel(name=data.name)
    model.x = pyo.Var(
        list(data.ranges),
        domain=lambda _, key: pyo.Integers if key in data.integers else pyo.Reals,
        bounds=lambda _, key: tuple(None if limit is None else float(limit) for limit in data.ranges[key]),
    )
    model.rows = pyo.ConstraintList()
    for row, sense, right in data.rows:
        left = sum(float(factor) * model.x[key] for key, factor in row.items())
        if sense == "=":
            model.rows.add(left == float(right))
        else:
            model.rows.add(left <= float(right) if sense == "<=" else left >= float(right))
    model.cost = pyo.Objective(expr=sum(float(factor) * model.x[key] for key, factor in data.objective.items()))
    return model
