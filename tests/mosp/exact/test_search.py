"""What closes an instance of MOSP, compared with brute force, and what it does with wrong answers."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import count, islice

import pytest

import oas
from oas.core.errors import SolverError
from oas.core.result import Bound, ProofKind, Termination
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.mosp.bounds.searched import Settlement
from oas.mosp.bounds.simple import longest_job
from oas.mosp.bounds.start_tree import start_tree_bound
from oas.mosp.exact import search
from oas.mosp.exact.search import MospExactSearch
from oas.mosp.exact.stages import bounds, local
from oas.mosp.exact.stages.bounds import early_proof_log, first_partitions, partitions, proof_log
from oas.mosp.exact.stages.special_cases import enumeration, machines
from oas.mosp.instance import MospInstance
from oas.mosp.models.cumulative_cpsat import FORMULATION, Budget, Implied
from oas.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs
from oas.mosp.search.ruin_recreate import RuinSearch
from oas.mosp.ticks import coarsened
from oas.solvers.discovery import usable
from oas.solvers.task import Limits, Outcome, Settings
from oas.solving import model_run
from oas.solving import search as base
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.model_run import Decision, Question, decide
from oas.solving.parts import exact_parts
from oas.solving.recheck import recheck, recheck_result
from tests.mosp.instances import random_instance

SEEDS = range(500, 530)
NO_LIMITS = Limits(None, None)
MANY_STEPS = 200  # no test here takes a fourth of them


def evidence_of(instance):
    """The local schedule, and only the longest job for a bound."""
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = Bound("longest job", longest_job(instance), {})
    return evidence


def close(evidence):
    steps = count()

    def report():
        assert next(steps) < MANY_STEPS, "it goes round in circles"

    return MospExactSearch(evidence, 0, lambda: None, report).close()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(local, "UNLIMITED_STEPS", 2_000)
    monkeypatch.setattr(local, "MORE_STEPS", 2_000)
    monkeypatch.setattr(local, "WARM_STEPS", 500)


@pytest.mark.parametrize("seed", SEEDS[:5])
@pytest.mark.usefixtures("impatient")
def test_bounds_searches_and_answers_meet_at_the_optimum(seed):
    instance = random_instance(seed)
    optimum, _ = brute_force(instance)
    evidence = evidence_of(instance)
    assert close(evidence) is Termination.FINISHED
    assert evidence.makespan == evidence.lower_bound == optimum
    assert recheck(instance, evidence.bound)


def leave_out(monkeypatch, *stages):
    monkeypatch.setattr(search, "PLAN", [stage for stage in search.PLAN if stage not in stages])


def at_zero(found):
    """What a bound has found, worth nothing."""
    return replace(found, bound=replace(found.bound, value=F(0)))


@pytest.fixture
def answers_only(monkeypatch):
    """Neither search nor bounds find anything: it is for CP-SAT to answer."""
    closing = (machines, enumeration, first_partitions, partitions)
    leave_out(monkeypatch, *closing, early_proof_log, proof_log)
    find = bounds.configuration_bound
    monkeypatch.setattr(RuinSearch, "improve", lambda self, *_: self.best)
    monkeypatch.setattr(RuinSearch, "pace", 1_000)
    monkeypatch.setattr(bounds, "configuration_bound", lambda *a, **k: at_zero(find(*a, **k)))
    for name in ("two_dimensional_bound", "start_tree_bound"):
        monkeypatch.setattr(bounds, name, lambda *_, **__: Settlement(None, None, Termination.FINISHED))


def open_instances():
    """Instances whose longest job is shorter than the optimum."""
    for instance in map(random_instance, SEEDS):
        if longest_job(instance) < brute_force(instance)[0]:
            yield instance


@pytest.mark.slow
@pytest.mark.usefixtures("impatient", "answers_only")
def test_answers_alone_close_it_and_are_claims():
    closed = 0
    for instance in islice(open_instances(), 5):
        evidence = evidence_of(instance)
        close(evidence)
        assert evidence.makespan == evidence.lower_bound == brute_force(instance)[0]
        assert evidence.proof().kind is ProofKind.SOLVER
        assert {(claim.solver, claim.formulation) for claim in evidence.claims} == {("cpsat", "cumulative")}
        closed += 1
    assert closed == 5


@pytest.mark.usefixtures("impatient", "answers_only")
def test_a_schedule_that_the_verifier_rejects_is_not_believed(monkeypatch):
    instance = next(one for one in open_instances() if len(one.organizations) > 1)
    evidence = evidence_of(instance)
    runs = exact_parts(instance).to_runs(instance, instance.scaled(), evidence.schedule)
    everything_at_once = [type(run)(run.job, 0, 0) for run in runs]
    asked = []

    def lie(*_):
        asked.append(1)
        return Decision(False, everything_at_once, Termination.FINISHED, "0")

    monkeypatch.setattr(base, "decide", lie)
    close(evidence)
    assert len(asked) == 4  # the longest and the shortest makespan, before the slow bounds and after them
    assert verify(instance, evidence.schedule) == []


@pytest.mark.usefixtures("impatient", "answers_only")
def test_without_cp_sat_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(base, "usable", lambda _: False)
    monkeypatch.setattr(base, "decide", None)
    evidence = evidence_of(next(open_instances()))
    assert close(evidence) is Termination.FINISHED
    assert not evidence.closed


@pytest.mark.usefixtures("impatient", "answers_only")
@pytest.mark.parametrize("part", ["decide", "two_dimensional_bound", "start_tree_bound"])
def test_an_interrupt_of_any_part_ends_it(part, monkeypatch):
    cut = {
        "decide": (base, Decision(False, None, Termination.INTERRUPTED)),
        "two_dimensional_bound": (bounds, Settlement(None, None, Termination.INTERRUPTED)),
        "start_tree_bound": (bounds, Settlement(None, None, Termination.INTERRUPTED)),
    }
    module, answer = cut[part]
    monkeypatch.setattr(module, part, lambda *_, **__: answer)
    alone = part == "start_tree_bound"
    instance = next(one for one in open_instances() if (len(one.organizations) == 1) == alone)
    assert close(evidence_of(instance)) is Termination.INTERRUPTED


@pytest.mark.usefixtures("impatient", "answers_only")
def test_trees_alone_close_one_cluster_with_certificates(monkeypatch):
    monkeypatch.setattr(bounds, "start_tree_bound", start_tree_bound)
    monkeypatch.setattr(base, "usable", lambda _: False)
    closed = 0
    for instance in islice((one for one in open_instances() if len(one.organizations) == 1), 5):
        evidence = evidence_of(instance)
        close(evidence)
        assert evidence.makespan == evidence.lower_bound == brute_force(instance)[0]
        assert (evidence.proof().kind, evidence.bound.name) == (ProofKind.CERTIFICATE, "start tree")
        assert recheck(instance, evidence.bound)
        closed += 1
    assert closed == 5


@pytest.fixture
def early_log_only(monkeypatch):
    """Nothing but Pumpkin's proof closes the instance."""
    monkeypatch.setattr(search, "PLAN", [early_proof_log])


@pytest.mark.skipif(not usable("pumpkin"), reason="Pumpkin is not installed")
@pytest.mark.usefixtures("early_log_only")
@pytest.mark.parametrize("count", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_proof_logs_close_optimal_schedules_with_certificates(count):
    for instance in islice(open_instances(), count):
        evidence = evidence_of(instance)
        optimum, schedule = brute_force(instance)
        evidence.offer(schedule, "brute force")
        close(evidence)
        assert evidence.lower_bound == optimum
        assert (evidence.proof().kind, evidence.bound.name) == (ProofKind.CERTIFICATE, "proof log")
        assert recheck(instance, evidence.bound)


@pytest.mark.skipif(not usable("pumpkin"), reason="Pumpkin is not installed")
@pytest.mark.usefixtures("early_log_only")
def test_a_proof_log_that_the_checker_refuses_proves_nothing(monkeypatch):
    instance = next(open_instances())
    evidence = evidence_of(instance)
    nothing = {"makespan": int(evidence.makespan / instance.scaled().tick) - 1, "steps": "eJxjYAAAAAIAAQ=="}
    answer = Decision(True, None, Termination.FINISHED, "0", certified=Bound("proof log", evidence.makespan, nothing))
    monkeypatch.setattr(base, "decide", lambda *_: answer)
    close(evidence)
    assert (evidence.bound.name, evidence.claims) == ("longest job", [])


@pytest.mark.skipif(not usable("pumpkin"), reason="Pumpkin is not installed")
@pytest.mark.usefixtures("early_log_only")
def test_a_refutation_whose_proof_is_lost_is_a_claim_and_is_not_asked_for_again(monkeypatch):
    asked = []
    answer = Decision(True, None, Termination.FINISHED, "0")
    monkeypatch.setattr(base, "decide", lambda *_: asked.append(1) or answer)
    instance = next(open_instances())
    evidence = evidence_of(instance)
    optimum, schedule = brute_force(instance)
    evidence.offer(schedule, "brute force")
    close(evidence)
    assert len(asked) == 1 and [(one.solver, one.bound) for one in evidence.claims] == [("pumpkin", optimum)]
    assert not evidence.closed


@pytest.mark.usefixtures("impatient", "answers_only")
def test_no_answer_is_no_claim(monkeypatch):
    asked = []

    def undecided(*_):
        asked.append(1)
        return Decision(False, None, Termination.TIME_LIMIT, "0")

    monkeypatch.setattr(base, "decide", undecided)
    leave_out(monkeypatch, enumeration)
    evidence = evidence_of(next(one for one in open_instances() if len(one.organizations) > 1))
    close(evidence)
    assert (len(asked), evidence.claims) == (4, [])  # the longest and the shortest makespan, twice


def test_a_claim_withheld_gives_way_to_a_certificate_that_reaches_as_far(monkeypatch):
    """CP-SAT says no first, then a bound proves as much; the search for a shorter schedule is over with the first."""
    searched = []
    monkeypatch.setattr(local, "UNLIMITED_STEPS", 2_000)
    monkeypatch.setattr(RuinSearch, "improve", lambda self, *_: searched.append(1) or self.best)
    monkeypatch.setattr(local, "WARM_STEPS", 1)
    find = bounds.configuration_bound
    monkeypatch.setattr(bounds, "configuration_bound", lambda *a, **k: at_zero(find(*a, **k)))
    instance = next(one for one in open_instances() if len(one.organizations) > 1)
    optimum, schedule = brute_force(instance)

    def reaching(*_, **__):
        return Settlement(Bound("told", optimum, {}), None, Termination.FINISHED)

    monkeypatch.setattr(bounds, "two_dimensional_bound", reaching)
    leave_out(monkeypatch, enumeration, first_partitions, early_proof_log, proof_log)
    evidence = evidence_of(instance)
    assert evidence.offer(schedule, "brute force") is None
    assert close(evidence) is Termination.FINISHED
    assert evidence.proof().kind is ProofKind.CERTIFICATE
    assert (evidence.bound.name, len(searched)) == ("told", 2)
    assert [claim.bound for claim in evidence.claims][-1] == optimum


def test_a_solver_without_an_answer_has_not_said_no(monkeypatch):
    monkeypatch.setattr(model_run, "run", lambda *_: Outcome(Termination.TIME_LIMIT, solver="cpsat"))
    found = decide(next(open_instances()), Question(FORMULATION, 1, Settings("cpsat")), 5, 9, NO_LIMITS)
    assert (found.refuted, found.runs, found.termination) == (False, None, Termination.TIME_LIMIT)


def test_whole_units_are_asked_for_and_claimed():
    """Three jobs of 4 on two processors take 8, though their area is 6: no makespan lies between."""
    instance = MospInstance([Organization("O", 2, [RigidJob(f"J{n}", 4, 1) for n in range(3)])], None)
    evidence = Evidence(instance)
    in_a_row = [ClusterRun(job, 0, 4 * job) for job in range(3)]
    assert evidence.offer(schedule_from_cluster_runs(instance, instance.scaled(), in_a_row), "in a row") is None
    evidence.bound = Bound("area", F(5), {})
    question = Question(FORMULATION, coarsened(instance.scaled())[1], Settings("cpsat"))
    one = MospExactSearch(evidence, 0, lambda: None, lambda: None)
    assert (one.decide(question, 60.0, None), evidence.makespan, evidence.claims) == (True, 8, [])
    assert not one.decide(question, 60.0, None)
    evidence.bound = Bound("longest job", F(4), {})
    assert one.decide(question, 60.0, None)
    assert not evidence.closed and [claim.bound for claim in evidence.claims] == [8]
    assert not one.decide(question, 60.0, None)  # a second run waits for bounds with certificates
    one.confirms = True
    assert one.decide(question, 60.0, None)
    assert evidence.closed and [(claim.run, claim.bound) for claim in evidence.claims] == [
        ("", 8),
        ("cp_model_probing_level=0", 8),
    ]


@pytest.mark.usefixtures("impatient", "answers_only")
def test_a_solver_that_refutes_the_known_makespan_is_exposed_and_claims_nothing(monkeypatch):
    """The real solver, with a constraint that no schedule satisfies, refutes everything, the control included."""

    def contradicted(self, spec, scale=0):
        nothing_fits = Budget((1,) * self.scaled.job_count, (0,) * self.scaled.cluster_count)
        return replace(spec, implied=Implied((nothing_fits,)))

    monkeypatch.setattr(MospExactSearch, "strengthened", contradicted)
    instance = next(one for one in open_instances() if len(one.organizations) > 1)
    evidence = evidence_of(instance)
    close(evidence)
    assert (evidence.claims, list(evidence.exposed)) == ([], ["cpsat"])
    assert "refutes the makespan of a verified schedule" in evidence.exposed["cpsat"]
    assert not evidence.closed


def test_a_search_that_breaks_rules_is_a_fault():
    instance = next(open_instances())
    one = MospExactSearch(evidence_of(instance), 0, lambda: None, lambda: None)
    jobs = instance.scaled().job_count
    for runs in ([ClusterRun(0, 0, 0)], [ClusterRun(job, 0, 0) for job in range(jobs)]):  # one lost; all at once
        with pytest.raises(SolverError, match="the search made an infeasible schedule"):
            one.offer(runs, "the search")


@pytest.mark.parametrize("certified", [False, True])
def test_tiny_instances_are_enumerated_unless_a_certificate_follows(certified, monkeypatch):
    """Two full-width jobs, the longer after a reservation of the whole cluster, in a unit of a millionth."""
    jobs = [RigidJob("a", "188583/200000", 4), RigidJob("b", "90801/100000", 4)]
    held = Reservation("354477/1000000", "301703/500000", 4)
    instance = MospInstance([Organization("O", 4, jobs, [held])])
    optimum = held.end + jobs[0].time + jobs[1].time
    told = Settlement(Bound("told", optimum, {}) if certified else None, None, Termination.FINISHED)
    monkeypatch.setattr(bounds, "two_dimensional_bound", lambda *_, **__: told)
    monkeypatch.setattr(base, "decide", None)  # CP-SAT is not asked
    monkeypatch.setattr(search, "PLAN", (enumeration, bounds.early_decisions, bounds.two_dimensional, local.rest))
    evidence = evidence_of(instance)
    assert close(evidence) is Termination.FINISHED
    assert evidence.makespan == evidence.lower_bound == optimum
    assert evidence.proof().kind is (ProofKind.CERTIFICATE if certified else ProofKind.BRUTE_FORCE)


@pytest.mark.parametrize("seed", range(6))
def test_solve_equals_brute_force(seed):
    instance = random_instance(seed, max_jobs=4)
    for one in (instance, instance.with_locality(None)):
        result = oas.solve(one)
        assert result.status is oas.Status.OPTIMAL
        assert result.objective == brute_force(one)[0]
        assert recheck_result(one, result)[-1].startswith("status: optimal")
