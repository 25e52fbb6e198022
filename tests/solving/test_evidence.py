"""Evidence of a solve: what it believes, what it starts from, and how bounds are checked again."""

from dataclasses import replace
from fractions import Fraction as F
from functools import cache

import pytest

from oas.checker import effort
from oas.checker.recheck import CERTIFIED_BOUNDS
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError, VerificationError
from oas.core.result import Bound, Claim, Proof, ProofKind, Status, Termination, confirmed_bound
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.library import Library
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from oas.solvers.task import CallOutcome
from oas.solving import recheck, stages
from oas.solving.evidence import Evidence
from oas.solving.lower_bound import CertifiedBound, LowerBound
from oas.solving.methods import find_method
from oas.solving.pipeline import solve
from oas.solving.recheck import Verdict, check_in_worker, objection, recheck_result, recheck_within
from oas.solving.start import heuristic_schedules
from tests.solving.test_pipeline import CLOSED, INFEASIBLE, OPEN

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
    for one in (claim(4), claim(2, "y")):
        evidence.claim(one)
    assert (evidence.lower_bound, evidence.claimed_bound) == (3, 4) and not evidence.closed
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound, (claim(4),))
    evidence.claim(claim(4, "y"))
    assert evidence.lower_bound == 4 and not evidence.closed
    assert evidence.proof() == Proof(ProofKind.SOLVER, evidence.bound, (claim(4), claim(4, "y")))
    evidence.bound = Bound("area", F(5), {})
    assert evidence.lower_bound == 5 and evidence.closed
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound)
    evidence.claim(claim(5, "z"))
    assert evidence.proof() == Proof(ProofKind.CERTIFICATE, evidence.bound, (claim(5, "z"),))


def test_a_claim_closes_once_a_different_run_confirms_it():
    evidence = Evidence(INSTANCE)
    evidence.offer(row(2), "best")
    evidence.bound = Bound("longest job", F(3), {})
    evidence.claim(claim(5))
    evidence.claim(claim(5))
    evidence.claim(Claim("x", "2", "model", F(5)))  # another version of the same run
    assert evidence.settled and not evidence.closed and evidence.lower_bound == 3
    proof = evidence.proof()
    assert proof.kind is ProofKind.CERTIFICATE and [str(one) for one in proof.unconfirmed] == ["x 2 on model"]
    evidence.claim(Claim("x", "2", "model", F(5), "presolve=off"))
    assert evidence.closed and evidence.lower_bound == 5
    assert str(evidence.proof()) == "claimed by x 2 on model, x 2 on model (presolve=off)"


def test_two_runs_confirm_the_lower_of_their_bounds():
    assert confirmed_bound([claim(7), claim(9, "y"), claim(8, "y")]) == 7
    assert confirmed_bound([claim(7), claim(9, "y"), claim(8, "z")]) == 8
    assert confirmed_bound([claim(7), claim(9)]) is None and confirmed_bound([]) is None


@pytest.mark.parametrize("schedule_comes_first", [False, True])
def test_a_solver_whose_claim_a_schedule_refutes_is_exposed(schedule_comes_first):
    evidence = Evidence(INSTANCE)
    evidence.bound = Bound("longest job", F(3), {})
    evidence.offer(row(4), "long")
    good, wrong = claim(4), Claim("liar", "1", "model", F(6))
    steps = [lambda: evidence.offer(row(2), "best"), lambda: evidence.claim(wrong)]
    evidence.claim(Claim("liar", "1", "other", F(4)))
    for step in steps if schedule_comes_first else steps[::-1]:
        step()
    assert evidence.claims == [] and list(evidence.exposed) == ["liar"]
    assert evidence.exposed["liar"] == (
        "liar 1 on model claims the bound 6, but a schedule ends at 5; no claim of liar counts"
    )
    evidence.claim(Claim("liar", "1", "third", F(5)))
    evidence.claim(good)
    assert evidence.claims == [good] and evidence.lower_bound == 3


def test_an_enumeration_closes():
    evidence = Evidence(INSTANCE)
    evidence.offer(row(2), "best")
    evidence.bound, evidence.enumerated = Bound("longest job", F(3), {}), True
    assert evidence.lower_bound == 5 and evidence.closed
    assert evidence.proof() == Proof(ProofKind.BRUTE_FORCE, evidence.bound)


@cache
def by_solver():
    """An optimum that two runs claim, without a solver that logs its proof."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "usable", lambda name: name in ("highs", "cpsat"))
        return solve(OPEN, formulation="start-indexed")


def later(schedule):
    return Schedule([Placement(one.job, one.start + 1, one.end + 1, one.nodes) for one in schedule.placements])


def test_what_holds():
    assert recheck_result(CLOSED, solve(CLOSED)) == [
        "schedule: feasible, 4 jobs, makespan 5",
        "lower bound: 5, proven here in exact arithmetic (area)",
        "status: optimal, proven: schedule and bound meet",
    ]
    solver = recheck_result(OPEN, by_solver())
    assert solver[1].startswith("lower bound: 12, not proven here, claimed by highs ")
    assert solver[1].endswith("; certified is 11 (area)")
    assert solver[2] == "status: optimal, claimed: schedule and bound meet"
    alone = replace(by_solver(), status=Status.FEASIBLE, lower_bound=F(11))
    alone = replace(alone, proof=Proof(ProofKind.CERTIFICATE, area(11), by_solver().proof.claims[:1]))
    assert recheck_result(OPEN, alone)[1:] == [
        "lower bound: 11, proven here in exact arithmetic (area)",
        f"not counted: 12, claimed by {alone.proof.claims[0]} alone",
        "status: feasible, no optimum is claimed",
    ]
    assert recheck_result(OPEN, solve(OPEN, formulation="brute-force"))[1] == (
        "lower bound: 12, proven here by enumerating again"
    )
    assert recheck_result(INFEASIBLE, solve(INFEASIBLE)) == ["infeasible: confirmed, a job has no allocation"]
    assert recheck_result(OPEN, solve(OPEN, time_limit=1e-9))[-1] == "status: feasible, no optimum is claimed"


def test_of_another_instance_or_slot_size():
    for other in (CLOSED, OPEN.with_slot(F(1, 2))):
        with pytest.raises(InputError, match="another instance or another slot size"):
            recheck_result(other, by_solver())


def proven_by(good, kind, bound):
    return replace(good, proof=Proof(kind, bound))


def area(value):
    return Bound("area", F(value), {})


def claiming(good, *bounds):
    claims = tuple(replace(good.proof.claims[0], bound=F(bound)) for bound in bounds)
    return replace(good, proof=replace(good.proof, claims=claims))


def delayed(good, **changes):
    return replace(good, schedule=later(good.schedule), **changes)


SPOILT = {
    "a job is missing": (lambda good: replace(good, schedule=Schedule(good.schedule.placements[1:])), "missing_job"),
    "not what the bound says": (delayed, "13 is not 12"),
    "optimal without a schedule": (lambda good: replace(good, schedule=None), "None is not 12"),
    "optimal without a bound": (lambda good: replace(good, lower_bound=None), "12 is not None"),
    "a bound above the schedule": (lambda good: replace(good, lower_bound=F(13)), "13 is above the feasible makespan"),
    "a bound without a proof": (lambda good: replace(good, proof=None), "without a proof"),
    "an inflated certificate": (lambda good: proven_by(good, ProofKind.CERTIFICATE, area(12)), "12 is not confirmed"),
    "a certificate too low": (lambda good: proven_by(good, ProofKind.CERTIFICATE, area(11)), "no certificate reaches"),
    "no certificate": (lambda good: proven_by(good, ProofKind.CERTIFICATE, None), "no certificate reaches"),
    "no claim": (claiming, "needs the claims of two different runs, not of 0"),
    "a claim too low": (lambda good: claiming(good, 11), "needs the claims of two different runs, not of 0"),
    "one claim": (lambda good: claiming(good, 12), "needs the claims of two different runs, not of 1"),
    "the same claim twice": (lambda good: claiming(good, 12, 12), "needs the claims of two different runs"),
    "enumeration says less": (
        lambda good: proven_by(
            delayed(good, status=Status.FEASIBLE, lower_bound=F(13)), ProofKind.BRUTE_FORCE, area(11)
        ),
        "13 is above the optimum 12",
    ),
    "infeasible": (lambda good: replace(good, status=Status.INFEASIBLE), "every job has an allocation"),
}


@pytest.mark.parametrize(("spoil", "reason"), SPOILT.values(), ids=SPOILT)
def test_what_does_not_hold(spoil, reason):
    with pytest.raises(VerificationError, match=reason):
        recheck_result(OPEN, spoil(by_solver()))


@pytest.fixture
def instance():
    return Library().instance("oas-wl3-50")


@pytest.fixture
def proven():
    bound = Library().result("oas-wl3-50").proof.bound
    assert bound.name == "configurations"
    return bound


def test_by_the_checker(instance, proven):
    assert objection(instance, proven) == ""
    assert "is proven" in objection(instance, replace(proven, value=proven.value + 1))
    assert objection(instance, replace(proven, certificate=None)) == "it has no certificate"
    assert "certificate.tree: must be a list" in objection(instance, replace(proven, certificate={"tree": 1}))
    assert "no bound for this instance has that name" in objection(instance, replace(proven, name="guess"))


def test_in_the_worker(instance, proven, monkeypatch):
    assert recheck_within(instance, proven, 60, None)[:2] == (Verdict.CONFIRMED, "")
    found = recheck_within(instance, replace(proven, value=proven.value + 1), 60, None)
    assert found.verdict is Verdict.REFUSED and "is proven" in found.reason
    monkeypatch.setattr(recheck, "check_in_worker", None)  # here, not in the worker
    assert recheck_within(instance, proven, 60, None).verdict is Verdict.CONFIRMED


def test_too_costly_or_not_in_time(instance, proven, monkeypatch):
    monkeypatch.setattr(effort.Effort.__init__, "__defaults__", (1,))
    found = check_in_worker((instance, proven), None)
    assert found.verdict is Verdict.TOO_COSTLY and "allows" in found.reason
    killed = CallOutcome(Termination.TIME_LIMIT, None, 1.0, "")
    monkeypatch.setattr(recheck, "call", lambda *_: killed)
    assert recheck_within(instance, proven, 1, None).verdict is Verdict.UNDECIDED


def test_patience_allows_no_more_memory():
    cluster = Cluster("C", [NodeGroup(4, 1)], 40)
    jobs = [Job(f"J{number}", 1, 2, bandwidth=1) for number in range(300)]
    slowed = CoallocationInstance([cluster], jobs, 1, "slowdown")
    orders = {"tree": [{"before": [0, 3]}] * 20_000}
    reason = objection(slowed, Bound("shared links", F(2), orders))
    assert reason == "it takes too much memory to check"


def test_too_little_memory(instance, proven, monkeypatch):
    def all_gone(*_):
        raise MemoryError

    key = ("coallocation", "configurations")
    monkeypatch.setitem(CERTIFIED_BOUNDS, key, all_gone)
    assert objection(instance, proven) == "to check it takes more memory than there is"


def test_bounds_of_other_packages(instance, monkeypatch):
    def value(_, certificate):
        if set(certificate) != {"value"}:
            raise InputError("must have a value", field="certificate")
        return F(str(certificate["value"]))

    own = (LowerBound("one", lambda _: F(1)), CertifiedBound("stated", value))
    monkeypatch.setattr(recheck, "all_bounds", lambda _: own)
    assert objection(instance, Bound("one", F(1), {})) == ""
    assert objection(instance, Bound("stated", F(7), {"value": 7})) == ""
    assert "must have a value" in objection(instance, Bound("stated", F(7), {}))
    assert "is proven" in objection(instance, Bound("stated", instance.slot * 2, {"value": 7}))


def test_a_method_that_promises_no_locality_counts_where_it_keeps_it():
    instance = uni(seed=0, jobs=10, organizations=2, processors=8)
    found = dict(heuristic_schedules(instance))
    assert not any(verify(instance, schedule) for schedule in found.values())
    promised = {name: found[name] for name in found if find_method(name, MospInstance).respects_locality}
    assert min(one.makespan for one in found.values()) == 100 < 111 == min(one.makespan for one in promised.values())
    assert "LPT" not in found  # it ends at 99, but one organization later than at home
    assert find_method("LPT", MospInstance)(instance).makespan == 99
    assert "LPT" in dict(heuristic_schedules(instance.with_locality(None)))
