"""Saturated links as a user types them: `oas execute`, `oas price --saturation`, and pictures of both."""

from __future__ import annotations

import csv
import json
from fractions import Fraction as F

import pytest

import oas
from oas.cli.main import app
from oas.core.errors import InputError, VerificationError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.coallocation import execution
from oas.problems.coallocation.execution import execute
from tests.commands import check_mistake, rows_of
from tests.heuristics.coallocation.test_slowdown import uneven
from tests.problems.coallocation.grids import four_jobs as grid
from tests.problems.coallocation.grids import plan
from tests.problems.mosp.instances import random_instance
from tests.studies.test_saturation_price import pair

BEST = (0, F(32, 3), F(26, 3), 0)  # starts of the optimum under slowdown


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run the command in this process; return what it printed on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    oas.save(grid("slowdown"), "grid.json")
    oas.save(execute(grid("slowdown"), plan(BEST), keep_starts=True).schedule, "best.json")

    def call(*arguments):
        assert not app(["execute", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def test_a_plan_that_keeps_its_starts(run):
    shown = rows_of(run("grid.json", "best.json", "--keep-starts").out)
    assert "planned 21.333" in shown and "executed 21.333, ratio to the plan 1" in shown
    assert "slowdown of jobs: mean 1.061, greatest 1.067 (job A)" in shown
    assert "Q 1 2 2 2 9.38 %" in shown and "P 9 2 1 0 0 %" not in shown and "P 9 1 1 0 0 %" in shown


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grid.json"], "PLAN: either a plan or an order is needed"),
        (["grid.json", "best.json", "--order", "FCFS"], "--order: either a plan or an order is needed"),
        (["grid.json", "--order", "FCFS", "--keep-starts"], "--keep-starts: goes with a plan"),
        (["grid.json", "best.json", "--threshold", "0"], r"--threshold: must be above 0 and at most 1 \(got '0'\)"),
        (["grid.json", "best.json", "--saturation", "forbid", "--threshold", "1"], "--threshold: goes with slowdown"),
        (["-", "-"], "only one of the two files can come from stdin"),
        (["grid.json", "short.json"], "short.json: job A does not run"),
        (["mosp.json", "best.json"], "mosp.json: problem: only instances of co-allocation are executed"),
    ],
)
def test_executions_of_bad_input(run, arguments, message):
    oas.save(Schedule([Placement("B", 0, 1, {"P": [0], "R": [0]})]), "short.json")
    oas.save(random_instance(1), "mosp.json")
    oas.save(uneven(200), "uneven.json")
    with pytest.raises(InputError, match=message):
        run(*arguments)


def test_what_ran_is_verified(run, monkeypatch):
    """An executor that ends jobs too early is found out."""
    loop = execution._event_loop
    monkeypatch.setattr(
        execution, "_event_loop", lambda *given: [(start, end - F(1, 9)) for start, end in loop(*given)]
    )
    with pytest.raises(VerificationError, match="the executed schedule breaks"):
        run("grid.json", "best.json")


PRICE = ("price", "pair.json", "--saturation", "-q")


def fill(folder):
    """Two jobs that saturate a link together, a plan that runs them in turn, and one that runs both at once."""
    oas.save(pair(), folder / "pair.json")
    oas.save(oas.load_example("organizations"), folder / "shared.json")
    first, second = {"P": [0, 1], "Q": [0]}, {"R": [0, 1], "Q": [1]}
    for name, start in (("turns", 12), ("both", 0)):
        placements = [oas.Placement("A", 0, 12, first), oas.Placement("B", start, start + 12, second)]
        oas.save(oas.Schedule(placements), folder / f"{name}.json")


def test_table_picture_and_csv(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "1,1/2,none", "--plot", "p.png", "-o", "p.csv")
    assert done.returncode == 0, done.stderr
    shown = rows_of(done.stdout)
    for begin in ("forbid 24 24 optimal 1 ", "threshold 1 24 24 optimal 1 ", "threshold none 18 18 optimal 1.333 "):
        assert any(line.startswith(begin) for line in shown), done.stdout
    assert "sharing: paper" in shown
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG") and "picture written to p.png" in done.stderr
    table = list(csv.DictReader((folder / "p.csv").read_text(encoding="utf-8").splitlines()))
    assert [(one["policy"], one["threshold"], one["makespan"]) for one in table] == [
        ("forbid", "", "24"),
        ("slowdown", "1", "24"),
        ("slowdown", "1/2", "18"),
        ("slowdown", "", "18"),
    ]
    assert [one["ratio_low"] for one in table] == [one["ratio_high"] for one in table] == ["1", "1", "4/3", "4/3"]


def test_json(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "none", "--sharing", "max-min", "--json", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    copy = json.loads((folder / "p.json").read_text(encoding="utf-8"))
    assert copy == document and document["instance"] == pair().digest and not document["interrupted"]
    assert document["sharing"] == "max-min" and document["forbid"]["makespan"] == "24"
    (point,) = document["slowdown"]
    assert (point["threshold"], point["status"], point["makespan"]) == (None, "optimal", "18")
    assert point["ratio"] == ["4/3", "4/3"] and point["lower_bound"] == "18" and point["proof"]
    schedule = oas.io.loads_any(json.dumps(point["schedule"]).encode())
    under = pair().with_saturation({"policy": "slowdown", "sharing": "max-min"})
    assert oas.verify(under, schedule) == [] and schedule.makespan == 18


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pair.json", "--saturation", "--thresholds", "1/2,5/4"), "--thresholds: must be above 0 and at most 1"),
        (("pair.json", "--saturation", "--locality", "1"), "--locality: cannot be given with --saturation"),
        (("shared.json", "--thresholds", "1"), "--thresholds: goes with --saturation alone"),
        (("shared.json", "--saturation"), "shared.json: "),
    ],
)
def test_prices_of_bad_input(run_here, arguments, words):
    check_mistake(run_here("price", *arguments, "-q"), words)
