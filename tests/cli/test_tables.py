"""Tables in terminals of any width: names and figures stay whole, side columns go first, and that is said."""

from __future__ import annotations

import json
import re
import shutil
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import oas
from oas.cli.tables.fitted_table import FittedTable
from tests.commands import GRID

if TYPE_CHECKING:
    from pathlib import Path

WIDTHS = (120, 80, 60, 40)
LEFT_OUT = "not shown for lack of width: "


def fill(folder: Path) -> None:
    shutil.copy(GRID, folder / "grid.json")
    shutil.copy(GRID.with_name("organizations.json"), folder / "organizations.json")
    shutil.copy(GRID.with_name("batsim-jobs.csv"), folder / "log.csv")
    (folder / "one.toml").write_text(
        'name = "one"\n[[instances]]\nfiles = ["grid.json"]\n[[methods]]\nheuristics = ["FCFS", "LPT"]\n'
    )


def drawn(table: object, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width)
    console.print(table)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def example() -> FittedTable:
    table = FittedTable("method", side=("never there", "time", "executed makespan"))
    table.add_figures("makespan", "executed\nmakespan")
    table.add_names("proof")
    table.add_figures("time")
    table.add_row("package.module:function", "4,020,000", "3,516,000", "certificate", "0.001 s", style="bold")
    return table


@pytest.mark.parametrize("width", range(38, 80))
def test_no_line_is_too_long_and_no_cell_is_broken(width: int) -> None:
    lines = drawn(example(), width)
    assert max(map(len, lines)) <= width
    (row,) = [line for line in lines if line.startswith("package")]
    assert "4,020,000" in row and "certificate" in row
    assert row.startswith("package.module:function ") or "…" in row.split()[0]
    assert row.startswith("package.module:function ") is (width >= 23 + 9 + 11 + 4)


COMMANDS = {
    "compare": ("compare", "grid.json", "--only", "FCFS", "--heuristic", "mine:a_rule_of_my_own", "--time-limit", "1"),
    "organizations": ("compare", "organizations.json", "--only", "ILBA", "--only", "MOCCA", "--time-limit", "5"),
    "price": ("price", "organizations.json", "--locality", "1", "--locality", "none", "--time-limit", "5"),
    "slots": ("slots", "grid.json", "--percent", "100", "--time-limit", "1"),
    "library list": ("library", "list", "oas-8-3x4-*-s0"),
    "library show": ("library", "show", "oas-8-3x4-std-50-s0"),
    "appraise": ("appraise", "log.csv", "--processors", "16", "--jobs", "4", "--windows", "2", "--time-limit", "5"),
    "bench status": ("bench", "status", "one.toml"),
    "example": ("example",),
    "test-heuristic": ("test-heuristic", "mine:a_rule_of_my_own", "--random", "3", "--medium", "1", "-q"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_commands_tables_fit(folder, run_here, monkeypatch, command):
    (folder / "mine.py").write_text(
        "from heuristics.coallocation.list_engine import list_schedule\n"
        "def a_rule_of_my_own(instance, *, seed=0):\n"
        "    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)\n"
    )
    if command == "bench status":
        assert run_here("bench", "run", "one.toml", "--workers", "1", "-q").returncode == 0
    for width in WIDTHS if command in ("compare", "library list", "example") else (80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        shown = run_here(*COMMANDS[command])
        assert shown.returncode == 0, shown.stderr
        lines = shown.stdout.splitlines()
        assert max(map(len, lines)) <= width
        if command == "compare":
            first = [line.split()[0] for line in lines if line]
            assert "FCFS" in first and ("mine:a_rule_of_my_own" in first) is (width >= 60)
            assert any(line.startswith(LEFT_OUT) for line in lines) is (width < 120)
        if command == "library list":
            assert sum(line.startswith("oas-8-3x4-") for line in lines) == 12


def test_columns_by_name_as_table_and_as_latex(folder, run_here):
    asked = ("compare", "grid.json", "--only", "FCFS", "--time-limit", "1", "-q", "--columns", "method, above,makespan")
    head, _, rule = run_here(*asked).stdout.splitlines()[1:4]
    assert rule.startswith("───") and "above" in head
    shown = run_here(*asked, "--latex").stdout
    heading, *rows = [line for line in shown.splitlines() if line.endswith(r"\\")]
    assert re.fullmatch(r"method & above (optimum|bound) & makespan \\\\", heading)
    assert any(re.fullmatch(r"FCFS & [\d.]+ \\% & 6,030,000 \\\\", row) for row in rows) and len(rows) == 3
    assert r"\begin{tabular}{lrr}" in shown and r"\toprule" in shown
    assert any(line.startswith("% lower bound") for line in shown.splitlines())
    wrong = run_here("compare", "grid.json", "--columns", "method,makspan")
    assert wrong.returncode == 2 and "--columns: there is no such column; did you mean makespan?" in wrong.stderr
    assert run_here("compare", "grid.json", "--latex", "--json").returncode == 2


def test_verify_in_json(folder, run_here):
    instance = oas.load(folder / "grid.json")
    schedule = oas.solve(instance, time_limit=0.5).schedule
    oas.save(schedule, folder / "good.json")
    good = run_here("verify", "grid.json", "good.json", "--json")
    document = json.loads(good.stdout)
    assert good.returncode == 0 and document["holds"] and document["violations"] == []
    assert document["makespan"] == str(schedule.makespan)
    assert document["findings"][0].startswith("schedule: feasible, 8 jobs")
    oas.save(oas.Schedule(list(schedule.placements)[1:]), folder / "bad.json")
    bad = run_here("verify", "grid.json", "bad.json", "--json")
    document = json.loads(bad.stdout)
    assert bad.returncode == 3 and not document["holds"] and document["findings"] == []
    assert [one["rule"] for one in document["violations"]] == [
        one.rule for one in oas.verify(instance, oas.io.load_schedule(folder / "bad.json"))
    ]
    assert (
        document["error"] == "bad.json: the schedule breaks 1 rule:"
        and "bad.json: the schedule breaks 1 rule" in bad.stderr
    )


def test_examples_are_listed_and_written(folder, run_here):
    listed = run_here("example").stdout
    assert all(name in listed for name in ("grid.json", "organizations.json", "sacct.txt", "campaign.toml"))
    kept = run_here("example", "grid")
    assert kept.returncode == 2 and "exists already" in kept.stderr  # `fill` has put one there
    assert run_here("example", "sacct").stdout == "sacct.txt\n"
    assert (folder / "sacct.txt").read_bytes() == GRID.with_name("sacct.txt").read_bytes()
    assert run_here("example", "grid", "-o", "-").stdout.encode() == GRID.read_bytes()
    assert run_here("example", "grid", "-o", "grid.json").returncode == 0
    assert run_here("example", "-o", "x.json").returncode == 2
    assert "did you mean campaign" in run_here("example", "campain").stderr
