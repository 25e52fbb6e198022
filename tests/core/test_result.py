"""Results and their proofs, metrics of schedules, and the trace of a solve."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import oas
from oas.core.errors import InputError
from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.exact.progress import SolveProgress
from oas.generate.mosp.tiny import random_instance
from oas.problems.mosp.metrics import mean_bounded_slowdown, mean_wait, utilisation
from oas.problems.mosp.runs import local_schedule

SCHEDULE = Schedule([Placement("J1", 0, "7/2", {"A": [0]}), Placement("J2", 1, 3, {"A": [1]})])
CLAIMS = (Claim("HiGHS", "1.15.1", "start-indexed", F(3)), Claim("CBC", "2.10.3", "literal", F(7, 2)))


def result(**changes: Any) -> Result:
    fields: dict[str, Any] = {
        "status": Status.FEASIBLE,
        "termination": Termination.TIME_LIMIT,
        "schedule": SCHEDULE,
        "lower_bound": F(3),
        "proof": Proof(ProofKind.SOLVER, claims=CLAIMS),
        "instance_digest": "0" * 64,
    }
    return Result(**fields | changes)


def test_objective_is_the_schedules_makespan() -> None:
    assert result().objective == F(7, 2)
    assert result(schedule=None).objective is None
    assert result(schedule=Schedule([])).objective == 0


def test_gap_is_exact() -> None:
    assert result().gap == F(1, 6)
    assert result(lower_bound=F(7, 2)).gap == 0


def test_proofs_say_what_they_rest_on() -> None:
    bound = Bound("configuration", F(3), {"duals": ["1/2"]})
    assert str(Proof(ProofKind.CERTIFICATE, bound)) == "certificate (configuration)"
    confirmed = "certificate (configuration), confirmed by HiGHS 1.15.1 on start-indexed, CBC 2.10.3 on literal"
    assert str(Proof(ProofKind.CERTIFICATE, bound, CLAIMS)) == confirmed
    assert str(Proof(ProofKind.BRUTE_FORCE)) == "brute force"
    assert str(Proof(ProofKind.BRUTE_FORCE, claims=CLAIMS)) == "brute force"
    words = "solver's word (HiGHS 1.15.1 on start-indexed, CBC 2.10.3 on literal)"
    assert str(Proof(ProofKind.SOLVER, claims=CLAIMS)) == words


# Waits, slowdowns, utilisation and load over time, by hand and compared with the metrics of organizations


JOBS = [oas.RigidJob("a", 4, 2), oas.RigidJob("b", 2, 3, release=1), oas.RigidJob("c", 1, 1, release=3)]
INSTANCE = oas.MospInstance([oas.Organization("O", 4, JOBS, [oas.Reservation(5, 9, 1)])], locality=None)
METRICS_RUNS = [
    oas.Placement("a", 0, 4, {"O": [0, 1]}),
    oas.Placement("c", 3, 4, {"O": [2]}),
    oas.Placement("b", 4, 6, {"O": [0, 1, 2]}),
]
METRICS_SCHEDULE = oas.Schedule(METRICS_RUNS, "hand")


def test_by_hand() -> None:
    found = oas.metrics(INSTANCE, METRICS_SCHEDULE, threshold=2)
    assert [job.job for job in found.jobs] == ["a", "b", "c"]
    assert found.values("wait") == (0, 3, 0) and found.values("flow") == (4, 5, 1)
    assert found.values("slowdown") == (1, F(5, 2), 1) and found.values("bounded_slowdown") == (1, F(5, 2), 1)
    assert (found.mean("wait"), found.median("wait"), found.largest("wait")) == (1, 0, 3)
    assert found.utilisation == F(8 + 1 + 6 + 1, 4 * 6) and found.makespan == 6
    assert [(one.time, one.queue, one.running, one.nodes) for one in found.load] == [
        (0, 0, 1, 2), (1, 1, 1, 2), (3, 1, 2, 3), (4, 0, 1, 3), (5, 0, 1, 4), (6, 0, 0, 0),
    ]  # fmt: skip
    assert repr(found).startswith("Metrics of a schedule by hand: 3 jobs, makespan 6, utilisation 66.67 %")


@pytest.mark.parametrize("seed", range(10))
def test_the_metrics_of_organizations_are_the_same(seed: int) -> None:
    instance = random_instance(seed, releases=True, reservations=True)
    schedule = local_schedule(instance)
    found = oas.metrics(instance, schedule, threshold="3/2")
    assert found.mean("wait") == mean_wait(instance, schedule)
    assert found.mean("bounded_slowdown") == mean_bounded_slowdown(instance, schedule, "3/2")
    assert found.utilisation == utilisation(instance, schedule)
    assert all(0 <= one.utilisation <= 1 and one.queue >= 0 for one in found.load)
    assert (found.load[-1].queue, found.load[-1].running, found.load[-1].nodes) == (0, 0, 0)


MISTAKES = {
    "the job has no run": ([METRICS_SCHEDULE.placements[0]], {}),
    "the job has 2 runs": ([*METRICS_SCHEDULE.placements, METRICS_SCHEDULE.placements[0]], {}),
    "does not end after its start": ([*METRICS_SCHEDULE.placements[1:], oas.Placement("a", 1, 1, {"O": [0]})], {}),
    "threshold: must be above 0": (METRICS_SCHEDULE.placements, {"threshold": 0}),
    "threshold: a float may be rounded": (METRICS_SCHEDULE.placements, {"threshold": 0.5}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(message: str) -> None:
    placements, options = MISTAKES[message]
    with pytest.raises(InputError, match=message):
        oas.metrics(INSTANCE, oas.Schedule(placements), **options)


# The trace of a solve


def traced(*reports: tuple) -> oas.Trace:
    trace = oas.Trace()
    for seconds, bound, makespan, *part in reports:
        trace(SolveProgress("search", seconds, bound, makespan, *part))
    return trace


def test_as_a_frame_and_as_text():
    trace = traced((1.0, None, F(9)), (2.0, F(9, 2), F(9)))
    frame = trace.to_frame()
    assert frame.columns.to_list() == ["seconds", "lower_bound", "makespan"]
    assert frame.iloc[1].to_list() == [2.0, 4.5, 9.0] and frame["lower_bound"].isna().to_list() == [True, False]
    assert repr(trace) == "Trace: 2 points in 2.000 s\n  2.000 s: makespan 9, lower bound 9/2 (about 4.5)"
    assert repr(oas.Trace()) == "Trace: 0 points in 0.000 s"


def test_a_solve_ends_in_what_its_result_says():
    trace = oas.Trace()
    result = oas.solve(oas.generate.section4(seed=3), on_progress=trace)
    assert (trace.points[-1].lower_bound, trace.points[-1].objective) == (result.lower_bound, result.objective)
    seconds = [one.seconds for one in trace.points]
    assert seconds == sorted(seconds) and seconds[-1] <= trace.seconds <= result.seconds["total"]
