"""A problem defined here alone goes through every room; the rooms dispatch by its object, never by its type."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import heuristics
import oas
from oas.core import registry
from oas.core.errors import InputError
from oas.io import save
from oas.testing import check_heuristic
from oas.testing.text import report_text
from tests.example_problem.heuristics import METHOD
from tests.example_problem.instance import Machines, machines
from tests.example_problem.problem import MACHINES

ROOT = Path(__file__).resolve().parents[2]
PLACE = "tests.example_problem.problem:MACHINES"
TIMES = [5, 5, 4, 4, 3, 3, 3]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The one line that makes it known, here and to every process that is started."""
    monkeypatch.setenv(registry.VARIABLE, "")
    registry.register(PLACE)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "machines.json"
    save(machines(3, TIMES, "seven jobs"), path)
    return path


def command(*arguments, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "oas", *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_read_and_written(file):
    assert json.loads(file.read_text())["problem"] == "machines"
    assert oas.load(file) == machines(3, TIMES, "seven jobs")
    file.write_text(file.read_text().replace('"machines",', '"machine",'))
    with pytest.raises(InputError, match="known: coallocation, mosp, fair, machines"):
        oas.load(file)


def test_its_model_is_in_the_hands_of_users():
    model = oas.model(machines(3, TIMES))
    assert len(model.variables()) == 3 * len(TIMES) + 1 and model.relaxation().bound == 9
    assert model.solve().schedule.makespan == 9 and str(model).startswith("assignment model of 7 jobs: 22 variables")


@pytest.mark.parametrize("options", [{}, {"solver": "cbc"}, {"formulation": "brute-force"}])
def test_it_is_solved_to_a_proven_optimum(options):
    instance = machines(3, TIMES)
    result = oas.solve(instance, **options)
    assert (result.status, result.objective) == (oas.Status.OPTIMAL, 9)
    assert oas.verify(instance, result.schedule) == []


def test_its_heuristics_stand_beside_the_optimum():
    instance = machines(3, TIMES)
    study = oas.compare(instance)
    assert [row.method for row in study.rows] == ["exact", "longest-first"]
    assert study.rows[1].makespan >= study.result.objective == 9
    assert study.rows[1].guarantee is not None and not study.rows[1].breaks_guarantee
    assert study.to_frame()["method"].to_list() == ["exact", "longest-first"]
    assert heuristics.methods(Machines) == heuristics.methods(MACHINES) == (METHOD,)


def test_the_command_line_knows_it(file, tmp_path, run_here):
    def here(*arguments):
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = command("compare", file.name, "--output", "best.json", "--gantt", "best.png", folder=tmp_path)
    assert "7 jobs, 1 cluster (3 machines)" in shown and "optimum" in shown and "longest-first" in shown
    assert (tmp_path / "best.png").stat().st_size > 5_000
    assert "makespan 9" in here("verify", file.name, "best.json")
    assert "optimal" in here("solve", file.name, "--check", "cbc")
    here("plot", file.name, "best.json", "-o", "plot.svg")
    assert "J7" in (tmp_path / "plot.svg").read_text()
    here("export", file.name, "--lp", "model.lp")
    assert (tmp_path / "model.lp").read_text()


@pytest.mark.slow
def test_it_runs_in_a_campaign(file, tmp_path, run_here):
    (tmp_path / "small.toml").write_text(
        'name = "small"\n[limits]\ntime = 60\n[[instances]]\nfiles = ["machines.json"]\n'
        '[[methods]]\nexact = "highs"\n[[methods]]\nheuristics = "all"\n'
    )
    command("bench", "run", "small.toml", folder=tmp_path)
    assert run_here("bench", "verify", "small.toml").returncode == 0
    assert run_here("bench", "report", "small.toml", "-o", "report").returncode == 0
    tables = "".join(one.read_text() for one in (tmp_path / "report").rglob("*.md"))
    assert "Identical machines" in tables and "longest-first" in tables


def test_the_kit_tests_a_heuristic_of_it():
    report = check_heuristic(METHOD, random=5, medium=1)
    assert report.ok and len(report.scheduled) == 6, report_text(report)


def test_what_it_has_no_part_for_is_refused(run_here):
    for study in (oas.price, oas.slot_study):
        with pytest.raises(InputError, match="only"):
            study(machines(2, [1, 2]))
    done = run_here("new-heuristic", "mine", "--problem", "machines")
    assert done.returncode == 2 and "has no template for heuristics" in done.stderr
    with pytest.raises(InputError, match="co-allocation only"):
        registry.adapted(machines(2, [1]), "slot", 1)


def test_a_name_is_taken_once(monkeypatch):
    monkeypatch.setattr("tests.example_problem.problem.COPY", MACHINES.__class__("mosp", "x", "y:z"), raising=False)
    with pytest.raises(InputError, match="another problem has this name"):
        registry.register("tests.example_problem.problem:COPY")
    for nowhere in ("tests.example_problem.problem:NOTHING", "no.such.module:PROBLEM", "oas.core.numbers:exact"):
        with pytest.raises(InputError):
            registry.register(nowhere)
