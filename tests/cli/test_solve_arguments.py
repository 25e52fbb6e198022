"""The options of a solve are the same ones, with the same defaults, wherever they are named."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_type_hints

import oas
from oas.campaigns.declaration import MethodsTable
from oas.cli.commands.compare import compare_command
from oas.cli.commands.solve import solve_command
from oas.cli.solve_arguments import SolveArguments
from oas.exact.options import Options, SolveOptions, SolverOptions

OPTIONS = {one.name: one.default for one in fields(Options) if one.name != "problem"}
CHANGED = {"check", "gap", "solver_options"}  # whose defaults differ in type


def test_solve_takes_them():
    parameters = inspect.signature(oas.solve).parameters
    assert list(parameters) == ["instance", *OPTIONS, "start", "schedules", "on_progress", "display"]
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
