"""`oas appraise` as a user types it."""

from __future__ import annotations

import doctest
import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.commands import OAS, environment, run
from tests.documents import arguments_of, blocks_of, without_times
from tests.io.log_writers import batsim, busy_cluster, sacct, scheduled, swf

ROOT = Path(__file__).parents[2]
PAGE = blocks_of(ROOT / "docs" / "appraisal.md")


def fill(folder: Path) -> None:
    """Two jobs that run one after the other, and need not: in each format."""
    (folder / "examples").symlink_to(ROOT / "examples")
    lines = ["JobID|Submit|Start|End|NNodes|State", "1|5|5|15|1|COMPLETED", "2|5|15|25|1|COMPLETED", "2.0|||||"]
    (folder / "idle.txt").write_text("\n".join(lines))


def certain(text: str) -> list[str]:
    """What is the same in every run: not which of the shortest schedules is found, nor what proves it."""
    text = re.sub(r"/ [\d.,]+( %)?", "/ BEST", text)
    text = re.sub(r"(certificate|solver)$", "PROOF", text, flags=re.MULTILINE)
    return without_times(re.sub(r"^(best +\d+ +\d+ .*? %) .*$", r"\1", text, flags=re.MULTILINE))


BATSIM, BUSY, SACCT = (one for one in PAGE if one.kind == "console")


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(BATSIM, id="batsim", marks=pytest.mark.slow),
        pytest.param(BUSY, id="busy"),
        pytest.param(SACCT, id="sacct"),
    ],
)
def test_the_page_shows_what_is_printed(block, folder, monkeypatch, in_this_process):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "150")
    assert block.note == "executed by tests/cli/test_appraising.py"
    for command, *shown in block.commands:
        done = in_this_process(*arguments_of(command))
        assert done.returncode == 0, done.stderr
        assert certain(done.stdout) == certain("\n".join(shown))


def test_the_page_in_python(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (session,) = [one.text for one in PAGE if one.kind == "python"]
    example = doctest.DocTestParser().get_doctest(session, {}, "appraisal", "appraisal.md", 0)
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


def test_busy_windows(run_here):
    """Two jobs at once, of one processor and 10 s each: the work of 2 processors in 10 s."""
    options = ("appraise", "idle.txt", "--jobs", "2", "-q")
    enough = run_here(*options, "--processors", "2", "--busy", "1")
    assert enough.returncode == 0 and "loads of the windows: 1.000 to 1.000" in enough.stdout
    none = run_here(*options, "--processors", "2", "--busy", "11/10")
    assert none.returncode == 0
    assert "no window has a load of 1.1: this is the busiest, with 1.000" in none.stdout
    (window,) = json.loads(run_here(*options, "--processors", "4", "--busy", "0.3", "--json").stdout)["windows"]
    assert (window["window"], window["load"]) == ("1 to 2", "1/2")
    assert "load" not in run_here(*options, "--processors", "2").stdout


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
        (["idle.txt", "--processors", "2", "--from", "soon"], "--from: must be a number"),
        (["idle.txt", "--processors", "2", "--unit", "cpus"], "no column alloccpus nor ncpus"),
        (["idle.txt", "--processors", "2", "--solver", "none"], "none"),
        (["tmp/bad.txt", "--processors", "2"], "bad.txt: line 2, start"),
    ],
    ids=lambda value: value if isinstance(value, str) else "command",
)
def test_mistakes_are_one_line(folder, run_here, arguments, words):
    (folder / "tmp" / "odd.txt").write_text("1 2 3\n")
    (folder / "tmp" / "bad.txt").write_text("JobID|Submit|Start|End|NNodes\n1|5|x|9|1\n")
    done = run_here("appraise", *arguments, "-q")
    assert done.returncode in (2, 4) and not done.stdout
    assert words in done.stderr and "Traceback" not in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(folder):
    """The first window is closed at once; the second, of forty jobs, is not."""
    hard = busy_cluster(11, 40, 32)
    text = swf(hard, scheduled(hard, "SJF"))
    easy = "\n".join(f"{900 + k} {k}" + " 0 1 1" + " -1" * 5 + " 1" + " -1" * 7 for k in range(40))
    later = re.sub(r"^(\d+) (\d+)", lambda one: f"{one[1]} {int(one[2]) + 100}", text, flags=re.MULTILINE)
    (folder / "log.swf").write_text(f"{later}{easy}\n")
    with subprocess.Popen(
        [*OAS, "appraise", "log.swf", "--jobs", "40", "--time-limit", "600", "--json"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "2/2 search" in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
    document = json.loads(out)
    assert document["interrupted"] is True
    first, second = document["windows"]
    assert first["status"] == "optimal" and second["termination"] == "interrupted"
