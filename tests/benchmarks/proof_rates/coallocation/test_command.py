"""The smoke plan with real solvers, from the command to the page; going on where a run was cut off."""

from __future__ import annotations

import signal
import subprocess
import sys

import msgspec
import psutil
import pytest

from benchmarks.proof_rates.coallocation.__main__ import main
from benchmarks.proof_rates.coallocation.plans import PLANS, Cell, cases
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.plans import Plan
from benchmarks.proof_rates.shared.rows import RowFile, latest, read_rows
from benchmarks.proof_rates.shared.stages import disjoint
from oas.core.errors import InputError

pytestmark = pytest.mark.slow  # one round of the smoke plan solves for half a minute


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """Rows and page of one round of the smoke plan."""
    folder = tmp_path_factory.mktemp("smoke")
    rows, page = folder / "rows.jsonl", folder / "page.md"
    assert main(["--plan", "smoke", "--seeds", "1", "--rows", str(rows), "--report", str(page)]) == 0
    return rows, page


def test_every_instance_has_a_row(smoke):
    rows = read_rows(smoke[0], CoallocationRow)
    assert [row.case for row in rows] == list(cases(["smoke"], 1))
    for row in rows:
        instance = row.cell.instance(row.seed)
        assert row.digest == instance.digest
        assert row.rechecked and row.mismatch == ""
        assert row.trivial <= row.combinatorial <= row.own.lower <= row.own.upper
        assert row.rival.lower is None or row.rival.lower <= row.own.upper
        assert sum(disjoint(row.stages).values()) <= row.own.seconds
        assert set(row.stages) >= {"start", "bounds"}
        assert row.steps[-1][1:] == (row.own.lower, row.own.upper)
        assert {"oas-scheduling", "python", "cpsat"} <= set(row.versions)
        assert row.own.proven == bool(row.closed_by)


def test_small_instances_are_proven_by_both(smoke):
    small = [row for row in read_rows(smoke[0], CoallocationRow) if row.cell.jobs == 8]
    assert len(small) == 2
    for row in small:
        assert row.own.proven and row.rival.proven and row.own.upper == row.rival.upper


def test_the_page_has_a_line_for_each_cell(smoke):
    text = smoke[1].read_text(encoding="utf-8")
    for cell in PLANS["smoke"].cells:
        assert f"| {cell.jobs} | {cell.grid} | {cell.bandwidth} | {cell.percent} |" in text
    assert "0 mismatches" in text and "MISMATCHES" not in text


def test_a_run_that_was_cut_off_goes_on(smoke, tmp_path, monkeypatch, capsys):
    whole = smoke[0].read_bytes()
    kept = b"".join(whole.splitlines(keepends=True)[1:])
    path = tmp_path / "rows.jsonl"
    path.write_bytes(kept + whole[:100])
    assert main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    assert "1 of 3 instances to solve" in capsys.readouterr().err
    assert path.read_bytes().startswith(kept) and len(read_rows(path, CoallocationRow)) == 3
    assert main(["--plan", "smoke", "--seeds", "1", "--rows", str(path)]) == 0
    assert "0 of 3 instances to solve" in capsys.readouterr().err


def test_rows_of_another_source_are_made_again(smoke, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(PLANS, "smoke", Plan("One", PLANS["smoke"].cells[:1], 1))
    path = tmp_path / "rows.jsonl"
    old = msgspec.structs.replace(read_rows(smoke[0], CoallocationRow)[0], source="another")
    path.write_bytes(msgspec.json.encode(old) + b"\n")
    assert main(["--plan", "smoke", "--rows", str(path)]) == 0
    assert "1 of them again" in capsys.readouterr().err
    rows = read_rows(path, CoallocationRow)
    assert [row.source == "another" for row in rows] == [True, False] and latest(rows) == rows[1:]


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    path = tmp_path / "rows.jsonl"
    command = [sys.executable, "-m", "benchmarks.proof_rates.coallocation", "--plan", "growth", "--rows", str(path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        while "[1 of" not in (line := process.stderr.readline()):
            assert line, "it ended before its first row"
        workers = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert len(read_rows(path, CoallocationRow)) >= 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["rows.jsonl"]
    assert workers and psutil.wait_procs(workers, timeout=20)[1] == []


def test_two_runs_cannot_share_a_file(smoke, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    with RowFile(path, CoallocationRow), pytest.raises(InputError, match="another process"):
        RowFile(path, CoallocationRow)
    with RowFile(path, CoallocationRow):
        assert main(["--plan", "smoke", "--rows", str(path)]) == 2
    assert "another process" in capsys.readouterr().err


def test_a_line_that_is_no_row_is_named(smoke, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    first = smoke[0].read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(first + first.replace(b'"seed":0', b'"seed":"0"'))
    assert main(["--rows", str(path)]) == 2
    assert "line 2" in capsys.readouterr().err
    assert main(["--rows", str(tmp_path / "none.jsonl")]) == 2


def test_a_cell_of_other_limits_is_another_cell():
    assert Cell(seconds=20.0) != Cell(seconds=60.0)
