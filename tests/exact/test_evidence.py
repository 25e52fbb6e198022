"""What a solve believes: the shortest verified schedule, the greatest bound, the strongest proof that reaches it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest

from oas.core.errors import InputError, VerificationError
from oas.core.result import Bound, Claim, Proof, ProofKind, Status
from oas.core.schedule import Placement, Schedule
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.exact.recheck import recheck_result
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

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


# The re-check: each change alone makes the result false.


@pytest.fixture(scope="module")
def good():
    result = solve(INSTANCE)
    assert (result.status, result.objective, result.lower_bound) == (Status.OPTIMAL, 5, 5)
    assert recheck_result(INSTANCE, result)
    return result


def test_an_optimum_must_meet_its_bound(good):
    gap = replace(good, lower_bound=F(4))
    assert recheck_result(INSTANCE, replace(gap, status=Status.FEASIBLE))
    with pytest.raises(VerificationError, match="claims an optimum, but 5 is not 4"):
        recheck_result(INSTANCE, gap)


def test_an_infeasible_schedule_is_found_even_with_the_right_makespan(good):
    early = Schedule([Placement("a", 1, 3, {"A": [0]}), Placement("b", 2, 5, {"A": [0]})])
    assert early.makespan == good.objective
    with pytest.raises(VerificationError, match="node"):
        recheck_result(INSTANCE, replace(good, schedule=early))


def test_a_bound_must_not_pass_the_schedule_whoever_claims_it(good):
    claimed = replace(
        good,
        status=Status.FEASIBLE,
        lower_bound=F(6),
        proof=Proof(ProofKind.SOLVER, good.proof.bound, (claim(6),)),
    )
    with pytest.raises(VerificationError, match="6 is above the feasible makespan 5"):
        recheck_result(INSTANCE, claimed)


def test_a_stored_bound_is_computed_again_even_where_a_solver_claims_as_much(good):
    inflated = Proof(ProofKind.SOLVER, replace(good.proof.bound, value=F(6)), (claim(5),))
    with pytest.raises(VerificationError, match="= 6 is not confirmed"):
        recheck_result(INSTANCE, replace(good, proof=inflated))


def test_of_another_instance(good):
    with pytest.raises(InputError, match="another instance"):
        recheck_result(INSTANCE.with_slot(F(1, 2)), good)
