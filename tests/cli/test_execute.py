"""`oas execute` as a user types it."""

from __future__ import annotations

import csv
import json
from fractions import Fraction as F

import pytest

import heuristics
import oas
from oas.cli.main import app
from oas.core.errors import InputError, VerificationError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.coallocation import execution
from oas.problems.coallocation.execution import execute
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.heuristics.coallocation.test_slowdown import uneven
from tests.problems.coallocation.test_execution import plan
from tests.problems.coallocation.test_saturation import grid
from tests.problems.mosp.instances import random_instance

BEST = (0, F(32, 3), F(26, 3), 0)  # starts of the optimum under slowdown


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run the command in this process; return what it printed on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    oas.save(grid("slowdown"), "grid.json")
    oas.save(execute(grid("slowdown"), plan(grid(), BEST), keep_starts=True).schedule, "best.json")

    def call(*arguments):
        assert not app(["execute", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def lines(done):
    return [" ".join(line.split()) for line in done.out.splitlines()]


def test_a_plan_that_keeps_its_starts(run):
    shown = lines(run("grid.json", "best.json", "--keep-starts"))
    assert "planned 21.333" in shown and "executed 21.333, ratio to the plan 1" in shown
    assert "slowdown of jobs: mean 1.061, greatest 1.067 (job A)" in shown
    assert "Q 1 2 2 2 9.38 %" in shown and "P 9 2 1 0 0 %" not in shown and "P 9 1 1 0 0 %" in shown


def test_a_plan_under_another_policy(run):
    shown = lines(run("grid.json", "best.json", "--saturation", "forbid"))
    assert "policy forbid" in shown and "executed 22, ratio to the plan 1.031" in shown
    assert "slowdown of jobs: mean 1, greatest 1" in shown


def test_files_and_json(run, folder):
    done = run("grid.json", "best.json", "--keep-starts", "--json", "-o", "ran.json", "--log", "events.csv")
    document = json.loads(done.out)
    assert "schedule written to ran.json" in done.err and "log written to events.csv" in done.err
    assert (document["planned"], document["executed"], document["ratio"]) == ("64/3", "64/3", "1")
    assert (document["mean_slowdown"], document["slowdowns"]["C"]) == ("191/180", "19/18")
    assert document["links"]["Q"]["saturated"] == "2"
    assert document["links"]["Q"]["steps"][1] == {"start": "26/3", "end": "32/3", "load": "2", "degree": "2"}
    ran = oas.io.load_schedule("ran.json")
    assert verify(grid("slowdown"), ran) == [] and ran.makespan == F(64, 3)
    rows = list(csv.reader((folder / "events.csv").read_text().splitlines()))
    assert rows[:4] == [["time", "event", "job"], ["0", "start", "A"], ["0", "start", "D"], ["26/3", "start", "C"]]
    assert len(rows) == 9
    assert run("grid.json", "best.json", "-q", "--log", "events.csv").err == ""


def test_policies_of_the_options_replace_those_of_the_file(run):
    def policy(*options):
        return json.loads(run("other.json", "best.json", "--json", *options).out)["saturation"]

    oas.save(grid({"policy": "slowdown", "threshold": "1/2"}), "other.json")
    assert policy() == {"policy": "slowdown", "threshold": "1/2"}
    assert policy("--sharing", "max-min") == {"policy": "slowdown", "threshold": "1/2", "sharing": "max-min"}
    assert policy("--threshold", "2/3") == {"policy": "slowdown", "threshold": "2/3"}
    assert policy("--saturation", "forbid") == "forbid"


def test_an_order_on_line(run):
    found = json.loads(run("grid.json", "--order", "lpt", "--slot", "3", "--json").out)
    assert (found["planned"], found["ratio"], found["slot"]) == (None, None, "3")
    assert heuristics.LPT(grid("slowdown", slot=3)).makespan == F(found["executed"])


def test_jobs_that_load_links_and_are_not_slowed(run):
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "AB"]
    instance = CoallocationInstance(clusters, [Job("x", 2, 4, 3), Job("y", 2, 4, 3, F(1, 2)), Job("z", 1, 4, 3)])
    oas.save(instance, "lone.json")
    said = "1 job with σ = 1 and a bandwidth loads links where split, and is not slowed down: x"
    assert said in lines(run("lone.json", "--order", "FCFS", "--saturation", "slowdown"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grid.json"], "PLAN: either a plan or an order is needed"),
        (["grid.json", "best.json", "--order", "FCFS"], "--order: either a plan or an order is needed"),
        (["grid.json", "--order", "FCFSS"], "--order: unknown; did you mean FCFS"),
        (["grid.json", "--order", "FCFS", "--keep-starts"], "--keep-starts: goes with a plan"),
        (["grid.json", "best.json", "--threshold", "0"], r"--threshold: must be above 0 and at most 1 \(got '0'\)"),
        (["grid.json", "best.json", "--threshold", "half"], "--threshold: not a number"),
        (["grid.json", "best.json", "--saturation", "forbid", "--threshold", "1"], "--threshold: goes with slowdown"),
        (["grid.json", "best.json", "--saturation", "forbid", "--sharing", "max-min"], "--sharing: goes with slowdown"),
        (["grid.json", "best.json", "--slot", "-1"], r"--slot: must not be negative \(got '-1'\)"),
        (["-", "-"], "only one of the two files can come from stdin"),
        (["grid.json", "short.json"], "short.json: job A does not run"),
        (["mosp.json", "best.json"], "mosp.json: problem: only instances of co-allocation are executed"),
        (["uneven.json", "--order", "FPFS"], "slot: exact times need more than 40 digits from .*; choose a slot size"),
    ],
)
def test_bad_input(run, arguments, message):
    oas.save(Schedule([Placement("B", 0, 1, {"P": [0], "R": [0]})]), "short.json")
    oas.save(random_instance(1), "mosp.json")
    oas.save(uneven(200), "uneven.json")
    with pytest.raises(InputError, match=message):
        run(*arguments)


def test_unknown_policies_are_refused(run_here, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for options in (("--saturation", "slow"), ("--sharing", "fair")):
        done = run_here("execute", "grid.json", "best.json", *options)
        assert done.returncode == 2 and options[0] in done.stderr and options[1] in done.stderr


def test_what_ran_is_verified(run, monkeypatch):
    """An executor that ends jobs too early is found out."""
    loop = execution._event_loop
    monkeypatch.setattr(
        execution, "_event_loop", lambda *given: [(start, end - F(1, 9)) for start, end in loop(*given)]
    )
    with pytest.raises(VerificationError, match="the executed schedule breaks"):
        run("grid.json", "best.json")
