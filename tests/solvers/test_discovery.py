import sys

import pytest

from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Termination
from oas.solvers import discovery
from oas.solvers.isolation.client import run
from oas.solvers.outcome import integer_bound
from oas.solvers.task import Limits, Settings, Task
from tests.solvers.knapsacks import knapsacks

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
