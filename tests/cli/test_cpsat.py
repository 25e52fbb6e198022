"""CP-SAT from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands import GRID

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.commands import Shown

    Run = Callable[..., Shown]


@pytest.mark.slow
def test_solve_with_cpsat_checked_by_highs(run_here: Run) -> None:
    done = run_here("solve", str(GRID), "--solver", "cpsat", "--check", "highs", "--json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert (result["status"], result["formulation"]) == ("optimal", "counts")
    assert [claim["formulation"] for claim in result["proof"]["claims"]] == ["counts", "start-indexed"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--solver", "highs", "--formulation", "counts"], "highs takes start-indexed or literal; counts is for cpsat"),
        (["--solver", "cpsat", "--formulation", "literal"], "cpsat takes counts; literal is for highs, cbc"),
        (["--check", "cpsat:literal"], "cpsat takes counts; literal is for highs, cbc"),
        (["--solver", "cpsat", "--option", "threads=2"], "CP-SAT has no such parameter"),
        (["--solver", "cpsat", "--option", "num_workers=2"], "is set by Settings and Limits"),
    ],
    ids=str,
)
def test_what_does_not_go_together(run_here: Run, arguments: list[str], reason: str) -> None:
    done = run_here("solve", str(GRID), "-q", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


def test_no_mip_file_of_a_cpsat_model(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "grid.lp"
    done = run_here("export", str(GRID), "--lp", str(path), "--formulation", "counts")
    assert done.returncode == 2 and not path.exists()
    assert "LP and MPS files hold MIP models only" in done.stderr


def test_the_doctor_lists_cpsat(run_here: Run) -> None:
    listed = json.loads(run_here("doctor", "--quick", "--json").stdout)["solvers"]
    assert [one["name"] for one in listed] == ["highs", "cbc", "cpsat"]
