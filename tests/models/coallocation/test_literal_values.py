"""Warm starts satisfy every row exactly; nonsense from a solver is not read as a schedule."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pyomo.environ as pyo
import pytest

from oas.core.errors import SolverError
from oas.models.coallocation import literal
from oas.models.coallocation.literal_model import build
from tests.models.coallocation.solved import literal_specs, solved_instance
from tests.problems.coallocation import grids
from tests.slow import every_fourth_quick
from tests.strategies import random_feasible_runs

if TYPE_CHECKING:
    from oas.problems.coallocation.runs import Run
    from oas.solvers.task import Key

# Only these rows hold numbers that a float may round: 1/Γ, σ and Tb/η.
ROUNDED = {"processing_slowdown", "time_cost", "whole_slots"}
SEEDS = [seed for seed, _ in literal_specs(13, 3000)]


def spec_and_runs(seed: int) -> tuple[literal.LiteralSpec, list[Run]]:
    instance = solved_instance(seed)[0]
    runs = random_feasible_runs(instance, seed)
    return literal.prepare(instance, instance.scaled(), max(run.end for run in runs), 0), runs


def broken_rows(spec: literal.LiteralSpec, values: dict[Key, float]) -> set[str]:
    """Families with a row that the values break; fails if a value has no variable or breaks its domain."""
    model, left = build(spec), dict(values)
    for variable in model.component_data_objects(pyo.Var):
        index = variable.index()
        key = (variable.parent_component().local_name, () if index is None else index)
        variable.set_value(left.pop((key[0], key[1] if isinstance(key[1], tuple) else (key[1],)), 0))
        low, high = variable.bounds
        assert variable.value in variable.domain and (low is None or low <= variable.value), variable.name
        assert high is None or variable.value <= high, variable.name
    assert left == {}
    broken = set()
    for row in model.component_data_objects(pyo.Constraint):
        family = row.parent_component().local_name
        slack = 1e-9 if family in ROUNDED else 0
        if min(row.lslack(), row.uslack()) < -slack:
            broken.add(family)
    return broken


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_a_warm_start_satisfies_every_row(seed: int) -> None:
    spec, runs = spec_and_runs(seed)
    values = literal.start_values(spec, runs)
    assert values is not None and all(values.values())
    assert broken_rows(spec, values) == set()
    assert max(run.end for run in runs) == values["makespan", ()]


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_reading_a_warm_start_gives_the_runs_back(seed: int) -> None:
    spec, runs = spec_and_runs(seed)
    values = literal.start_values(pickle.loads(pickle.dumps(spec)), runs)
    assert values is not None
    assert literal.read(spec, values) == sorted(runs, key=lambda run: run.job)


def test_a_schedule_beyond_the_horizon_has_no_place() -> None:
    instance = grids.mixed()
    runs = random_feasible_runs(instance, 1)
    end = max(run.end for run in runs)
    assert literal.start_values(literal.prepare(instance, instance.scaled(), end, 0), runs) is not None
    assert literal.start_values(literal.prepare(instance, instance.scaled(), end - 1, 0), runs) is None


def start(make=grids.mixed) -> tuple[literal.LiteralSpec, dict[Key, float]]:
    """Return the grid's spec and the values of a random schedule of it, two slots before the horizon."""
    instance = make()
    runs = random_feasible_runs(instance, 1)
    spec = literal.prepare(instance, instance.scaled(), max(run.end for run in runs) + 2, 0)
    values = literal.start_values(spec, runs)
    assert values is not None
    return spec, values


def cells(values: dict[Key, float], job: int) -> list[tuple[int, int]]:
    return sorted(
        (slot, node) for name, index in values if name == "X" and index[0] == job for _, node, slot in [index]
    )


def drop_start(values):
    del values[next(key for key in values if key[0] == "Y" and key[1][0] == 0)]


def start_twice(values):
    values["Y", (0, 1 + next(key[1][1] for key in values if key[0] == "Y" and key[1][0] == 0))] = 1


def drop_node(values):
    del values[next(key for key in values if key[0] == "Z" and key[1][0] == 0)]


def other_node(values):
    held = {key[1][1] for key in values if key[0] == "Z" and key[1][0] == 1}
    (node,) = held
    del values["Z", (1, node)]
    values["Z", (1, (node + 1) % 3)] = 1


def drop_first_slot(values):
    first = cells(values, 0)[0][0]
    for slot, node in cells(values, 0):
        if slot == first:
            del values["X", (0, node, slot)]


def drop_last_slot(values):
    last = cells(values, 0)[-1][0]
    for slot, node in cells(values, 0):
        if slot == last:
            del values["X", (0, node, slot)]


def drop_one_task(values):
    slot, node = cells(values, 0)[0]
    del values["X", (0, node, slot)]


def leave_a_gap(values):
    last, node = cells(values, 1)[-1]
    del values["X", (1, node, last)]
    values["X", (1, node, last + 1)] = 1


def no_run(values):
    for slot, node in cells(values, 0):
        del values["X", (0, node, slot)]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (drop_start, "starts job wide 0 times"),
        (start_twice, "starts job wide 2 times"),
        (drop_node, "gives job wide 1 nodes, not 2"),
        (other_node, "does not hold the nodes of job alone"),
        (drop_first_slot, "does not hold the nodes of job wide"),
        (drop_last_slot, "does not hold the nodes of job wide"),
        (drop_one_task, "does not hold the nodes of job wide"),
        (leave_a_gap, "does not hold the nodes of job alone"),
        (no_run, "does not hold the nodes of job wide"),
    ],
)
def test_nonsense_is_refused_and_breaks_a_row(spoil, reason: str) -> None:
    spec, values = start()
    assert broken_rows(spec, values) == set()
    spoil(values)
    with pytest.raises(SolverError, match=reason):
        literal.read(spec, values)
    assert broken_rows(spec, values)


def test_a_job_held_longer_than_it_needs_runs_as_long_as_it_needs() -> None:
    spec, values = start()
    runs = literal.read(spec, values)
    job = max(runs, key=lambda run: run.end).job
    last = cells(values, job)[-1][0]
    for slot, node in cells(values, job):
        if slot == last:
            values["X", (job, node, slot + 1)] = 1
    assert literal.read(spec, values) == runs
