"""Solvers found and asked: discovery, models with known answers, the bounds they state, settings and files."""

import os
import sys
from dataclasses import replace
from fractions import Fraction

import highspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Termination
from oas.solvers import discovery, known
from oas.solvers.isolation.client import run
from oas.solvers.known import preflight
from oas.solvers.known.known_cp_models import MODELS as CP_MODELS
from oas.solvers.known.known_models import BUILDER, MODELS
from oas.solvers.task import Limits, Settings, Task, bound_margin, function_at, integer_bound, integer_gap, write_pyomo
from tests.solvers.knapsacks import knapsacks


@given(st.integers(-(10**15), 10**15), st.floats(-1, 1))
def test_integer_bound_is_safe(truth, error):
    # A solver states the true bound with an error inside the margin: never may the result pass the truth.
    stated = truth + error * bound_margin(truth) * 0.99
    assert integer_bound(stated) <= truth


@given(st.integers(-(10**5), 10**5))
def test_integer_bound_is_tight_for_small_magnitudes(truth):
    assert integer_bound(float(truth)) == truth
    assert integer_bound(truth - 0.5) == truth


@pytest.mark.parametrize("bound", [float("inf"), float("-inf"), float("nan")])
def test_no_bound_of_infinity(bound):
    with pytest.raises(ValueError, match="no bound"):
        integer_bound(bound)


@given(st.integers(0, 10**5), st.integers(0, 10**5))
def test_integer_gap_still_proves(objective, more):
    # A search that stops within the gap leaves a bound from which the objective is recovered.
    magnitude = max(objective, more)
    gap = integer_gap(magnitude)
    assert 0 < gap < 1
    assert integer_bound(float(Fraction(objective) - Fraction(gap))) == objective


def test_large_or_unbounded_objectives():
    assert integer_bound(1e12) == 10**12 - 10**6
    assert integer_gap(2e5) == 0
    assert integer_gap(float("inf")) == 0


@pytest.mark.parametrize(
    ("kind", "field", "values"),
    [
        (Task, "builder", ("", "module", "module:", ":function", "__main__:build")),
        (Limits, "time", (0, -1, float("nan"))),
        (Limits, "memory", (0,)),
        (Limits, "grace", (-1,)),
        (Settings, "solver", ("",)),
        (Settings, "threads", (0,)),
        (Settings, "seed", (-1, 2**31)),
    ],
)
def test_what_is_asked_for_wrongly(kind, field, values):
    for value in values:
        with pytest.raises(InputError, match=field):
            kind(**{field: value}, **({"payload": None} if kind is Task else {}))


@pytest.mark.parametrize("suffix", [".lp", ".mps", ".LP"])
@pytest.mark.parametrize("model", MODELS[:2] + MODELS[-2:], ids=lambda model: model.name)
def test_a_solver_reads_the_same_model_back(model, suffix, tmp_path, capfd):
    path = write_pyomo(function_at(BUILDER, "builder")(model.name), tmp_path / f"model{suffix}", BUILDER)
    plain = path.rename(path.with_suffix(suffix.lower()))
    solver = highspy.Highs()
    solver.silent()
    solver.readModel(str(plain))
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(float(model.optimum), abs=1e-6)
    assert "WARNING" not in capfd.readouterr().out


LIMITS = Limits(time=60)


@pytest.mark.parametrize("number", ["1.14.0", "1.16.0"])
def test_a_wrong_highs_is_refused(monkeypatch, number):
    monkeypatch.setattr(discovery, "version", lambda _package: number)
    assert not discovery.installed()[0].usable
    with pytest.raises(SolverMissingError, match=r"1\.15"):
        discovery.executable_for("highs")


def test_cbc_by_variable_then_path_then_pulp(monkeypatch, tmp_path):
    monkeypatch.delenv("OAS_CBC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    bundled, origin = discovery.find_cbc()
    assert origin == "pulp"
    for name in ("on_path", "named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cbc").symlink_to(bundled)
    monkeypatch.setenv("PATH", str(tmp_path / "on_path"))
    assert discovery.find_cbc() == (str(tmp_path / "on_path" / "cbc"), "path")
    monkeypatch.setenv("OAS_CBC", str(tmp_path / "named" / "cbc"))
    assert discovery.find_cbc() == (str(tmp_path / "named" / "cbc"), "environment")


def test_cbc_of_cbcbox_where_pulp_has_none(monkeypatch, tmp_path):
    monkeypatch.delenv("OAS_CBC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    (tmp_path / "cbcbox").mkdir()
    (tmp_path / "cbcbox" / "__init__.py").write_text(f"def cbc_bin_path():\n    return {str(tmp_path / 'cbc')!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert discovery.find_cbc()[1] == "pulp"
    monkeypatch.setattr(discovery, "_pulp_cbc", lambda: None)
    with pytest.raises(SolverMissingError, match="cbcbox"):  # there is no binary yet
        discovery.find_cbc()
    (tmp_path / "cbc").touch(mode=0o755)
    assert discovery.find_cbc() == (str(tmp_path / "cbc"), "cbcbox")
    sys.modules.pop("cbcbox")


def test_a_missing_cbc_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("OAS_CBC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(discovery, "find_spec", lambda _name: None)
    with pytest.raises(SolverMissingError, match=r"pulp.*PATH.*OAS_CBC"):
        discovery.find_cbc()
    assert "OAS_CBC" in discovery.installed()[1].advice


@pytest.mark.parametrize("name", ["hihgs", "", "_mock_cbc", "no such"])
def test_an_unknown_solver_lists_the_known(name):
    with pytest.raises(InputError, match=r"highs, cbc|needed"):
        run(Task("oas.solvers.known.known_models:build", "HiGHS #3043"), Settings(name), LIMITS)


def test_another_solver_by_pyomos_name():
    for payload, truth in knapsacks(4):
        task = Task("tests.solvers.builders:knapsack", payload)
        outcome = run(task, Settings("appsi_highs", options={"mip_rel_gap": 0.0}), LIMITS)
        assert outcome.termination is Termination.FINISHED
        assert sum(payload[0][index] for (_, (index,)) in outcome.values) == truth
        assert integer_bound(outcome.bound) == truth


@pytest.mark.parametrize("builder", ["infeasible", "infeasible_lp", "unbounded"])
def test_another_solver_without_a_solution_does_not_raise(builder):
    outcome = run(Task(f"tests.solvers.builders:{builder}", None), Settings("appsi_highs"), LIMITS)
    assert (outcome.values, outcome.objective, outcome.bound) == (None, None, None)
    assert outcome.termination in (Termination.ERROR, Termination.FINISHED)
    assert builder != "unbounded" or not outcome.infeasible


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
    monkeypatch.setattr(known.known_cp_models, "MODELS", models)
    assert {check.model for check in preflight("cpsat") if not check.ok} == set(wrong)
