"""Two instances of 6 jobs with real solvers, from the command to the page; going on; CP-SAT left out; bad input."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.mosp.optima import longest_start
from benchmarks.proof_rates.mosp.reservations import __main__ as command
from benchmarks.proof_rates.mosp.reservations import measure, plans
from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow
from benchmarks.proof_rates.shared.rows import read_rows
from oas.core.result import Bound, Proof, ProofKind, Status

if TYPE_CHECKING:
    from pathlib import Path

    from oas.core.result import Result
    from oas.problems.mosp.instance import MospInstance


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Options for two instances of 6 jobs within a limit that ends some stage or other; nothing to warm up."""
    monkeypatch.setattr(plans, "CLASSES", ("general",))
    monkeypatch.setattr(command, "warm_up", lambda _: None)
    options = ["--plan", "random", "--jobs", "6", "--seeds", "1", "--seconds", "0.5"]
    return [*options, "--rows", str(tmp_path / "rows.jsonl"), "--report", str(tmp_path / "page.md")]


def test_two_instances_have_rows_and_a_page(quick: list[str], tmp_path: Path, capsys) -> None:
    assert command.main(quick) == 0
    rows = read_rows(tmp_path / "rows.jsonl", ReservationRow)
    assert [(row.cell.jobs, row.cell.releases) for row in rows] == [(6, False), (6, True)]
    for row in rows:
        assert row.digest == row.cell.instance(row.seed).digest and row.mismatch == ""
        assert row.rechecked and row.confirmed is not None
        assert row.own.lower is not None and row.own.upper is not None and row.rival.upper is not None
        assert row.confirmed <= row.own.lower <= row.rival.upper and row.rival.lower <= row.own.upper
        assert row.own.proven == bool(row.closed_by) == (row.status == "optimal")
        assert row.rival_proof
    assert "| 6 | 2 |" in (tmp_path / "page.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert command.main(quick) == 0
    assert "0 of 2 instances to solve" in capsys.readouterr().err


def test_cp_sat_left_out_makes_rows_of_their_own(quick: list[str], tmp_path: Path) -> None:
    assert command.main([*quick, "--no-rival"]) == 0
    rows = read_rows(tmp_path / "rows.jsonl", ReservationRow)
    assert [(row.rival.termination, row.rival.lower, row.rival.upper) for row in rows] == [("left out", None, None)] * 2
    assert not any(row.cell.rival or row.rival_proof or row.mismatch for row in rows)


def test_bad_input_is_one_line(quick: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    assert command.main([*quick, "--seconds", "0"]) == 2
    assert capsys.readouterr().err.startswith("--seconds: must be above 0")
    assert command.main([*quick, "--jobs", "0"]) == 2
    assert "jobs: " in capsys.readouterr().err
    monkeypatch.setattr(command, "usable", lambda _: False)
    assert command.main(quick) == 2
    assert "--no-rival leaves it out" in capsys.readouterr().err
    assert read_rows(tmp_path / "rows.jsonl", ReservationRow) == []


def test_a_wrong_optimum_is_reported_loudly(quick: list[str], monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """All jobs one after another, called optimal: no bound confirms that, and CP-SAT has a shorter schedule."""
    real = measure.solve

    def lying(instance: MospInstance, **options: object) -> Result:
        result = real(instance, **options)
        if options.get("solver"):
            return result
        poor = longest_start(instance)
        proof = Proof(ProofKind.CERTIFICATE, Bound("area", poor.makespan, certificate={}))
        return replace(result, status=Status.OPTIMAL, schedule=poor, lower_bound=poor.makespan, proof=proof)

    monkeypatch.setattr(measure, "solve", lying)
    assert command.main(quick) == 1
    said = capsys.readouterr().err
    assert said.count("oas.solve proves at least") >= 2 and "not confirmed by its re-check" in said
