"""The test kit finds all planted faults and no others; its commands and their errors."""

import ast
import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.cli.commands.heuristic import new_heuristic_command
from oas.core.errors import InputError
from oas.core.registry import COALLOCATION, FAIR
from oas.solving.method import Guarantee
from oas.solving.methods import find_method, toolkit_methods
from oas.testing import HeuristicError, Kind, check_heuristic
from oas.testing.fair import Past
from oas.testing.text import report_text
from tests.heuristics.fair.test_policies import INSTANCES
from tests.slow import every_fourth_quick, mostly_slow
from tests.testing import faulty

FAULTY = "tests.testing.faulty"
SMALL = {"random": 8, "medium": 0, "gallery": False}
LISTS = {**SMALL, "time_limit": None}
POLICIES = {"problem": "fair", "random": 20, "medium": 0, "time_limit": None}


def kinds(report):
    return {one.finding.kind for one in report.findings}


@pytest.mark.parametrize(
    "problem", mostly_slow([oas.CoallocationInstance, oas.MospInstance], quick=[oas.CoallocationInstance])
)
def test_our_own_pass(problem):
    for method in toolkit_methods(problem):
        report = check_heuristic(method, random=4, medium=0, gallery=False, time_limit=None)
        assert not report.findings, str(report)


@pytest.mark.parametrize(
    ("options", "name", "kind", "words", "jobs"),
    [
        (LISTS, "forgets", Kind.RULE, "[missing_job] job J", 2),
        (LISTS, "raises", Kind.EXCEPTION, "RuntimeError: out of ideas (faulty.py, line", 1),
        (LISTS, "exits", Kind.EXCEPTION, "SystemExit: enough", 1),
        (LISTS, "junk", Kind.NO_SCHEDULE, "returned int, not a Schedule", 1),
        (LISTS, "changes", Kind.CHANGED, "the instance is not what it was", 1),
        (POLICIES, "Wrong", Kind.EXCEPTION, "it picks organization 99, which does not exist", 5),
        (POLICIES, "Raises", Kind.EXCEPTION, "ValueError: too many values to unpack (expected 1) (faulty.py, line", 2),
        (POLICIES, "the_same", Kind.EXCEPTION, "its factory returns the same object at each call", 1),
        (POLICIES, "idles", Kind.RULE, "[greedy]", 1),
    ],
)
def test_each_fault_is_found_and_shrunk(options, name, kind, words, jobs):
    report = check_heuristic(f"{FAULTY}:{name}", **options)
    assert kinds(report) == {kind} and not report.ok
    assert words in str(report) and str(report).endswith("not ok")
    with pytest.raises(HeuristicError, match="finding"):
        report.assert_ok()
    (shrunk,) = [one.smallest for one in report.findings if one.smallest is not None and words in str(one.finding)]
    assert kinds(check_heuristic(f"{FAULTY}:{name}", **{**options, "random": 0}, instances=[shrunk])) == {kind}
    assert len(shrunk.jobs) <= jobs


def test_worker_processes_reveal_unsteady_methods():
    report = check_heuristic(f"{FAULTY}:unsteady", **SMALL)
    assert kinds(report) == {Kind.UNSTEADY}
    assert "a schedule that ends at" in str(report)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    mostly_slow(
        [("hangs", Kind.TIME_LIMIT, "not done after 0.3 s"), ("dies", Kind.DIED, "exit code 9")],
        quick=[("dies", Kind.DIED, "exit code 9")],
    ),
)
def test_calls_that_hang_or_die(name, kind, message):
    report = check_heuristic(f"{FAULTY}:{name}", **SMALL, time_limit=0.3)
    assert {(one.finding.kind, one.finding.message) for one in report.findings} == {(kind, message)}
    assert len(report.findings) == 3
    assert report.left_out == 8 - len(report.outcomes) > 0
    assert "left out" in str(report)


def test_a_guarantee_is_held_against_the_optimum():
    promise = Guarantee(F(5, 4), "none")
    fcfs = find_method("FCFS", COALLOCATION)
    bold = replace(fcfs, guarantee=lambda instance: promise if len(instance.jobs) > 2 else None)
    report = check_heuristic(bold, random=40, medium=0, time_limit=None)
    assert kinds(report) == {Kind.GUARANTEE} and not report.violations
    assert all(one.ratio > F(5, 4) and one.guarantee is promise for one in report.findings)
    assert check_heuristic(find_method("MOCCA", oas.MospInstance), random=5, medium=0, time_limit=None).ok


@pytest.mark.parametrize(
    ("heuristic", "options", "words"),
    [
        ("no.such.module:f", {}, "cannot be imported"),
        ("nonesuch", {}, "unknown; known: FCFS"),
        ("MOCCA", {"problem": "coallocation"}, "schedules a MospInstance"),
        ("FCFS", {"problem": "knapsack"}, "unknown; known: coallocation, mosp"),
        ("FCFS", {"random": -1}, "random"),
        ("FCFS", {"random": 0, "medium": 0, "gallery": False}, "no instance"),
        ("FCFS", {"instances": [oas.generate.uni()]}, "instances[0]"),
        (lambda instance, *, seed=0: None, {}, "give time_limit=None"),
    ],
    ids=["module", "name", "problem", "word", "random", "nothing", "instance", "lambda"],
)
def test_invalid_arguments_are_refused(heuristic, options, words):
    with pytest.raises(oas.InputError) as caught:
        check_heuristic(heuristic, **{"random": 1, "medium": 0, **options})
    assert words in str(caught.value)


@pytest.mark.parametrize("problem", ["coallocation", "mosp", "fair"])
def test_the_template_is_filled_in_and_never_overwrites(tmp_path, problem):
    new_heuristic_command("very_own", problem, str(tmp_path))
    folder = tmp_path / "very_own"
    assert {one.name for one in folder.iterdir()} == {"very_own.py", "test_very_own.py", "pyproject.toml"}
    for file in folder.glob("*.py"):
        assert "$" not in file.read_text() and ast.parse(file.read_text())
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == "very-own"
    assert project["entry-points"] == {"oas.heuristics": {"very_own": "very_own:METHOD"}}
    (folder / "very_own.py").write_text("mine")
    with pytest.raises(oas.InputError, match="nothing is overwritten"):
        new_heuristic_command("very_own", problem, str(tmp_path))
    assert (folder / "very_own.py").read_text() == "mine"


@pytest.mark.parametrize(("name", "code"), [("no.such:thing", 2), ("tests.testing.faulty:junk", 3)])
def test_exit_codes(name, code):
    command = [sys.executable, "-m", "oas", "test-heuristic", name, "--random", "2", "--medium", "0", "--json", "-q"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=100, check=False)
    assert done.returncode == code, done.stderr
    if code == 3:
        found = json.loads(done.stdout)
        assert not found["ok"] and found["instances"][0]["finding"]["kind"] == "returns no schedule"
    else:
        assert done.stdout == "" and done.stderr.startswith("oas: heuristic: cannot be imported")


NAMES = ["DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE", "FAIRSHARE(3)", "FAIRTREE(2)"]


@pytest.mark.parametrize("name", mostly_slow(NAMES, quick=NAMES[:2]))
def test_fair_our_own_pass(name):
    report = check_heuristic(find_method(name, FAIR), random=30, medium=2, time_limit=None)
    assert report.ok and len(report.scheduled) == 32, report_text(report)


@pytest.mark.parametrize("name", every_fourth_quick(list(faulty.AHEAD)))
def test_looking_ahead_is_found_and_shrunk(name):
    method = faulty.AHEAD[name]
    report = check_heuristic(method, **POLICIES)
    assert kinds(report) == {Kind.AHEAD}, report_text(report)
    (shown,) = [one for one in report.findings if one.smallest is not None]
    assert shown.example.kind is Kind.AHEAD
    assert len(shown.smallest.jobs) <= min(len(one.instance.jobs) for one in report.findings)
    again = check_heuristic(method, **{**POLICIES, "random": 0}, instances=[shown.smallest])
    assert kinds(again) == {Kind.AHEAD}
    lines = report_text(report).splitlines()
    assert any(
        line.startswith("looks ahead: job ") and " if job " in line and "; unknown at " in line for line in lines
    )
    assert any(line.lstrip().startswith("shrunk to ") and line.endswith(shown.example.message) for line in lines)


FCFS = find_method("FCFS", FAIR)


@given(INSTANCES, st.integers(0, 30), st.integers(0, 999))
def test_other_futures_keep_the_past(instance, moment, seed):
    past = Past.of(instance, FCFS(instance), moment)
    try:
        changed = past.changed(past.other_future(Random(seed)))
    except InputError:  # an organization may be left without a job, or all may come after the horizon
        return
    after = {job.id: job for job in changed.jobs}
    for k, organization in enumerate(instance.organizations):
        kept = [job.id for job in organization.jobs if job.id in after]
        assert kept == [job.id for job in changed.organizations[k].jobs]
        for job in organization.jobs:
            begun = past.begun.get(job.id)
            if begun is not None and begun + job.time <= moment:
                assert after[job.id] == job
            elif job.release <= moment:
                other = after[job.id]
                assert (other.release, other.processors) == (job.release, job.processors)
                assert begun is None or begun + other.time > moment
            elif job.id in after:
                assert after[job.id].release > moment
    again = Past.of(changed, FCFS(changed), moment)
    assert again.begun == past.begun
