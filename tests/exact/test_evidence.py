"""What a solve believes, and that a stored result holds only what can be confirmed again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import TYPE_CHECKING

import pytest

from oas.core.errors import InputError, VerificationError
from oas.core.result import Bound, Claim, Proof, ProofKind, Status
from oas.core.schedule import Placement, Schedule
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.exact.recheck import recheck_result
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.exact.test_pipeline import CLOSED, INFEASIBLE, OPEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.result import Result


# Two jobs on one node: 2 and 3 ticks.
INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, 2), Job("b", 1, 3)], slot=1)


def row(start_of_b):
    """First a, then b."""
    return Schedule(
        [Placement("a", 0, 2, {"A": [0]}), Placement("b", start_of_b, start_of_b + 3, {"A": [0]})], "somebody"
    )


def claim(bound, solver="x"):
    return Claim(solver, "1", "model", F(bound))


def test_the_shortest_feasible_schedule_is_kept():
    evidence = Evidence(INSTANCE)
    assert evidence.makespan is None and not evidence.closed and evidence.lower_bound is None
    assert "node" in evidence.offer(row(1), "overlapping") and evidence.schedule is None
    for start, shortest in ((4, 7), (3, 6), (5, 6), (2, 5), (2, 5)):
        assert evidence.offer(row(start), f"from {start}") is None
        assert evidence.makespan == shortest
    assert evidence.schedule.method == "from 2"


def test_a_schedule_that_is_no_shorter_is_verified_where_that_is_asked_for_only():
    evidence = Evidence(INSTANCE)
    assert evidence.offer(row(2), "best") is None
    short = Schedule([Placement("a", 0, 2, {"A": [0]})], "one job is missing")
    late = Schedule([*row(2).placements, Placement("b", 9, 12, {"A": [0]})], "one job runs twice")
    assert "[missing_job]" in evidence.offer(short, "short")
    assert evidence.offer(late, "late") is None
    assert "[duplicate_job]" in evidence.offer(late, "late", anyway=True)
    assert evidence.offer(row(4), "longer", anyway=True) is None
    assert evidence.makespan == 5 and evidence.schedule.method == "best"


def test_the_greatest_bound_counts_and_the_strongest_proof_of_it():
    evidence = Evidence(INSTANCE)
    evidence.offer(row(2), "best")
    assert evidence.proof() is None
    evidence.bound = Bound("longest job", F(3), {})
    assert evidence.lower_bound == 3 and not evidence.closed
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound)
    evidence.claims = [claim(4), claim(2, "y")]
    assert evidence.lower_bound == 4 and not evidence.closed
    assert evidence.proof() == Proof(ProofKind.SOLVER, evidence.bound, (claim(4),))
    evidence.bound = Bound("area", F(5), {})
    assert evidence.lower_bound == 5 and evidence.closed
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound)
    evidence.claims.append(claim(5, "z"))
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound, (claim(5, "z"),))


def test_an_enumeration_closes():
    evidence = Evidence(INSTANCE)
    evidence.offer(row(2), "best")
    evidence.bound, evidence.enumerated = Bound("longest job", F(3), {}), True
    assert evidence.lower_bound == 5 and evidence.closed
    assert evidence.proof() == Proof(ProofKind.BRUTE_FORCE, evidence.bound)


# The check of stored results


@cache
def by_solver() -> Result:
    return solve(OPEN, formulation="start-indexed")


def later(schedule: Schedule) -> Schedule:
    return Schedule([Placement(one.job, one.start + 1, one.end + 1, one.nodes) for one in schedule.placements])


def test_what_holds() -> None:
    assert recheck_result(CLOSED, solve(CLOSED)) == [
        "schedule: feasible, 4 jobs, makespan 5",
        "lower bound: 5, confirmed in exact arithmetic (area)",
        "status: optimal, schedule and bound meet",
    ]
    solver = recheck_result(OPEN, by_solver())
    assert solver[1].startswith("lower bound: 12, not re-checked, solver's word (highs ")
    assert solver[1].endswith("; certified is 11 (area)")
    assert recheck_result(OPEN, solve(OPEN, formulation="brute-force"))[1] == (
        "lower bound: 12, confirmed by enumerating again"
    )
    assert recheck_result(INFEASIBLE, solve(INFEASIBLE)) == ["infeasible: confirmed, a job has no allocation"]
    assert recheck_result(OPEN, solve(OPEN, time_limit=1e-9))[-1] == "status: feasible, no optimum is claimed"


def test_of_another_instance_or_slot_size() -> None:
    for other in (CLOSED, OPEN.with_slot(F(1, 2))):
        with pytest.raises(InputError, match="another instance or another slot size"):
            recheck_result(other, by_solver())


def proven_by(good: Result, kind: ProofKind, bound: Bound | None) -> Result:
    return replace(good, proof=Proof(kind, bound))


def area(value: int) -> Bound:
    return Bound("area", F(value), {})


def claiming(good: Result, *bounds: int) -> Result:
    assert good.proof is not None
    claims = tuple(replace(good.proof.claims[0], bound=F(bound)) for bound in bounds)
    return replace(good, proof=replace(good.proof, claims=claims))


def delayed(good: Result, **changes: object) -> Result:
    assert good.schedule is not None
    return replace(good, schedule=later(good.schedule), **changes)


SPOILT: dict[str, tuple[Callable[[Result], Result], str]] = {
    "a job is missing": (lambda good: replace(good, schedule=Schedule(good.schedule.placements[1:])), "missing_job"),
    "not what the bound says": (delayed, "13 is not 12"),
    "optimal without a schedule": (lambda good: replace(good, schedule=None), "None is not 12"),
    "optimal without a bound": (lambda good: replace(good, lower_bound=None), "12 is not None"),
    "a bound above the schedule": (lambda good: replace(good, lower_bound=F(13)), "13 is above the feasible makespan"),
    "a bound without a proof": (lambda good: replace(good, proof=None), "without a proof"),
    "an inflated certificate": (lambda good: proven_by(good, ProofKind.CERTIFICATE, area(12)), "12 is not confirmed"),
    "a certificate too low": (lambda good: proven_by(good, ProofKind.CERTIFICATE, area(11)), "no certificate reaches"),
    "no certificate": (lambda good: proven_by(good, ProofKind.CERTIFICATE, None), "no certificate reaches"),
    "no claim": (claiming, "no solver's claim reaches"),
    "a claim too low": (lambda good: claiming(good, 11), "no solver's claim reaches"),
    "enumeration says less": (
        lambda good: proven_by(
            delayed(good, status=Status.FEASIBLE, lower_bound=F(13)), ProofKind.BRUTE_FORCE, area(11)
        ),
        "13 is above the optimum 12",
    ),
    "infeasible": (lambda good: replace(good, status=Status.INFEASIBLE), "every job has an allocation"),
}


@pytest.mark.parametrize(("spoil", "reason"), SPOILT.values(), ids=SPOILT)
def test_what_does_not_hold(spoil: Callable[[Result], Result], reason: str) -> None:
    with pytest.raises(VerificationError, match=reason):
        recheck_result(OPEN, spoil(by_solver()))
