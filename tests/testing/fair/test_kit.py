"""The kit on fair sharing: policies pass, each way of going wrong is found, above all looking ahead."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.generate.mosp.tiny import random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.problem import FAIR
from oas.testing import Kind, check_heuristic
from oas.testing.fair.future import Past
from oas.testing.fair.parts import medium
from oas.testing.text import report_text
from tests.heuristics.fair.test_engine import INSTANCES
from tests.problems.fair.instances import fair
from tests.slow import mostly_slow
from tests.testing.fair import faulty

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


def test_in_words() -> None:
    """The shorter of two jobs goes first: were a1 longer, b2 would go before it."""
    instance = fair((1, [(2,), (5, 1)]), (1, [(4,), (9,)]), horizon=9)
    report = check_heuristic(faulty.AHEAD["waiting_time"], **{**SMALL, "random": 0}, instances=[instance])
    (one,) = report.findings
    assert one.finding is not None
    said = "job a1 starts at 0, but does not start by 0 if job a1 takes 15, not 2; unknown at 0"
    assert one.finding.message == said
    assert one.finding.example == (
        said,
        "A (1 processor): a1 at 0 takes 2 on 1, a2 at 1 takes 5 on 1",
        "B (1 processor): b1 at 0 takes 4 on 1, b2 at 0 takes 9 on 1",
        "as it is, started by 0: a1 at 0, b1 at 0",
        "changed, started by 0: b1 at 0, b2 at 0",
    )


def test_references_may_look_ahead() -> None:
    report = check_heuristic(faulty.reference, **SMALL)
    assert report.ok, report_text(report)


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


def test_makespans_are_not_compared() -> None:
    report = check_heuristic("ROUNDROBIN", random=3, medium=1, time_limit=None)
    assert report.ok and not report.compared and report.worst is None
    assert all(one.case.least is None and one.case.most is None and one.ratio is None for one in report.outcomes)
    text = report_text(report)
    assert "optim" not in text and "ratio" not in text and "on the same instances" not in text
    assert list(report.to_frame()["ratio"].isna()) == [True] * 4


def test_a_policy_says_what_it_is_for() -> None:
    with pytest.raises(InputError, match="schedules a FairInstance"):
        check_heuristic(f"{FAULTY}:Wrong", problem="mosp", **SMALL)
    assert check_heuristic(find_method("FCFS", FAIR).run.factory, **SMALL).method.problem is FAIR  # type: ignore[attr-defined]


def test_one_of_another_problem_is_refused() -> None:
    with pytest.raises(InputError, match=r"instances\[0\]: the heuristic schedules a FairInstance"):
        check_heuristic("ROUNDROBIN", instances=[random_instance(1)], **SMALL)


def test_mid_size_is_more_than_the_processors_can_do() -> None:
    for seed in range(4):
        instance = medium(seed)
        assert isinstance(instance, FairInstance) and len(instance.organizations) == 5
        assert 40 <= len(instance.jobs) <= 100 and medium(seed) == instance


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


def test_everything_else_may_change() -> None:
    """At 4, a1 has ended, a2 to a4 run, a5 waits, and b1 and b2 are to come; over 300 futures each varies."""
    instance = fair((1, [(3,), (9,), (4, 2), (3, 2), (7, 2)]), (2, [(5, 6), (2, 7)]), horizon=20)
    past = Past.of(instance, FCFS(instance), 4)
    assert past.begun == {"a1": 0, "a2": 0, "a3": 2, "a4": 3}
    seen: dict[str, set[Any]] = {}
    for seed in range(300):
        for job, other in past.other_future(Random(seed)).items():
            seen.setdefault(job, set()).add(other)
    assert set(seen) == {"a2", "a3", "a4", "a5", "b1", "b2"}
    ends = {job: {past.begun[job] + one.time for one in seen[job]} for job in ("a2", "a3", "a4")}
    assert all(min(one) == 5 and max(one) > 12 for one in ends.values())
    assert min(one.time for one in seen["a5"]) == 1
    for job in ("b1", "b2"):
        others = seen[job] - {None}
        assert None in seen[job] and {one.processors for one in others} == {1, 2}
        assert min(one.release for one in others) == 5 and max(one.release for one in others) > 12
