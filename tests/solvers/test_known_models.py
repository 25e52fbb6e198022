"""Models with known answers: proven in exact arithmetic or by enumeration, and asked of the solvers before a run."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from oas.core.errors import InputError
from oas.solvers.isolation.client import run
from oas.solvers.known import preflight as preflight_module
from oas.solvers.known.known_cp_models import BUILDER as CP_BUILDER
from oas.solvers.known.known_cp_models import MODELS as CP_MODELS
from oas.solvers.known.known_models import BUILDER, MODELS, build
from oas.solvers.known.preflight import preflight
from oas.solvers.task import Limits, Settings, Task
from tests.solvers.exact_mip import optimum

# CBC 2.10.3, which PuLP bundles, is wrong on this one; later versions are not.
WRONG = {("cbc", "2.10.3"): {"Cbc #293"}}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_optimum_is_true(model):
    assert optimum(model, model.optimum + 1) == model.optimum
    assert optimum(model, model.optimum - Fraction(1, 10**9)) is None


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_preflight_reports_what_is(solver):
    checks = preflight(solver)
    assert [check.model for check in checks] == [model.name for model in MODELS]
    assert all(check.note for check in checks)
    version = run(Task(BUILDER, MODELS[0].name), Settings(solver), Limits(time=20)).version
    assert {check.model for check in checks if not check.ok} == WRONG.get((solver, version), set())


def test_preflight_of_a_solver_that_answers_nothing(fake_cbc):
    fake_cbc("exit 0")
    checks = preflight("cbc")
    assert not any(check.ok for check in checks)
    assert {check.got for check in checks} == {"error"}
    assert all("no solution file" in check.note for check in checks)


def test_ctrl_c_in_a_model_is_no_wrong_answer(fake_cbc):
    fake_cbc(f"kill -INT {os.getpid()}; exec sleep 60")
    with pytest.raises(KeyboardInterrupt):
        preflight("cbc")


# Models for CP-SAT


def holds(model, point):
    """Whether a point keeps every constraint, tried directly."""
    value = dict(point)
    if any(sum(factor * value[name] for name, factor in row.items()) < right for row, right in model.rows):
        return False
    for (one, other), pairs in model.tables:
        if (value[one], value[other]) not in pairs:
            return False
    for packing in model.packings:
        present = [name is None or value[name] == 1 for name in packing.optional or [None] * len(packing.activities)]
        running = [
            (value[start], value[start] + time, value[demand] if isinstance(demand, str) else demand)
            for (start, time, demand), there in zip(packing.activities, present, strict=True)
            if there
        ]
        for moment, _, _ in running:
            if sum(demand for begin, end, demand in running if begin <= moment < end) > packing.capacity:
                return False
    return True


def cp_optimum(model):
    """The least cost of all points; None if there is none. Costs ascend, so the first that holds is the least."""
    names = [name for name in model.values if name != "cost"]
    for cost in sorted(model.values["cost"]):
        for numbers in product(*(model.values[name] for name in names)):
            if holds(model, {**dict(zip(names, numbers, strict=True)), "cost": cost}):
                return Fraction(cost)
    return None


@pytest.mark.parametrize("model", CP_MODELS, ids=lambda model: model.name)
def test_cp_optimum_is_true(model):
    assert cp_optimum(model) == model.optimum


def test_preflight_of_cpsat_is_passed():
    checks = preflight("cpsat")
    assert [check.model for check in checks] == [model.name for model in CP_MODELS]
    assert [check.model for check in checks if not check.ok] == []
    assert all(check.note for check in checks)


def test_preflight_notices_a_wrong_answer(monkeypatch):
    wrong = {"one machine": Fraction(19), "halves": Fraction(7), "odd sum": Fraction(0), "large numbers": None}
    models = tuple(replace(model, optimum=wrong.get(model.name, model.optimum)) for model in CP_MODELS)
    monkeypatch.setattr(preflight_module.known_cp_models, "MODELS", models)
    assert {check.model for check in preflight("cpsat") if not check.ok} == set(wrong)


def test_unknown_models():
    with pytest.raises(InputError, match="no known model"):
        build("no such")
    with pytest.raises(InputError, match="no known model"):  # in the worker: this process may hold highspy
        run(Task(CP_BUILDER, "no such"), Settings("cpsat"), Limits(time=60))
