import os
from fractions import Fraction

import pytest

from oas.core.errors import InputError
from oas.solvers.known.known_models import MODELS, build
from oas.solvers.known.preflight import preflight
from tests.solvers.exact_mip import optimum

# CBC 2.10.3, which PuLP bundles, is wrong on this one; later versions are not.
WRONG = {("cbc", "2.10.3"): {"Cbc #293"}}


def test_there_are_enough():
    assert len({model.name for model in MODELS}) == len(MODELS) >= 12


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_optimum_is_true(model):
    assert optimum(model, model.optimum + 1) == model.optimum
    assert optimum(model, model.optimum - Fraction(1, 10**9)) is None


def test_the_proof_itself_can_fail():
    model = MODELS[0]
    assert optimum(model, model.optimum + 10) == model.optimum
    assert optimum(model, model.optimum - 1) is None


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_preflight_reports_what_is(solver):
    from oas.solvers.isolation.client import run
    from oas.solvers.known.known_models import BUILDER
    from oas.solvers.task import Limits, Settings, Task

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


def test_unknown_model():
    with pytest.raises(InputError, match="no known model"):
        build("no such")
