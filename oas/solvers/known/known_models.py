"""Small models that solvers have answered wrongly, with their true optima.

Each was reported in a solver's issue tracker or measured by this project. Numbers are exact decimals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyomo.core.base.PyomoModel import ConcreteModel

BUILDER = "oas.solvers.known.known_models:build"

Number = int | str  # exact decimal

_TRICKLE = "beyond the tolerances of any floating-point solver: do not use such constants in models"


@dataclass(frozen=True)
class KnownModel:
    """Minimisation of `objective` subject to `rows`, `ranges` and integrality."""

    name: str  # solver and number of the report
    objective: Mapping[str, Number]  # coefficient of each variable
    rows: Sequence[tuple[Mapping[str, Number], Literal["<=", ">=", "="], Number]]  # coefficients, right-hand side
    integers: str  # names of the integer variables
    optimum: Fraction  # true optimal value
    note: str  # the wrong answer
    # Lower and upper bound of variables, None for no bound; others are at least 0
    ranges: Mapping[str, tuple[Number | None, Number | None]] = field(default_factory=dict)


MODELS = (
    KnownModel(
        "HiGHS #2957",
        {"x": 1, "y": 2},
        [({"x": 1, "y": 1}, ">=", "20.1")],
        integers="x",
        ranges={"x": (0, 20), "y": (8, 20)},
        optimum=Fraction("28.2"),
        note="HiGHS 1.14.0 answered 29",
    ),
    KnownModel(
        "HiGHS #3043",
        {"x": 2, "z": 3},
        [({"x": 1, "z": 1}, ">=", "4.5")],
        integers="z",
        ranges={"x": (0, 10), "z": (0, 10)},
        optimum=Fraction(9),
        note="HiGHS 1.14.0 answered 15",
    ),
    KnownModel(
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
        optimum=Fraction("0.03"),
        note="HiGHS 1.14.0 answered 200.01",
    ),
    KnownModel(
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
        optimum=Fraction(8000),
        note="HiGHS 1.14.0 answered 10000",
    ),
    KnownModel(
        "HiGHS #2409",
        {"y": 1, "x": -1},
        [({"y": 1, "x": -1}, ">=", "0.1"), ({"y": 1, "x": 1}, ">=", "0.1")],
        integers="y",
        ranges={"x": (-10, 10), "y": (-10, 10)},
        optimum=Fraction("0.1"),
        note="HiGHS 1.11.0 went wrong in presolve; boxes added here",
    ),
    KnownModel(
        "HiGHS #522",
        {"x": -2},
        [({"x": 1}, "<=", "1.5")],
        integers="x",
        ranges={"x": (-2, 2)},
        optimum=Fraction(-2),
        note="an early HiGHS answered x = 1.5, or infeasible with the box",
    ),
    KnownModel(
        "HiGHS.jl #104",
        {"x": 1},
        [({"y": 1}, "=", 1), ({"y": 1, "x": -1_000_000}, "<=", 0)],
        integers="x",
        ranges={"x": (0, 1), "y": (None, None)},
        optimum=Fraction(1),
        note=f"x = 1e-6 passes for 0; {_TRICKLE}",
    ),
    KnownModel(
        "Cbc #737",
        {"x0": 1, "x2": -1},
        [({"x0": "-0.02", "x2": "88.5"}, "<=", -1139)],
        integers="x2",
        ranges={"x0": (-200, 200), "x2": (-200, 200)},
        optimum=Fraction(-187),
        note="CBC's preprocessing said infeasible",
    ),
    KnownModel(
        "Cbc #740",
        {"x0": 1},
        [
            ({"x0": 41, "x1": 49}, "<=", -508),
            ({"x0": 22, "x1": -64}, "<=", -943),
            ({"x1": 83}, ">=", 506),
        ],
        integers="x1",
        ranges={"x0": (-200, 200), "x1": (-200, 200)},
        optimum=Fraction(-200),
        note="CBC's preprocessing said infeasible",
    ),
    KnownModel(
        "Cbc #751",
        {"a": 2, "b": -3, "c": 4},
        [
            ({"a": "3.8", "c": "83.43"}, ">=", "83.43"),
            ({"b": "-94.75"}, "<=", "-281.5"),
            ({"b": "-63.6", "c": "-85.87"}, ">=", "-277.3"),
            ({"a": 22, "b": "-92.41"}, "<=", "-274.5"),
        ],
        integers="a b c",
        optimum=Fraction(-5),
        note="CBC without preprocessing said infeasible",
    ),
    KnownModel(
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
        optimum=Fraction("-131.12"),
        note="CBC's preprocessing said infeasible",
    ),
    KnownModel(
        "Cbc #293",
        {"x1": 9856, "x2": 444},
        [
            ({"x1": 1, "x2": 1}, "<=", 5),
            ({"x1": "0.63", "x2": "1.27"}, "<=", "1.28"),
            ({"x1": "0.63", "x2": "1.27"}, ">=", "0.65"),
        ],
        integers="x1 x2",
        optimum=Fraction(444),
        note="CBC's preprocessing led to 19712",
    ),
    KnownModel(
        "Cbc.old #21",
        {"cost": 1},
        [
            ({"cost": 1, "a": 4, "b": 4}, ">=", 3),
            ({"cost": 1, "c": 4}, ">=", 1),
            ({"a": 1, "b": 1, "c": 1}, "=", 1),
        ],
        integers="a",
        ranges={"a": (0, 1)},
        optimum=Fraction(0),
        note="CBC's preprocessing missed the optimum",
    ),
    KnownModel(
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
        optimum=Fraction(20),
        note=f"two jobs of 10 on one machine, big-M 1e7: y = 1e-6 lets both run at once; {_TRICKLE}",
    ),
)


def build(name: object) -> ConcreteModel:
    """Return the known model of this name as a Pyomo model."""
    import pyomo.environ as pyo

    (data,) = (model for model in MODELS if model.name == name)
    model = pyo.ConcreteModel(name=data.name)
    names = dict.fromkeys([*data.objective, *(key for row, _, _ in data.rows for key in row)])
    model.x = pyo.Var(
        list(names),
        domain=lambda _, key: pyo.Integers if key in data.integers.split() else pyo.Reals,
        bounds=lambda _, key: tuple(None if one is None else float(one) for one in data.ranges.get(key, (0, None))),
    )

    def linear(factors: Mapping[str, Number]) -> Any:
        return sum(float(factor) * model.x[key] for key, factor in factors.items())

    model.rows = pyo.ConstraintList()
    for row, sense, right in data.rows:
        low, high = (None if sense == kind else float(right) for kind in ("<=", ">="))
        model.rows.add((low, linear(row), high))
    model.cost = pyo.Objective(expr=linear(data.objective))
    return model
