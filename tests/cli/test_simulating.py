"""`oas simulate` as a user types it."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from oas.core.violation import Violation
from oas.studies import simulation

if TYPE_CHECKING:
    from pathlib import Path

LOG = [
    "; MaxProcs: 4",
    "1 0 5 10 2 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "2 1 5 10 3 -1 -1 2 60 -1 1 8 1 -1 1 -1 -1 -1",
    "3 1 -1 10 4 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "4 3 5 20 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
    "5 3 5 0 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
]


def fill(folder: Path) -> None:
    (folder / "log.swf").write_text("\n".join([*LOG, ""]))
    (folder / "wide.swf").write_text("\n".join([*LOG, LOG[1].replace("1 0 5 10 2", "9 0 5 10 5"), ""]))
    (folder / "down.csv").write_text("start,end,processors\n100,200,4\n12,14,1\n")
    (folder / "bad.csv").write_text("start,end,processors\n100,200,4\n12,14,1\n150,300,1\n")


def test_a_row_for_each_job(run_here, folder):
    done = run_here("simulate", "log.swf", "--policy", "EASY", "--policy", "conservative", "-o", "jobs.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((folder / "jobs.csv").read_text().splitlines()))
    assert [int(row["start"]) for row in rows] == [0, 10, 23, 3, 0, 10, 20, 30]
    assert [row["policy"] for row in rows] == ["EASY"] * 4 + ["conservative"] * 4
    assert list(rows[3].values()) == ["4", "3", "3", "23", "1", "9", "0", "EASY"]
    assert "log: skipped: running time 0: 1" in done.stdout and "4 jobs on 4 processors, 0 reservations" in done.stdout


def test_reservations_and_json(run_here):
    done = run_here("simulate", "log.swf", "--reservations", "down.csv", "--json", "--threshold", "20")
    document = json.loads(done.stdout)
    assert (document["processors"], document["reservations"], document["threshold"]) == (4, 2, "20")
    assert document["log"]["skipped"] == {"running time 0": 1} and document["log"]["jobs"] == 4
    (policy,) = document["policies"]
    assert (policy["policy"], policy["violations"]) == ("EASY", [])
    assert policy["wait"] == {"mean": 13.75, "median": 14.0, "percentile95": 27.0, "most": 27.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["log.swf", "--reservations", "bad.csv"], "bad.csv: line 4, processors: with it 5 processors are reserved"),
        (["log.swf", "--reservations", "none.csv"], "none.csv: cannot be read: No such file"),
        (["wide.swf"], "wide.swf: line 7, field 5 (processors): wider than the machine of 4 processors: give"),
        (["log.swf", "--processors", "2"], "log.swf: line 3, field 5 (processors): wider than the machine of 2"),
        (["log.swf", "--policy", "EASI"], "policy: unknown; did you mean EASY?"),
        (["log.swf", "--threshold", "x"], "threshold: not a number"),
        (["log.swf", "--format", "sacct"], "log.swf: "),
        (["log.swf", "-o", "missing/jobs.csv"], "--output: cannot be written"),
        (["down.csv"], "down.csv: format: cannot be told"),
    ],
)
def test_bad_input(run_here, arguments, message):
    done = run_here("simulate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"oas: {message}") and done.stderr.count("\n") == 1


def test_wide_jobs_left_out(run_here):
    done = run_here("simulate", "wide.swf", "--skip-wider", "--at-once")
    assert done.returncode == 0
    assert "wider than the machine of 4 processors: 1" in done.stdout


def test_a_broken_promise_ends_with_3(run_here, monkeypatch):
    monkeypatch.setattr(simulation, "broken_promises", lambda *_: [Violation("idle", ("1",), "job 1 waits")])
    done = run_here("simulate", "log.swf")
    assert done.returncode == 3
    assert "EASY: [idle] job 1 waits" in done.stdout and "a rule is broken" in done.stdout
