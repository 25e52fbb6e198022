"""Logs as a user types them: `oas appraise` and `oas simulate`."""

import csv
import doctest
import json
import re
from pathlib import Path

import pytest

from oas.core.verifier import Violation
from oas.logs import simulation
from tests.commands import check_mistake, run
from tests.documents import arguments_of, blocks_of, without_times
from tests.logs.log_writers import batsim, busy_cluster, sacct, scheduled

ROOT = Path(__file__).parents[2]
OURS = "executed by tests/cli/test_appraising.py"
PAGE = [one for one in blocks_of(ROOT / "docs" / "how" / "job-logs.md") if one.note == OURS]


def fill(folder):
    """Two jobs that run one after the other, and need not: in each format."""
    (folder / "examples").symlink_to(ROOT / "examples")
    lines = ["JobID|Submit|Start|End|NNodes|State", "1|5|5|15|1|COMPLETED", "2|5|15|25|1|COMPLETED", "2.0|||||"]
    (folder / "idle.txt").write_text("\n".join(lines))
    (folder / "log.swf").write_text("\n".join([*LOG, ""]))
    (folder / "wide.swf").write_text("\n".join([*LOG, LOG[1].replace("1 0 5 10 2", "9 0 5 10 5"), ""]))
    (folder / "down.csv").write_text("start,end,processors\n100,200,4\n12,14,1\n")
    (folder / "bad.csv").write_text("start,end,processors\n100,200,4\n12,14,1\n150,300,1\n")


def certain(text):
    """The fields that are equal in all runs; schedule and proof may differ between runs."""
    text = re.sub(r"/ [\d.,]+( %)?", "/ BEST", text)
    text = re.sub(r"(certificate|solver)$", "PROOF", text, flags=re.MULTILINE)
    return without_times(re.sub(r"^(best +\d+ +\d+ .*? %) .*$", r"\1", text, flags=re.MULTILINE))


BATSIM, BUSY = (one for one in PAGE if one.kind == "console")


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(BATSIM, id="batsim", marks=pytest.mark.slow),
        pytest.param(BUSY, id="busy"),
    ],
)
def test_the_page_shows_what_is_printed(block, folder, monkeypatch, in_this_process):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "150")
    for command, *shown in block.commands:
        done = in_this_process(*arguments_of(command))
        assert done.returncode == 0, done.stderr
        assert certain(done.stdout) == certain("\n".join(shown))


def test_the_page_in_python(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (session,) = [one.text for one in PAGE if one.kind == "python"]
    example = doctest.DocTestParser().get_doctest(session, {}, "job-logs", "job-logs.md", 0)
    assert len(example.examples) > 3
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_examples_are_what_we_make():
    first, second = busy_cluster(6, 24, 16), busy_cluster(2, 24, 16)
    assert (ROOT / "examples" / "batsim-jobs.csv").read_text() == batsim(first, scheduled(first, "EASY"))
    assert (ROOT / "examples" / "sacct.txt").read_text() == sacct(second, scheduled(second, "BJF"))


def test_json_files_and_picture(folder, run_here):
    options = ["--processors", "2", "--heuristic", "EASY", "--save", "out", "--gantt", "worst.svg", "--json", "-q"]
    done = run_here("appraise", "idle.txt", *options)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (window,) = document["windows"]
    assert document["log"]["skipped"] == {"job step": 1} and document["left"] == 0
    assert (window["window"], window["origin"], window["status"], window["lower_bound"]) == (
        "1 to 2",
        "5",
        "optimal",
        "10",
    )
    figures = {one["method"]: one for one in window["schedules"]}
    assert set(figures) == {"observed", "best", "EASY"}
    assert figures["observed"] == {
        "method": "observed",
        "makespan": "20",
        "above_optimum_least": "1",
        "above_optimum_most": "1",
        "mean_wait": "5",
        "bounded_slowdown": "3/2",
        "utilisation": "1/2",
    }
    for name in ("window-1-observed.json", "window-1-result.json"):
        assert run_here("verify", "out/window-1.json", f"out/{name}").returncode == 0
    assert b"<svg" in (folder / "worst.svg").read_bytes() and "picture of 1 to 2" in done.stderr
    assert "job 2 costs most: ends 10 after all others, starts 10 later than in the optimum" in done.stderr


def test_a_rule_that_the_log_breaks(folder):
    done = run(folder, "appraise", "-", "--format", "sacct", "--processors", "1", "-q", stdin=(
        "JobID|Submit|Start|End|NNodes\n1|5|5|15|1\n2|5|14|25|1\n3|30|30|31|1\n"
    ), COLUMNS="150")  # fmt: skip
    assert done.returncode == 3
    assert "1 to 3: [capacity] the log holds 2 of 1 processor at 14" in done.stdout and "--processors" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["idle.txt"], "processors: must be given"),
        (["tmp/odd.txt"], "odd.txt: format: cannot be told"),
        (["idle.txt", "--processors", "2", "--busy", "0"], "busy: must be positive"),
        (["tmp/bad.txt", "--processors", "2"], "bad.txt: line 2, start"),
    ],
    ids=lambda value: value if isinstance(value, str) else "command",
)
def test_mistakes_are_one_line(folder, run_here, arguments, words):
    (folder / "tmp" / "odd.txt").write_text("1 2 3\n")
    (folder / "tmp" / "bad.txt").write_text("JobID|Submit|Start|End|NNodes\n1|5|x|9|1\n")
    check_mistake(run_here("appraise", *arguments, "-q"), words, codes=(2, 4))


LOG = [
    "; MaxProcs: 4",
    "1 0 5 10 2 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "2 1 5 10 3 -1 -1 2 60 -1 1 8 1 -1 1 -1 -1 -1",
    "3 1 -1 10 4 -1 -1 2 60 -1 1 7 1 -1 1 -1 -1 -1",
    "4 3 5 20 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
    "5 3 5 0 1 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1",
]


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
        (["down.csv"], "down.csv: format: cannot be told"),
    ],
)
def test_simulations_of_bad_input(run_here, arguments, message):
    check_mistake(run_here("simulate", *arguments), f"oas: {message}")


def test_a_broken_promise_ends_with_3(run_here, monkeypatch):
    monkeypatch.setattr(simulation, "broken_promises", lambda *_: [Violation("idle", ("1",), "job 1 waits")])
    done = run_here("simulate", "log.swf")
    assert done.returncode == 3
    assert "EASY: [idle] job 1 waits" in done.stdout and "a rule is broken" in done.stdout
