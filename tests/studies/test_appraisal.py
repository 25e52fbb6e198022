"""Windows of a log beside their optima: what is claimed is checked by enumeration, by the verifier and by hand."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oas
from oas.core.result import Bound, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.exact.mosp.brute_force import brute_force
from oas.io.logs.logged import LoggedJob
from oas.studies import appraisal as study
from oas.studies import window_appraisal
from oas.studies.window_appraisal import CostliestJob, joined, pulled_forward
from tests.io.log_writers import busy_cluster, scheduled
from tests.io.test_windows import log_of


def test_an_idle_machine_and_a_queue(at_once: None) -> None:
    """Head of line blocks: first a long narrow job, then a wide one that waits, then a narrow one that need not."""
    log = log_of([LoggedJob("a", 0, 0, 10, 2), LoggedJob("b", 0, 10, 20, 4), LoggedJob("c", 1, 20, 28, 2)])
    found = oas.appraise(log, time_limit=20, heuristics=["FCFS", "MOCCA"])
    (row,) = found.rows
    assert row.observed is not None and row.best is not None and row.result is not None
    assert (row.observed.makespan, row.best.makespan, row.proven) == (28, 20, True)
    assert row.at_least(row.observed) == row.at_most(row.observed) == F(2, 5)
    assert (row.observed.mean_wait, row.observed.utilisation) == (F(10 + 19, 3), F(20 + 40 + 16, 4 * 28))
    assert row.observed.bounded_slowdown == (1 + F(20, 10) + F(27, 10)) / 3
    assert not oas.verify(row.window.instance, row.result.schedule)
    assert [one.method for one in row.heuristics] == ["FCFS"] and row.heuristics[0].makespan == 20
    assert row.notes[0].startswith("MOCCA: ")  # which knows no releases
    frame = found.to_frame()
    assert frame["method"].to_list() == ["observed", "best", "FCFS"]
    assert frame["above_optimum_most"].to_list() == [0.4, 0.0, 0.0]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What bounds do not close at once goes to CP-SAT."""
    monkeypatch.setattr(window_appraisal, "FIRST_SECONDS", 0.05)


@pytest.mark.parametrize("seed", range(4))
def test_optima_are_those_of_enumeration(seed: int, at_once: None) -> None:
    """Also among the processors that other jobs hold; and no heuristic ends before."""
    instance = busy_cluster(seed, 8, 4, F(1, 20))
    jobs = [
        LoggedJob(job.id, job.release, run.start, run.end, job.processors)
        for job in instance.jobs
        for run in [scheduled(instance, "SJF")[job.id]]
    ]
    found = oas.appraise(log_of(jobs), jobs=3, windows=2, skip=1, time_limit=20, heuristics=["FCFS", "LPT"])
    assert len(found.rows) == 2 and not found.left and not found.violated
    for row in found.rows:
        assert row.proven and row.window.instance is not None and row.best is not None
        least, _ = brute_force(row.window.instance)
        assert row.best.makespan == least
        assert all(one.makespan >= least for one in row.schedules)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 10), st.sampled_from(["LPT", "conservative"]))
def test_pulled_forward_nobody_is_later(seed: int, jobs: int, method: str) -> None:
    instance = busy_cluster(seed, jobs, 6)
    schedule = scheduled(instance, method)
    late = Schedule([later(run, 50) for run in schedule.placements])
    moved = pulled_forward(instance, late)
    assert not oas.verify(instance, moved)
    assert all(moved[run.job].start <= run.start - 50 for run in late.placements)


def later(run: Placement, by: int) -> Placement:
    return Placement(run.job, run.start + by, run.end + by, run.nodes)


def test_a_log_that_holds_too_much_is_compared_with_nothing() -> None:
    log = log_of([LoggedJob("a", 0, 0, 10, 3), LoggedJob("b", 0, 5, 20, 2), LoggedJob("c", 30, 30, 31, 1)])
    found = oas.appraise(log, jobs=2, time_limit=20)
    assert found.violated and found.rows[0].result is None and not found.rows[0].schedules
    assert found.rows[1].proven
    assert not oas.appraise(log, jobs=2, processors=5, time_limit=20).violated


def test_busy_windows() -> None:
    """Ten jobs that hardly meet, then three at once that need more than there is."""
    calm = [LoggedJob(str(k), 10 * k, 10 * k, 10 * k + 5, 1) for k in range(10)]
    crowd = [LoggedJob(f"c{k}", 100 + k, 100 + 10 * k, 110 + 10 * k, 3) for k in range(3)]
    log = log_of([*calm, *crowd])
    found = oas.appraise(log, jobs=3, busy="1.5", time_limit=20)
    assert [row.window.name for row in found.rows] == ["c0 to c2"] and not found.left
    load = F(3 * 10 * 3, 4 * 12)
    assert found.rows[0].window.load == load and found.busy == F(3, 2)
    assert found.to_frame()["load"].to_list() == [float(load)] * 2
    busiest = oas.appraise(log, jobs=3, busy=2, windows=9, time_limit=20)
    assert [row.window.load for row in busiest.rows] == [load]
    windows = oas.logs.Log(log).windows(jobs=2, busy=F(1, 5), windows=2)  # 9 and c0, then what is left
    assert [(one.name, one.load) for one in windows] == [("9 to c0", F(35, 80)), ("c1 to c2", F(60, 44))]


def test_time_and_interruption_leave_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of([LoggedJob(str(k), k, k, k + 1, 1) for k in range(6)])
    assert oas.appraise(log, jobs=2, total_limit=1e-9).left == 3
    calls = []

    def second_is_interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    original = study.appraise_window
    monkeypatch.setattr(study, "appraise_window", second_is_interrupted)
    found = oas.appraise(log, jobs=2, time_limit=20)
    assert (len(found.rows), found.left, found.interrupted) == (1, 2, True)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"heuristics": ["best"]}, "heuristic"),
        ({"processors": 0}, "processors"),
        ({"others": "none"}, "others"),
        ({"threshold": 0}, "threshold"),
        ({"busy": 0}, "busy"),
        ({"skip": 9}, "window"),
        ({"formulation": "counts"}, "formulation"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(oas.InputError) as caught:
        oas.appraise(log_of([LoggedJob("a", 0, 0, 10, 3)]), **options)
    assert caught.value.field == field


def test_two_answers_give_the_better_of_both() -> None:
    def answer(makespan: int, bound: int) -> Result:
        schedule = Schedule([Placement("J", makespan - 1, makespan, {"O": [0]})])
        proof = Proof(ProofKind.CERTIFICATE, Bound("area", F(bound)))
        return Result(Status.FEASIBLE, Termination.TIME_LIMIT, schedule, F(bound), proof, "")

    for one, other in ((answer(9, 5), answer(7, 4)), (answer(7, 4), answer(9, 5))):
        both = joined(one, other)
        assert (both.objective, both.lower_bound, both.status) == (7, 5, Status.FEASIBLE)
        assert both.proof is not None and both.proof.bound is not None and both.proof.bound.value == 5
    met = joined(answer(9, 7), answer(7, 3))
    assert (met.status, met.termination) == (Status.OPTIMAL, Termination.FINISHED)


@pytest.mark.parametrize(
    ("jobs", "costliest"),
    [
        # A wide job that could have started at 1 waits for nothing until 50: without it all would end at 10.
        ([("a", 0, 0, 10, 2), ("b", 1, 50, 60, 1), ("c", 2, 2, 5, 1)], CostliestJob("b", F(50), F(49))),
        ([("a", 0, 0, 10, 2), ("c", 2, 40, 45, 1), ("b", 45, 50, 60, 1)], CostliestJob("b", F(15), F(5))),
        ([("a", 0, 20, 30, 2), ("b", 0, 10, 30, 1)], CostliestJob("a", F(0), F(20))),
        ([("a", 0, 0, 10, 2)], None),
    ],
    ids=["the last", "not who waited longest", "of two that end last the one that waited", "an optimum"],
)
def test_the_costliest_job(jobs: list[tuple[Any, ...]], costliest: CostliestJob | None, at_once: None) -> None:
    (row,) = oas.appraise(log_of([LoggedJob(*job) for job in jobs]), time_limit=20).rows
    assert row.costliest == costliest
