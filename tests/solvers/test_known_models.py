"""Models with known answers, asked of the solvers before a run."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction

import pytest

from oas.core.errors import InputError
from oas.solvers.isolation.client import run
from oas.solvers.known import preflight as preflight_module
from oas.solvers.known.known_cp_models import BUILDER as CP_BUILDER
from oas.solvers.known.known_cp_models import MODELS as CP_MODELS
from oas.solvers.known.known_models import BUILDER, MODELS, build
from oas.solvers.known.preflight import preflight
from oas.solvers.task import Limits, Settings, Task

# CBC 2.10.3, which PuLP bundles, is wrong on this one; later versions are not.
WRONG = {("cbc", "2.10.3"): {"Cbc #293"}}


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
