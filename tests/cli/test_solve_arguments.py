"""The options of a solve are the same ones, with the same defaults, wherever they are named."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from typing import get_type_hints

import pytest

import oas
from heuristics import FCFS
from oas.campaigns.declaration import MethodsTable
from oas.cli.commands.compare import compare_command
from oas.cli.commands.solve import solve_command
from oas.cli.solve_arguments import SolveArguments
from oas.exact.options import Options, SolveOptions, SolverOptions

OPTIONS = {one.name: one.default for one in fields(Options) if one.name not in ("problem", "instance")}
CHANGED = {"check", "gap", "solver_options"}  # whose defaults differ in type


def test_solve_takes_them():
    parameters = inspect.signature(oas.solve).parameters
    further = ["start", "placements", "schedules", "on_progress", "display", "on_interrupt"]
    assert list(parameters) == ["instance", *OPTIONS, *further]
    assert all(parameters[name].default == value for name, value in OPTIONS.items() if name not in CHANGED)


def test_studies_hand_them_on():
    assert set(SolverOptions.__annotations__) == set(OPTIONS) - {"seed"}
    assert set(SolveOptions.__annotations__) == {*OPTIONS, "start", "on_progress"}


def test_commands_have_one_each():
    asked = {one.name: one.default for one in fields(SolveArguments)}
    assert [name for name in asked if name not in ("slot", "start")] == [
        {"solver_options": "option"}.get(one, one) for one in OPTIONS
    ]
    assert all(asked[name] == value for name, value in OPTIONS.items() if name not in CHANGED)
    hints = get_type_hints(SolveArguments, include_extras=True)
    for command in (solve_command, compare_command):
        parameters = inspect.signature(command).parameters
        assert [name for name in parameters if name in asked] == list(asked)
        assert all(parameters[name].annotation == hints[name] for name in asked)
        assert all(parameters[name].default == default for name, default in asked.items())


def test_they_reach_the_solve():
    assert set(SolveArguments().for_solve()) == {*OPTIONS, "start"}
    given = SolveArguments(check=["cbc"], memory_limit=2, option=["gap=0.5"], slot="3", seed=4).for_solve()
    assert given["check"] == ["cbc"] and given["memory_limit"] == 2 << 20
    assert given["solver_options"] == {"gap": 0.5} and given["seed"] == 4


def test_campaigns_have_the_same_defaults():
    table = MethodsTable(exact=Options.solver)
    assert (table.formulation, table.threads) == (Options.formulation, Options.threads)


def fill(folder):
    """An instance, a schedule of it, one with two jobs on a node at once, and one with a start that is no number."""
    grid = oas.load_example("grid")
    oas.save(grid, folder / "grid.json")
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
        ("--start none.json", "none.json: --start: cannot be read: No such file or directory"),
        ("--threads 2 --formulation brute-force", "--threads: enumeration runs in one"),
        ("--gap ten", "--gap: must be a ratio such as 0.01, or 1% (got 'ten')"),
        ("--option a=1", "--option: the search of solver auto takes none"),
        ("--check highs:magic", "--check: unknown; known: start-indexed, literal, counts (got 'magic')"),
        ("--formulation litteral", "--formulation: unknown; did you mean literal?"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "compare"])
def test_an_error_names_file_and_option(run_here, command, asked, said):
    done = run_here(command, "grid.json", "-q", *asked.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"oas: {said}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--only", "--heuristic"])
def test_an_unknown_heuristic_is_named_with_its_option(run_here, option):
    done = run_here("compare", "grid.json", "-q", option, "FCSF")
    assert done.returncode == 2
    assert done.stderr.startswith(f"oas: {option}: unknown; did you mean FCFS? known: FCFS, ")
