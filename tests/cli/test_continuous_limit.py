"""What `oas solve` and `oas compare` say of η = 0, as a user sees it."""

from __future__ import annotations

import json

import pytest

import oas
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.studies import continuous_limit

# One node; 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
INSTANCE = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=1, name="wasteful"
)


def fill(folder):
    oas.save(INSTANCE, folder / "grid.json")


@pytest.fixture
def run(run_here):
    def call(*arguments):
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_solve_sets_it_beside_the_makespan(run):
    lines = run("solve", "grid.json").splitlines()
    told = {line[:11].strip(): line[11:].strip() for line in lines[1:9]}
    assert told["makespan"].startswith("3 = 3 slots, by ")
    assert told["executed"] == "2 without the slot grid"
    assert told["η = 0"].startswith("bound 2 (proven optimum), proof: certificate (")
    assert "η = 0  " not in run("solve", "grid.json", "--slot", "0")


def test_json_of_solve_stays_a_result_file(folder, run):
    text = run("solve", "grid.json", "--json", "--output", "result.json")
    assert json.loads(text)["objective"] == 3 and "continuous" not in text
    assert json.loads((folder / "result.json").read_text())["objective"] == 3
    assert "optimal" in run("verify", "grid.json", "result.json")


@pytest.mark.parametrize(
    "arguments", [[], ["--json"], ["--output", "result.json"], ["--json", "--output", "result.json"]]
)
def test_the_format_does_not_decide_what_is_computed(run, monkeypatch, arguments):
    solved, honest = [], continuous_limit.solve

    def noted(instance, **asked):
        solved.append(instance.slot)
        return honest(instance, **asked)

    monkeypatch.setattr(continuous_limit, "solve", noted)
    run("solve", "grid.json", *arguments)
    assert solved == [1, 0]


def test_compare_tells_it_beneath_the_table_and_in_json(folder, run):
    assert "executed makespans are compared with η = 0: bound 2 (proven optimum)" in run("compare", "grid.json")
    document = json.loads(run("compare", "grid.json", "--json"))
    limit = document["continuous"]
    figures = {name: limit[name] for name in ("slots", "slotted", "executed", "lower_bound", "best", "proven")}
    assert figures == {
        "slots": 3,
        "slotted": "3",
        "executed": "2",
        "lower_bound": "2",
        "best": "2",
        "proven": True,
    }
    (folder / "limit.json").write_text(json.dumps(limit["result"]))
    oas.save(INSTANCE.with_slot(0), folder / "continuous.json")
    assert "optimal" in run("verify", "continuous.json", "limit.json")
    document = json.loads(run("compare", "grid.json", "--json", "--slot", "0"))
    assert document["continuous"] is None


def test_compare_shows_the_time_of_the_continuous_optimum_or_skips_it(folder, run):
    (row,) = [line for line in run("compare", "grid.json").splitlines() if line.startswith("optimum, η = 0 ")]
    assert row.split()[4:7] == ["–", "–", "2"] and row.endswith(" s")
    shown = run("compare", "grid.json", "--no-continuous")
    assert "optimum, η = 0" not in shown and "compared with η = 0" not in shown and "executed" in shown


@pytest.mark.parametrize("width", [40, 41, 60])
def test_no_line_is_broken_inside_it(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("compare", "grid.json", "--only", "SJF").splitlines()
    assert sum("η = 0" in line for line in lines) >= 2 and any("η = 1" in line for line in lines)
    assert not any(line.endswith(("η", "η =")) or line.startswith(("=", "0")) for line in lines)
