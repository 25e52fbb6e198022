"""Options of a solve in the API and the commands, their errors, and the limit at η = 0."""

import inspect
import json
from dataclasses import fields
from typing import get_type_hints

import pytest

import oas
from heuristics import FCFS
from oas.cli.commands.compare import compare_command
from oas.cli.commands.solve import solve_command
from oas.cli.options import SolveArguments
from oas.cli.plain_help import spread
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.solving.options import Options
from tests.commands import check_mistake

OPTIONS = {one.name: one.default for one in fields(Options) if one.name not in ("problem", "instance")}
CHANGED = {"check", "gap", "solver_options"}  # whose defaults differ in type


def test_solve_has_these_parameters():
    parameters = inspect.signature(oas.solve).parameters
    further = ["start", "placements", "schedules", "on_progress", "display", "on_interrupt"]
    assert list(parameters) == ["instance", *OPTIONS, *further]
    assert all(parameters[name].default == value for name, value in OPTIONS.items() if name not in CHANGED)


def test_commands_have_an_option_for_each_argument():
    asked = {one.name: one.default for one in fields(SolveArguments)}
    assert [name for name in asked if name not in ("slot", "start")] == [
        {"solver_options": "option"}.get(one, one) for one in OPTIONS
    ]
    assert all(asked[name] == value for name, value in OPTIONS.items() if name not in CHANGED)
    hints = get_type_hints(SolveArguments, include_extras=True)
    for command in (solve_command, compare_command):
        parameters = inspect.signature(spread(command)).parameters
        assert [name for name in parameters if name in asked] == list(asked)
        assert all(parameters[name].annotation == hints[name] for name in asked)
        assert all(parameters[name].default == default for name, default in asked.items())


def fill(folder):
    """An instance, a schedule, one with two jobs on a node simultaneously, and one with an invalid start."""
    grid = oas.load_example("grid")
    oas.save(grid, folder / "grid.json")
    oas.save(WASTEFUL, folder / "wasteful.json")
    oas.save(FCFS(grid), folder / "start.json", instance=grid)
    document = json.loads((folder / "start.json").read_text())
    placements = document["placements"]
    last = placements[-1]
    last["start"], last["end"] = 0, last["end"] - last["start"]
    (folder / "twice.json").write_text(json.dumps(document))
    placements[0]["start"] = "x"
    (folder / "broken.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--start twice.json", "twice.json: --start: the schedule is not feasible: [capacity] node 0 of cluster C3"),
        ("--start broken.json", "broken.json: placements[0].start: not a number; "),
        ("--start grid.json", "grid.json: format: an oas-schedule or oas-result file is needed (got 'oas-instance')"),
        ("--threads 2 --formulation brute-force", "--threads: enumeration runs in one"),
        ("--memory-limit 4000", '--memory-limit: must be a size with its unit, such as "4 GiB"'),
        ("--check highs:magic", "--check: unknown; known: start-indexed, literal, counts, runs (got 'magic')"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "compare"])
def test_an_error_names_file_and_option(run_here, command, asked, said):
    check_mistake(run_here(command, "grid.json", "-q", *asked.split()), f"oas: {said}")


# One node; 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
WASTEFUL = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=1, name="wasteful"
)


@pytest.fixture
def run(run_here):
    def call(*arguments):
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_solve_shows_the_continuous_bound(run):
    lines = run("solve", "wasteful.json").splitlines()
    told = {line[:11].strip(): line[11:].strip() for line in lines[1:9]}
    assert told["makespan"].startswith("3 = 3 slots, by ")
    assert told["executed"] == "2 without the slot grid"
    assert told["η = 0"].startswith("bound 2 (proven optimum), proof: certificate (")
    assert "η = 0  " not in run("solve", "wasteful.json", "--slot", "0")


def test_compare_shows_the_continuous_bound_in_table_and_json(folder, run):
    assert "executed makespans are compared with η = 0: bound 2 (proven optimum)" in run("compare", "wasteful.json")
    document = json.loads(run("compare", "wasteful.json", "--json"))
    limit = document["continuous"]
    figures = {name: limit[name] for name in ("slots", "slotted", "executed", "lower_bound", "best", "proven")}
    assert figures == {"slots": 3, "slotted": "3", "executed": "2", "lower_bound": "2", "best": "2", "proven": True}
    (folder / "limit.json").write_text(json.dumps(limit["result"]))
    oas.save(WASTEFUL.with_slot(0), folder / "continuous.json")
    assert "optimal" in run("verify", "continuous.json", "limit.json")
    document = json.loads(run("compare", "wasteful.json", "--json", "--slot", "0"))
    assert document["continuous"] is None
