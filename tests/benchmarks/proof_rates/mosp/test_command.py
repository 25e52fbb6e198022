"""The smoke plan with real solvers, from the command to the page; going on where a run was cut off; loud mismatches."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import msgspec
import pytest

from benchmarks.proof_rates.mosp import __main__ as command
from benchmarks.proof_rates.mosp import measure
from benchmarks.proof_rates.mosp.plans import PLANS, Cell, cases
from benchmarks.proof_rates.mosp.ratios import METHODS
from benchmarks.proof_rates.mosp.rows import MospRow
from benchmarks.proof_rates.shared.plans import Plan
from benchmarks.proof_rates.shared.rows import latest, read_rows
from heuristics.registry import find_method
from oas.bounds.mosp.paper import paper_bound
from oas.core.result import Bound, Proof, ProofKind, Status
from oas.core.verifier import verify
from oas.problems.mosp.instance import MospInstance

pytestmark = pytest.mark.slow  # one round of the smoke plan solves for half a minute


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """Rows and page of one round of the smoke plan."""
    folder = tmp_path_factory.mktemp("smoke")
    rows, page = folder / "rows.jsonl", folder / "page.md"
    assert command.main(["--plan", "smoke", "--seeds", "1", "--rows", str(rows), "--report", str(page)]) == 0
    return rows, page


def test_every_instance_has_a_row(smoke):
    rows = read_rows(smoke[0], MospRow)
    assert [row.case for row in rows] == list(cases(["smoke"], 1))
    for row in rows:
        instance = row.cell.instance(row.seed)
        assert row.digest == instance.digest and row.mismatch == ""
        assert row.rechecked and row.confirmed is not None and row.confirmed <= row.own.lower
        assert row.paper_bound == paper_bound(instance) <= row.combinatorial <= row.own.lower <= row.own.upper
        assert row.combinatorial <= row.rival.lower <= row.own.upper <= row.start
        assert row.own.proven == bool(row.closed_by) == (row.status == "optimal")
        assert {"oas-scheduling", "python"} <= set(row.versions)
        assert row.found_by


def test_the_heuristics_are_those_of_the_instance(smoke):
    for row in read_rows(smoke[0], MospRow):
        instance = row.cell.instance(row.seed)
        assert set(METHODS) <= set(row.heuristics)
        for name in METHODS:
            assert row.heuristics[name] == find_method(name, MospInstance)(instance).makespan
        keeping = [
            makespan
            for name, makespan in row.heuristics.items()
            if not verify(instance, find_method(name, MospInstance)(instance))
        ]
        assert row.start == min(keeping) <= row.heuristics["ILBA"]


def test_small_instances_are_proven_by_both(smoke):
    for row in read_rows(smoke[0], MospRow):
        assert row.own.proven and row.rival.proven and row.own.upper == row.rival.upper


def test_the_page_has_a_line_for_each_cell(smoke):
    text = smoke[1].read_text(encoding="utf-8")
    for cell in PLANS["smoke"].cells:
        locality = cell.locality or "none"
        head = f"| {cell.workload} | {cell.jobs} | {cell.organizations} | {cell.processors} | – | {locality} |"
        assert f"{head} 1 of 1 |" in text
    assert "0 mismatches" in text and "MISMATCHES" not in text
    assert "both proven, on 1 of 1 instances" in text


def test_a_run_that_was_cut_off_goes_on(smoke, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "warm_up", lambda: None)  # the fixture's run has done so
    whole = smoke[0].read_bytes()
    kept = b"".join(whole.splitlines(keepends=True)[1:])
    path = tmp_path / "rows.jsonl"
    path.write_bytes(kept + whole[:100])
    assert command.main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    assert "1 of 4 instances to solve" in capsys.readouterr().err
    assert path.read_bytes().startswith(kept) and len(read_rows(path, MospRow)) == 4
    assert command.main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    assert "0 of 4 instances to solve" in capsys.readouterr().err


@pytest.fixture
def quick_plan(monkeypatch):
    quick = Cell(organizations=2, jobs=5, seconds=30.0, rival_seconds=60.0)
    monkeypatch.setitem(PLANS, "smoke", Plan("Quick", (quick,), 2))
    monkeypatch.setattr(command, "warm_up", lambda: None)


def test_rows_of_another_source_are_made_again(quick_plan, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    assert command.main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    (first,) = read_rows(path, MospRow)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(first, source="another")) + b"\n")
    assert command.main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    assert "1 of them again" in capsys.readouterr().err
    rows = read_rows(path, MospRow)
    assert [row.source == "another" for row in rows] == [True, False] and latest(rows) == rows[1:]


def test_a_wrong_optimum_is_reported_loudly(quick_plan, monkeypatch, tmp_path, capsys):
    """Local schedules, called optimal: CP-SAT finds shorter ones, and no bound confirms them."""
    real = measure.solve

    def lying(instance, **options):
        result = real(instance, **options)
        poor = find_method("local", MospInstance)(instance)
        proof = Proof(ProofKind.CERTIFICATE, Bound("area", poor.makespan, certificate={}))
        return replace(result, status=Status.OPTIMAL, schedule=poor, lower_bound=poor.makespan, proof=proof)

    monkeypatch.setattr(measure, "solve", lying)
    rows, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    assert command.main(["--plan", "smoke", "--rows", str(rows), "--report", str(page)]) == 1
    found = read_rows(rows, MospRow)
    shorter = [row for row in found if row.rival.upper < row.own.upper]
    assert shorter and all("oas.solve proves at least" in row.mismatch for row in shorter)
    assert all("re-check" in row.mismatch and row.confirmed is None for row in shorter)
    assert capsys.readouterr().err.count("MISMATCH: uni, N = 2, n = 5") >= 2
    assert "MISMATCHES**" in page.read_text(encoding="utf-8")


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
    assert command.main(["--plan", "smoke", "--rows", str(rows), "--report", str(tmp_path / "page.md")]) == 1
    first, second = read_rows(rows, MospRow)
    assert "out of tune" in first.mismatch and not first.own.proven and first.rival.proven
    assert second.own.proven and second.mismatch == ""
    assert "Traceback" in capsys.readouterr().err


def test_cp_sat_has_no_more_time_and_nothing_to_do_where_the_start_is_proven():
    easy = Cell(workload="swf", organizations=5, processors=128, seconds=5.0)
    row = measure.measure(next(iter(cases(["smoke"])))._replace(cell=easy))
    assert row.start == row.combinatorial == row.own.upper and row.rival.proven and row.rival.seconds == 0.0


def test_a_line_of_the_other_benchmark_is_no_row(smoke, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    first = smoke[0].read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(first + first.replace(b'"heuristics"', b'"trivial"'))
    assert command.main(["--rows", str(path)]) == 2
    assert "line 2" in capsys.readouterr().err
    assert command.main(["--rows", str(tmp_path / "none.jsonl")]) == 2


def test_the_paper_bound_is_exact(smoke):
    assert all(isinstance(row.paper_bound, Fraction) for row in read_rows(smoke[0], MospRow))
