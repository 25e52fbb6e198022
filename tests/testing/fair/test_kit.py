"""The kit on fair sharing: policies pass, each way of going wrong is found, above all looking ahead."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.problems.fair.problem import FAIR
from oas.testing import Kind, check_heuristic
from oas.testing.fair.future import Past
from oas.testing.text import report_text
from tests.heuristics.fair.test_policies import INSTANCES
from tests.slow import mostly_slow
from tests.testing.fair import faulty

if TYPE_CHECKING:
    from oas.problems.fair.instance import FairInstance

FAULTY = "tests.testing.fair.faulty"
SMALL: dict[str, Any] = {"random": 20, "medium": 0, "time_limit": None}


def kinds(report: Any) -> set[Kind]:
    return {one.finding.kind for one in report.findings}


NAMES = ["DIRECTCONTR", "FCFS", "ROUNDROBIN", "FAIRSHARE", "FAIRSHARE(3)", "FAIRTREE(2)"]


@pytest.mark.parametrize("name", mostly_slow(NAMES, quick=NAMES[:2]))
def test_our_own_pass(name: str) -> None:
    report = check_heuristic(find_method(name, FAIR), random=30, medium=2, time_limit=None)
    assert report.ok and len(report.scheduled) == 32, report_text(report)


@pytest.mark.parametrize("method", faulty.AHEAD.values(), ids=faulty.AHEAD)
def test_looking_ahead_is_found_and_shrunk(method: Any) -> None:
    report = check_heuristic(method, **SMALL)
    assert kinds(report) == {Kind.AHEAD}, report_text(report)
    (shown,) = [one for one in report.findings if one.smallest is not None]
    assert len(shown.smallest.jobs) <= 5
    again = check_heuristic(method, **{**SMALL, "random": 0}, instances=[shown.smallest])
    assert kinds(again) == {Kind.AHEAD}
    lines = report_text(report).splitlines()
    assert any(
        line.startswith("looks ahead: job ") and " if job " in line and "; unknown at " in line for line in lines
    )
    assert any(line.lstrip().startswith("as it is, started by ") for line in lines)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Wrong", Kind.EXCEPTION, "it picks organization 99, which does not exist"),
        ("Raises", Kind.EXCEPTION, "ValueError: too many values to unpack (expected 1) (faulty.py, line"),
        ("the_same", Kind.EXCEPTION, "its factory returns the same object at each call"),
        ("idles", Kind.RULE, "[greedy]"),
    ],
)
def test_each_fault_is_found_and_shrunk(name: str, kind: Kind, words: str) -> None:
    report = check_heuristic(f"{FAULTY}:{name}", problem="fair", **SMALL)
    assert kinds(report) == {kind}, report_text(report)
    assert words in report_text(report)
    shown = [one.smallest for one in report.findings if one.smallest is not None and words in str(one.finding)]
    assert [len(one.jobs) <= 2 for one in shown] == [True]


def test_what_goes_wrong_in_another_future() -> None:
    report = check_heuristic(f"{FAULTY}:refuses_the_future", problem="fair", **{**SMALL, "random": 0, "medium": 1})
    (one,) = report.findings
    assert one.finding is not None and one.finding.kind is Kind.EXCEPTION
    assert "too long for me" in one.finding.message


def test_what_is_kept_from_run_to_run() -> None:
    report = check_heuristic(f"{FAULTY}:Remembers", random=30, medium=0)
    assert kinds(report) == {Kind.UNSTEADY}, report_text(report)
    assert any("keeps something from run to run" in str(one.finding) for one in report.findings)


@pytest.mark.slow
def test_what_never_answers() -> None:
    report = check_heuristic(f"{FAULTY}:Hangs", random=5, medium=0, time_limit=0.3)
    assert kinds(report) == {Kind.TIME_LIMIT} and report.left_out == 2


FCFS = find_method("FCFS", FAIR)


@given(INSTANCES, st.integers(0, 30), st.integers(0, 999))
def test_the_past_stays(instance: FairInstance, moment: int, seed: int) -> None:
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
