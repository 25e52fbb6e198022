"""Small models for CP-SAT with their true optima: one for each kind of constraint that this package's models use.

The tests prove every optimum by enumeration. All numbers are integers, some as large as this package's models allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.solvers.cpsat import CpTask

BUILDER = "oas.solvers.known.known_cp_models:build"


@dataclass(frozen=True)
class Packing:
    """A cumulative constraint."""

    capacity: int
    # Variable of the start, duration and demand of each activity; the latter are numbers or variables
    activities: tuple[tuple[str, int | str, int | str], ...]
    optional: tuple[str | None, ...] = ()  # variable that is 1 if the activity is present; None if it always is


@dataclass(frozen=True)
class KnownCpModel:
    """A model that minimises the variable ``cost``."""

    name: str
    values: Mapping[str, tuple[int, ...]]  # domain of each variable
    optimum: Fraction | None  # true optimal value; None if the model is infeasible
    note: str  # the tested feature
    rows: tuple[tuple[Mapping[str, int], int], ...] = ()  # coefficients and right-hand side of ≥ constraints
    packings: tuple[Packing, ...] = ()
    tables: tuple[tuple[tuple[str, str], tuple[tuple[int, int], ...]], ...] = ()  # allowed values of pairs of variables
    # A solution, if there are too many values to enumerate; its cost is the lowest in the domain of ``cost``.
    solution: Mapping[str, int] | None = None


def _ends(starts: Mapping[str, int]) -> tuple[tuple[Mapping[str, int], int], ...]:
    """Return rows for ``cost`` ≥ start + duration."""
    return tuple(({"cost": 1, start: -1}, time) for start, time in starts.items())


def _equal(left: Mapping[str, int], right: int = 0) -> tuple[tuple[Mapping[str, int], int], ...]:
    """Return two rows for Σ = right."""
    return (left, right), ({name: -factor for name, factor in left.items()}, -right)


_FAR = 2**50
# Weights in a model of ten jobs, which CP-SAT 9.15 calls infeasible, reduced to the rows that are needed for it.
_WEIGHTS = {
    **{"b0": 188_980_840, "b1": 188_980_279, "b2": 188_980_568, "c0": 1_224_000_000, "c1": 1_282_005_360},
    **{"c2": 1_223_996_940, "e0": 1_152_000_000, "e1": 1_206_593_280, "e2": 1_151_997_120, "f1": 1_557_602_102},
    **{"f2": 2_085_384_368, "g0": 522_476_440, "g1": 522_474_889, "g2": 522_475_688, "i1": 273_717_920},
    **{"i2": 303_999_240, "j0": 411_311_240, "j1": 393_807_465, "j2": 362_921_160},
}
# Load of a job of four tasks by how many of them a cluster holds, equation (4) of the OAS paper: 3·c·(4 − c).
_LOADS = ((0, 0), (1, 9), (2, 12), (3, 9), (4, 0))


def _heavy(name: str, note: str, capacity: int, solution: Mapping[str, int] | None = None) -> KnownCpModel:
    """Return the model of `_WEIGHTS` with this capacity; it is infeasible without a solution."""
    return KnownCpModel(
        name,
        {
            **dict.fromkeys(_WEIGHTS, (0, 1)),
            **{"start b": tuple(range(5_090)), "start c": tuple(range(3_730)), "start f": tuple(range(3_908))},
            **{"time b": (680, 799, 1_156), "time c": (2_040, 2_295, 3_060), "time f": (1_862, 2_888)},
            **{"time e": (1_920, 2_160, 2_880), "load": (0, 15_708, 28_560, 38_556, 45_696), "cost": (1, 2)},
            **{name: (0, 1, 2, 3, 4) for name in ("held b", "held c", "held f", "used")},
        },
        None if solution is None else Fraction(1),
        note,
        rows=(
            *_equal({"time b": 1, "b0": -680, "b1": -799, "b2": -1_156}),
            *_equal({"time c": 1, "c0": -2_040, "c1": -2_295, "c2": -3_060}),
            *_equal({"time e": 1, "e0": -1_920, "e1": -2_160, "e2": -2_880}),
            *_equal({"g0": 1, "g1": 1, "g2": 1}, 1),
            *_equal({"i1": 1, "i2": 1}, 1),
            *_equal({"j0": 1, "j1": 1, "j2": 1}, 1),
            *_equal({"used": 1, "held f": -1}),
            ({"f2": 4, "held f": -1}, 0),
            ({name: -weight for name, weight in _WEIGHTS.items()}, -capacity),
        ),
        packings=(Packing(4, tuple((f"start {one}", f"time {one}", f"held {one}") for one in "bcf")),),
        tables=((("used", "load"), ((0, 0), (1, 15_708), (2, 28_560), (3, 38_556), (4, 45_696))),),
        solution=solution,
    )


MODELS = (
    KnownCpModel(
        "one machine",
        {"a": (0, 10, _FAR), "b": (0, 10, _FAR), "cost": (10, 11, 19, 20, 21, _FAR + 10)},
        Fraction(20),
        "two jobs of 10 on one machine below a horizon of 2^50: the trickle flow of MIP models",
        rows=_ends({"a": 10, "b": 10}),
        packings=(Packing(1, (("a", 10, 1), ("b", 10, 1))),),
    ),
    KnownCpModel(
        "three processors",
        {**{name: tuple(range(6)) for name in "abcd"}, "cost": tuple(range(1, 10))},
        Fraction(6),
        "4·2 + 3·1 + 2·2 + 2·1 = 17 of 3 processors: 6 by area, and 6 is feasible",
        rows=_ends({"a": 4, "b": 3, "c": 2, "d": 2}),
        packings=(Packing(3, (("a", 4, 2), ("b", 3, 1), ("c", 2, 2), ("d", 2, 1))),),
    ),
    KnownCpModel(
        "halves",
        {**{name: tuple(range(7)) for name in "abc"}, "cost": tuple(range(1, 10))},
        Fraction(6),
        "three jobs of 2 that need 3 of 5 processors: one at a time, though the area allows 4",
        rows=_ends({"a": 2, "b": 2, "c": 2}),
        packings=(Packing(5, (("a", 2, 3), ("b", 2, 3), ("c", 2, 3))),),
    ),
    KnownCpModel(
        "two clusters",
        {
            **{name: (0, 1, 2, 3) for name in "abc"},
            **{f"{name}{k}": (0, 1) for name in "abc" for k in "12"},
            "cost": tuple(range(1, 8)),
        },
        Fraction(4),
        "jobs of 3, 2 and 2, each on one of two clusters: optional intervals",
        rows=(
            *_ends({"a": 3, "b": 2, "c": 2}),
            *(({f"{name}1": 1, f"{name}2": 1}, 1) for name in "abc"),
            *(({f"{name}1": -1, f"{name}2": -1}, -1) for name in "abc"),
        ),
        packings=tuple(
            Packing(1, (("a", 3, 1), ("b", 2, 1), ("c", 2, 1)), tuple(f"{name}{k}" for name in "abc")) for k in "12"
        ),
    ),
    KnownCpModel(
        "split by table",
        {"held": (0, 1, 2, 3, 4), "other": (0, 1, 2, 3, 4), "load": (0, 9, 12), "busy": (0,), "cost": tuple(range(5))},
        Fraction(1),
        "four tasks on two clusters of three nodes over a link of 16 that carries 7 already: 3 and 1, never 2 and 2",
        rows=(
            ({"held": 1, "other": 1}, 4),
            ({"held": -1}, -3),
            ({"other": -1}, -3),
            ({"cost": 1, "other": -1}, 0),
        ),
        packings=(Packing(16, (("busy", 2, "load"), ("busy", 2, 7))),),
        tables=((("held", "load"), _LOADS),),
    ),
    KnownCpModel(
        "large numbers",
        {**{name: (0, 1) for name in "abcd"}, "cost": tuple(range(4))},
        Fraction(2),
        "a sum that must be reached to the unit, 1e15 apart from the next: no tolerance may help",
        rows=(
            ({"a": 10**15, "b": 10**15 + 1, "c": 2 * 10**15, "d": 10**15 - 1}, 2 * 10**15 + 1),
            ({"a": -(10**15), "b": -(10**15) - 1, "c": -2 * 10**15, "d": -(10**15) + 1}, -2 * 10**15 - 1),
            ({"cost": 1, "a": -1, "b": -1, "c": -1, "d": -1}, 0),
        ),
    ),
    KnownCpModel(
        "odd sum",
        {"a": tuple(range(10)), "b": tuple(range(10)), "cost": (0,)},
        None,
        "2a + 2b = 5: no solution in integers",
        rows=(({"a": 2, "b": 2}, 5), ({"a": -2, "b": -2}, -5)),
    ),
    KnownCpModel(
        "too much work",
        {**{name: tuple(range(5)) for name in "abc"}, "cost": tuple(range(8))},
        None,
        "three jobs of 3 on one machine by 7: no solution",
        rows=_ends({"a": 3, "b": 3, "c": 3}),
        packings=(Packing(1, (("a", 3, 1), ("b", 3, 1), ("c", 3, 1))),),
    ),
    _heavy(
        "large weights",
        "CP-SAT 9.15 called it infeasible; right without probing or with weights up to 1e5",
        5_769_000_000,
        {
            **dict.fromkeys(_WEIGHTS, 0) | dict.fromkeys(("b1", "c2", "e2", "g1", "i1", "j2"), 1),
            **{"start b": 0, "start c": 0, "start f": 0, "time b": 799, "time c": 3_060, "time f": 1_862},
            **{"time e": 2_880, "load": 0, "held b": 0, "held c": 0, "held f": 0, "used": 0, "cost": 1},
        },
    ),
    _heavy("too heavy", "the lightest choice weighs more: no solution", 3_724_088_307),
)


def build(name: object) -> CpTask:
    """Return the known model of this name."""
    from oas.solvers.cpsat import CpTask

    (data,) = (model for model in MODELS if model.name == name)
    task = CpTask()
    variables = {key: task.integer_in(key, (), values) for key, values in data.values.items()}
    for row, right in data.rows:
        task.model.add(sum(factor * variables[key] for key, factor in row.items()) >= right)
    for packing in data.packings:
        intervals, demands = [], []
        for index, (start, time, demand) in enumerate(packing.activities):
            name = packing.optional[index] if packing.optional else None
            present = True if name is None else variables[name]
            if isinstance(time, str):
                latest = max(data.values[start]) + max(data.values[time])
                end = task.model.new_int_var(0, latest, f"end of {start}")
                interval = task.model.new_optional_interval_var(variables[start], variables[time], end, present, start)
            else:
                interval = task.model.new_optional_fixed_size_interval_var(variables[start], time, present, start)
            intervals.append(interval)
            demands.append(variables[demand] if isinstance(demand, str) else demand)
        task.model.add_cumulative(intervals, demands, packing.capacity)
    for names, pairs in data.tables:
        task.model.add_allowed_assignments([variables[name] for name in names], pairs)
    task.minimize(variables["cost"])
    return task
