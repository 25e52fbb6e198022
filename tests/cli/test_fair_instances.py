"""Instances of fair sharing on the command line: made, verified, drawn, and not solved."""

from __future__ import annotations

import json

import pytest

import oas
from oas.cli.exit_codes import ExitCode
from oas.io import save
from oas.problems.fair.runs import schedule_from_starts

STARTS = [0, 0, 0, 3, 3, 4, 6, 9, 10, 9]


@pytest.fixture
def figure(folder):
    instance = oas.load_example("fair")
    save(instance, folder / "fair.json")
    save(schedule_from_starts(instance, STARTS, "figure 1"), folder / "schedule.json")
    return folder


def test_an_instance_is_made_and_read(figure, run_here):
    made = run_here("generate", "arrivals", "--seed", "3", "--machines", "uniform", "--load", "1/2", "-o", "made.json")
    assert made.returncode == 0
    assert oas.load(figure / "made.json") == oas.generate.arrivals(seed=3, machines="uniform", load="1/2")
    wrong = run_here("generate", "arrivals", "--load", "0")
    assert wrong.returncode == ExitCode.BAD_INPUT and "load: must be above 0" in wrong.stderr


def test_a_schedule_is_verified(figure, run_here):
    done = run_here("verify", "fair.json", "schedule.json")
    assert (done.returncode, done.stdout) == (0, "schedule: feasible, 10 jobs, makespan 14\n")
    instance = oas.load(figure / "fair.json")
    save(instance.with_horizon(10), figure / "shorter.json")
    broken = run_here("verify", "shorter.json", "schedule.json", "--json")
    assert broken.returncode == ExitCode.VIOLATION
    (found,) = json.loads(broken.stdout)["violations"]
    assert (found["rule"], found["jobs"]) == ("horizon", ["J9"])


@pytest.mark.parametrize("command", [["solve"], ["compare"], ["solve", "--solver", "cbc"], ["compare", "--json"]])
def test_it_is_not_solved(figure, run_here, command):
    done = run_here(command[0], "fair.json", *command[1:])
    assert done.returncode == ExitCode.BAD_INPUT and done.stdout == ""
    assert done.stderr == ("oas: problem: fair sharing has no makespan to minimise; use: oas fair FILE (got 'fair')\n")


def test_a_schedule_is_drawn(figure, run_here):
    assert run_here("plot", "fair.json", "schedule.json", "-o", "figure.svg").returncode == 0
    drawn = (figure / "figure.svg").read_text()
    assert "horizon 14" in drawn and "jobs of O2" in drawn and "K1" in drawn


def test_bad_files_are_refused_in_a_line(figure, run_here):
    document = json.loads((figure / "fair.json").read_text())
    document["organizations"][0]["jobs"][3]["time"] = 2.5
    (figure / "wrong.json").write_text(json.dumps(document))
    done = run_here("verify", "wrong.json", "schedule.json")
    assert done.returncode == ExitCode.BAD_INPUT
    assert done.stderr == (
        "oas: wrong.json: organizations[0].jobs[3].time: must be an integer, not a decimal (got 2.5)\n"
    )
