"""Nothing that cannot be true goes unsaid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.agreement.coallocation.optima import late
from benchmarks.proof_rates.coallocation import __main__ as command
from benchmarks.proof_rates.coallocation import measure
from benchmarks.proof_rates.coallocation.plans import PLANS, Cell
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.answers import mismatch
from benchmarks.proof_rates.shared.plans import Plan
from benchmarks.proof_rates.shared.rows import read_rows
from oas.core.result import Status
from tests.benchmarks.proof_rates.coallocation.rows import answer

QUICK = Cell(jobs=4, percent="100", seconds=5.0, rival_seconds=5.0)


@pytest.mark.parametrize(
    ("own", "rival"),
    [
        (answer(30, 30), answer(30, 30)),
        (answer(30, 30), answer(28, 33)),
        (answer(28, 33), answer(30, 30)),
        (answer(28, 33), answer(None, 35, termination="killed")),
        (answer(28, 33), answer(33, 33)),
    ],
)
def test_what_can_be_true_is_no_mismatch(own, rival):
    assert mismatch(own, rival, True) == ""


@pytest.mark.parametrize(
    ("own", "rival", "said"),
    [
        (answer(30, 30), answer(31, 31), "CP-SAT proves at least 31, oas.solve has a verified schedule of 30"),
        (answer(30, 30), answer(29, 29), "oas.solve proves at least 30, CP-SAT has a verified schedule of 29"),
        (answer(30, 33), answer(0, 29), "oas.solve proves at least 30, CP-SAT has a verified schedule of 29"),
        (answer(30, 33), answer(34, 35), "CP-SAT proves at least 34, oas.solve has a verified schedule of 33"),
        (answer(34, 33), answer(30, 34), "oas.solve proves at least 34, it has a verified schedule of 33"),
        (answer(30, 30), answer(30, 30, termination="error"), "CP-SAT ended in an error"),
        (answer(30, 30, termination="error"), answer(30, 30), "oas.solve ended in an error"),
        (answer(None, None), answer(30, 30), "no schedule"),
    ],
)
def test_what_cannot_be_true_is_said(own, rival, said):
    assert said in mismatch(own, rival, True)


def test_an_optimum_is_proven_where_bound_and_schedule_meet_and_nothing_went_wrong():
    assert answer(30, 30).proven and answer(30, 30, termination="time_limit").proven
    for open_or_wrong in (
        answer(29, 30),
        answer(31, 30),
        answer(None, 30),
        answer(30, None),
        answer(None, None),
        answer(30, 30, termination="error"),
    ):
        assert not open_or_wrong.proven


def test_a_certificate_that_is_not_confirmed_is_a_mismatch():
    assert "re-check" in mismatch(answer(), answer(), False)


@pytest.fixture
def quick_plan(monkeypatch):
    monkeypatch.setitem(PLANS, "smoke", Plan("Quick", (QUICK,), 2))
    monkeypatch.setattr(command, "warm_up", lambda: None)


def test_a_wrong_optimum_is_reported_loudly(quick_plan, monkeypatch, tmp_path, capsys):
    real = measure.solve

    def lying(instance, **options):
        poor = late(instance)
        return replace(real(instance, **options), status=Status.OPTIMAL, schedule=poor, lower_bound=poor.makespan)

    monkeypatch.setattr(measure, "solve", lying)
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    assert command.main(["--plan", "smoke", "--rows", str(rows), "--report", str(page)]) == 1
    wrong = [row for row in read_rows(rows, CoallocationRow) if row.mismatch]
    assert len(wrong) == 2 and all("oas.solve proves at least" in row.mismatch for row in wrong)
    assert capsys.readouterr().err.count("MISMATCH: 4 jobs on 3x4") >= 2
    assert "**2 MISMATCHES**" in page.read_text(encoding="utf-8")
    assert "2 mismatches" in page.read_text(encoding="utf-8")


def test_a_crash_of_one_instance_is_a_mismatch_and_the_others_go_on(quick_plan, monkeypatch, tmp_path, capsys):
    real = measure.solve
    calls = []

    def failing(instance, **options):
        calls.append(instance)
        if len(calls) == 1:
            raise RuntimeError("out of tune")
        return real(instance, **options)

    monkeypatch.setattr(measure, "solve", failing)
    rows = tmp_path / "rows.jsonl"
    assert command.main(["--plan", "smoke", "--rows", str(rows)]) == 1
    first, second = read_rows(rows, CoallocationRow)
    assert "out of tune" in first.mismatch and not first.own.proven and first.rival.proven
    assert second.own.proven and second.mismatch == ""
    assert "Traceback" in capsys.readouterr().err
