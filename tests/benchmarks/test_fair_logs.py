"""The fair scheduling paper's experiments on a log small enough for a test: windows, rows that resume, the report."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.papers.fair_log_cases import (
    FIGURE_4,
    FIGURE_5,
    TABLE,
    Log,
    LogCase,
    figure_cases,
    table_cases,
    windows,
)
from benchmarks.papers.fair_log_report import paired_tests, sign_test, unfairness
from benchmarks.papers.fair_log_runs import CONTESTANTS, REF, Row, make_rows
from benchmarks.papers.fair_logs import main
from oas.core.errors import InputError, VerificationError
from oas.fair.utilities import strategy_proof

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Six users' jobs, some of two processors, on six processors for 1,000 seconds; busy enough for queues."""
    rng = Random(1)
    lines = ["; MaxProcs: 6", "; Acknowledge: nobody"]
    for number, submit in enumerate(sorted(rng.randrange(1000) for _ in range(200)), start=1):
        user, width, time = rng.randrange(6), rng.choice((1, 1, 2)), rng.randint(1, 40)
        lines.append(f"{number} {submit} 0 {time} {width} -1 -1 {width} 60 -1 1 {user} 1 -1 1 -1 -1 -1")
    path = tmp_path / "small.swf"
    path.write_text("\n".join([*lines, ""]))
    return Log(path)


def test_windows_lie_within_the_log_and_do_not_overlap(log: Log) -> None:
    found = windows(log, 100, 150, 0)
    assert len(found) == log.span // 150
    assert found != sorted(found)
    ordered = sorted(found)
    assert ordered[0] >= 0 and ordered[-1] + 150 <= log.span
    assert set(np.diff(ordered).tolist()) == {150}
    assert windows(log, 3, 150, 0) == found[:3]
    assert windows(log, 100, 150, 1) != found


def test_cases_are_spread_over_logs_and_divisions(log: Log) -> None:
    one, other = Log.read("a/b.swf.gz:70"), Log.read("a/b.swf.gz")
    assert (one.processors, other.processors, one.name, other.path) == (70, None, "b", one.path)
    found = [case for _, case in table_cases([log, log], 2, 150, 3, 5)]
    assert [case.machines for case in found] == ["uniform", "zipf"] * 4
    assert [case.seed for case in found] == [5] * 4 + [6] * 4
    assert len(set(found)) == 4
    assert {case.processors for case in found} == {6}
    figures = [case for _, case in figure_cases(log, 500, 3, 0)]
    assert len(figures) == 2 * 2 * 4
    shared = {(FIGURE_4, 17), (FIGURE_4, 30), (FIGURE_5, 170), (FIGURE_5, 300)}
    assert {(case.of, case.processors) for case in figures} == shared


def test_a_window_has_its_jobs(log: Log) -> None:
    case = LogCase(TABLE, log.name, 100, 200, 3, 6, "uniform", 0)
    ticks = case.ticks(log)
    first = int(log.jobs.submit[0])
    inside = (log.jobs.submit >= first + 100) & (log.jobs.submit < first + 300)
    assert ticks.job_count == log.jobs.processors[inside].sum()
    assert ticks.horizon == 200
    assert sorted(set(ticks.release.tolist())) == sorted({*(log.jobs.submit[inside] - first - 100).tolist()})


def test_figure_5_is_ten_times_as_fast(log: Log) -> None:
    slow, fast = (LogCase(of, log.name, 0, 905, 3, 30, "zipf", 0).ticks(log) for of in (FIGURE_4, FIGURE_5))
    assert fast.release.tolist() == [release // 10 for release in slow.release.tolist()]
    assert (slow.horizon, fast.horizon) == (905, 91)
    assert fast.time.tolist() == slow.time.tolist()


def test_rows_are_made_once(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    cases = list(table_cases([log], 2, 300, 3, 0))
    made = make_rows(cases, path, print)
    assert len(made) == 4 * len(CONTESTANTS)
    assert len(path.read_text().splitlines()) == len(made)
    row = next(row for row in made if row.policy == "ROUNDROBIN")
    ticks = row.case.ticks(log)
    assert list(row.utilities) == strategy_proof(ticks, CONTESTANTS["ROUNDROBIN"](ticks, row.case.seed, 1))
    text = path.read_text()
    path.write_text(text[:-20])  # killed while it wrote

    def run(ticks: object, seed: int, second: int) -> object:
        ran.append(seed)
        return CONTESTANTS_BEFORE[made[-1].policy](ticks, seed, second)  # type: ignore[arg-type]

    ran: list[int] = []
    CONTESTANTS_BEFORE = dict(CONTESTANTS)
    for name in CONTESTANTS:
        monkeypatch.setitem(CONTESTANTS, name, run)
    again = make_rows(cases, path, print)
    assert ran == [made[-1].case.seed]
    assert [row.utilities for row in again] == [row.utilities for row in made]
    assert len(path.read_text().splitlines()) == len(made)
    assert [row.policy for row in make_rows(cases[:1], path, print)] == [row.policy for row in made[: len(CONTESTANTS)]]


def test_ctrl_c_keeps_what_is_finished(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = list(table_cases([log], 2, 300, 3, 0))
    calls = iter((CONTESTANTS[REF], None))

    def interrupted(*given: object) -> object:
        if (reference := next(calls)) is None:
            raise KeyboardInterrupt
        return reference(*given)  # type: ignore[arg-type]

    monkeypatch.setitem(CONTESTANTS, REF, interrupted)
    path = tmp_path / "rows.jsonl"
    assert len(make_rows(cases, path, print)) == len(CONTESTANTS)
    assert len(path.read_text().splitlines()) == len(CONTESTANTS)


def test_broken_schedules_and_other_files_are_refused(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    monkeypatch.setitem(CONTESTANTS, "FCFS", lambda ticks, *_: np.full(ticks.job_count, -1))
    with pytest.raises(VerificationError, match="FCFS's schedule breaks rules"):
        make_rows(table_cases([log], 1, 300, 3, 0), path, print)
    path.write_text('{"case": {}}\n')
    with pytest.raises(InputError, match="line 1"):
        make_rows([], path, print)


def made_row(case: LogCase, policy: str, *utilities: int, work: int = 10, second: int = 1) -> Row:
    return Row(case, policy, 3, second, utilities, work, 0.0)


def test_unfairness_is_the_distance_over_the_work_of_the_reference() -> None:
    case = LogCase(TABLE, "L", 0, 10, 2, 2, "zipf", 0)
    rows = [made_row(case, REF, 7, 5, second=2), made_row(case, "FCFS", 4, 9, work=99, second=2)]
    assert unfairness(rows) == {case: {"FCFS": F(7, 20)}}
    assert unfairness(rows[1:]) == {}
    assert unfairness([made_row(case, REF, 0, 0, work=0), rows[1]]) == {}


def test_the_sign_test_by_hand() -> None:
    """Five against one of six: 2 · (1 + 6) / 64; equal pairs do not count."""
    one, other = [F(n) for n in (1, 1, 1, 1, 1, 3, 2)], [F(2)] * 7
    assert sign_test(one, other) == (5, 1, F(14, 64))
    assert sign_test(other, one) == (1, 5, F(14, 64))
    assert sign_test([F(1)] * 3, [F(1)] * 3) == (0, 0, F(1))
    assert sign_test([F(1), F(3)], [F(2), F(2)]) == (1, 1, F(1))


def test_pairs_are_of_the_same_window() -> None:
    cases = [LogCase(TABLE, "L", since, 10, 2, 2, "zipf", 0) for since in range(3)]
    found = {
        cases[0]: {"DIRECTCONTR": F(1), "ROUNDROBIN": F(2)},
        cases[1]: {"DIRECTCONTR": F(3)},
        cases[2]: {"DIRECTCONTR": F(5), "ROUNDROBIN": F(4)},
    }
    assert paired_tests(found).splitlines()[2:] == ["| L | zipf | DIRECTCONTR | ROUNDROBIN | 1 | 1 | 1.000 | 1.00 |"]


def test_the_command_writes_a_report_and_names_no_folder(log: Log, tmp_path: Path) -> None:
    output = tmp_path / "report.md"
    given = [f"{log.path}:5", "--windows", "2", "--length", "300", "--organizations", "3", "--figures", "2"]
    given += ["--rows", str(tmp_path / "rows.jsonl"), "--output", str(output)]
    assert main(given) == 0
    text = output.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert "small.swf:5 --windows 2" in text and "3 windows of 300 s" in text
    lines = [line for line in text.splitlines() if line.startswith("| small |")]
    assert [line.split(" | ")[2] for line in lines[:2]] == ["2", "2"]
    assert text.count("| figure 4 |") == text.count("| figure 5 |") == 4 + 2
    assert main([str(tmp_path / "missing.swf"), "--rows", str(tmp_path / "other.jsonl")]) == 2
