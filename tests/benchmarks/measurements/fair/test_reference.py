"""What the measurement of REF makes, checks and prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measurements.fair.reference import made, main, measure, of_log

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_is_made() -> None:
    ticks = made(4, 500, 9, 0.8, seed=3)
    assert ticks.job_count == 500 and ticks.total == 9 and ticks.organization_count == 4
    assert abs(int(ticks.time.sum()) / (9 * ticks.horizon) - 0.8) < 0.001
    assert set(ticks.owner.tolist()) == set(range(4)) and int(ticks.release[-1]) < ticks.horizon


def test_a_row() -> None:
    found = measure("load 1", made(3, 200, 5, 1.0), runs=2, check=True)
    cells = found.line.strip("| ").split(" | ")
    assert cells[:3] == ["load 1: 200", "3", "5"] and cells[4] == f"{found.run.contended:,}"
    assert len(cells) == 10 and found.check is not None


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1", "--scale", "400"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| load")]
    assert len(rows) == 4 and all(row.endswith("| – |") for row in rows)


def test_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole among five organizations, and its first jobs among ten."""
    lines = [f"{n} {3 * n} 0 {5 + n % 7} {1 + n % 2} -1 -1 -1 -1 -1 1 {n % 12} -1 -1 -1 -1 -1 -1" for n in range(1, 61)]
    log = tmp_path / "small.swf"
    log.write_text("; MaxProcs: 8\n" + "\n".join(lines) + "\n")
    (one, whole), (other, first) = of_log(str(log), 9)
    assert (one, whole.organization_count, whole.total, whole.job_count) == ("small, whole", 5, 9, 90)
    assert (other, first.organization_count, first.total, first.job_count) == ("small, the first", 10, 17, 90)
    assert main([f"{log}:9", "--runs", "1", "--check"]) == 0
    assert capsys.readouterr().out.count("| small, ") == 2
