"""What closes a co-allocation instance, with and without slowdown, compared with brute force."""

from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F
from itertools import count, islice

import pytest

import oas
from oas.coallocation.allocations import fastest_level
from oas.coallocation.bounds.configurations import configuration_bound
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.saturated.options import Options
from oas.coallocation.bounds.search_log import NAME
from oas.coallocation.exact import search
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.exact.implied import implied
from oas.coallocation.exact.saturated import search as slowdown_search
from oas.coallocation.exact.saturated.plain import PlainSearches, unslowed
from oas.coallocation.exact.saturated.search import SaturatedExactSearch
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.execution import execute
from oas.coallocation.models.counts_cpsat import FORMULATION
from oas.coallocation.running import StartedRun, ends_of, schedule_from_starts
from oas.coallocation.search.annealing import AnnealingSearch
from oas.coallocation.ticks import coarsened
from oas.core.errors import TooLargeError
from oas.core.result import Bound, ProofKind, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.generate import saturated, tiny
from oas.solvers.task import CPSAT, Limits, Settings
from oas.solving import search as base
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.lower_bound import best_bound
from oas.solving.model_run import Question
from oas.solving.model_run import decide as decide_exactly
from oas.solving.recheck import objection, recheck, recheck_result


@pytest.fixture
def answers_only(monkeypatch):
    """Nothing but CP-SAT finds anything."""
    find = search.configuration_bound
    none = Bound("longest job", Fraction(0), {})
    monkeypatch.setattr(AnnealingSearch, "improve", lambda *_: None)
    monkeypatch.setattr(ChronologicalSearch, "resume", lambda *_: Verdict.UNDECIDED)
    monkeypatch.setattr(search, "LEAST_SECONDS", 120.0)  # however busy the machine is
    monkeypatch.setattr(search, "configuration_bound", lambda *asked, **how: replace(find(*asked, **how), bound=none))


SEEDS = range(300, 320)
# So often may the search look at the clock: hundreds of times what it needs, and an end where it has none.
LOOKS = 5_000


def one_after_another(instance):
    """A poor schedule: what the optimal one runs side by side, in a row."""
    placements, now = [], 0
    for one in sorted(brute_force(instance)[1].placements, key=lambda placed: placed.start):
        placements.append(Placement(one.job, now, now + one.end - one.start, one.nodes))
        now += one.end - one.start
    return Schedule(placements)


@pytest.fixture
def alone(monkeypatch):
    """The complete search does everything by itself, in small bites; the configuration bound lends its weights."""
    find, resume = search.configuration_bound, ChronologicalSearch.resume
    none = Bound("longest job", Fraction(0), {})
    monkeypatch.setattr(AnnealingSearch, "improve", lambda *_: None)
    monkeypatch.setattr(ChronologicalSearch, "resume", lambda self, decisions: resume(self, min(decisions, 3)))
    monkeypatch.setattr(search, "configuration_bound", lambda *asked, **how: replace(find(*asked, **how), bound=none))


def closed(instance):
    """Evidence after the search has closed it, from one job at a time."""
    evidence = Evidence(instance)
    assert evidence.offer(one_after_another(instance), "in a row") is None
    evidence.bound = best_bound(instance)
    looks = count(-LOOKS)
    assert CoallocationExactSearch(evidence, 0, lambda: -next(looks), lambda: None).close() is Termination.FINISHED
    return evidence


@pytest.mark.parametrize("seed", SEEDS[:5])
@pytest.mark.usefixtures("alone")
def test_the_complete_search_by_itself(seed):
    instance = tiny(seed=seed)
    optimum, _ = brute_force(instance)
    evidence = closed(instance)
    assert evidence.makespan == evidence.lower_bound == optimum


@pytest.mark.usefixtures("alone")
def test_what_it_refutes_comes_with_its_log():
    names = set()
    for seed in SEEDS:
        proof = closed(tiny(seed=seed)).proof()
        assert proof.kind is ProofKind.CERTIFICATE and proof.claims == ()
        assert recheck(tiny(seed=seed), proof.bound)
        names.add(proof.bound.name)
    assert NAME in names and len(names) > 1


@pytest.mark.usefixtures("alone")
def test_a_refutation_without_a_log_is_a_claim(monkeypatch):
    monkeypatch.setattr(ChronologicalSearch, "certificate", lambda _: None)
    monkeypatch.setattr(base, "usable", lambda _: True)
    kinds = set()
    for seed in SEEDS[:10]:
        instance = tiny(seed=seed)
        evidence = closed(instance)
        proof = evidence.proof()
        kinds.add(proof.kind)
        assert (proof.kind is ProofKind.CERTIFICATE) == (best_bound(instance).value == evidence.makespan)
        if proof.kind is ProofKind.SOLVER:
            assert {(one.formulation, one.run, one.bound) for one in proof.claims} == {
                (NAME, "", evidence.makespan),
                ("counts", "cp_model_probing_level=0", evidence.makespan),
            }
    assert kinds == {ProofKind.CERTIFICATE, ProofKind.SOLVER}


@pytest.mark.usefixtures("alone")
def test_what_is_too_large_for_all_searches_is_an_error_without_a_limit(monkeypatch):
    def refuse(*_, **__):
        raise TooLargeError("too many jobs")

    monkeypatch.setattr(search, "ChronologicalSearch", refuse)
    evidence = Evidence(instance := next(left_open()))
    assert evidence.offer(one_after_another(instance), "in a row") is None
    evidence.bound = best_bound(instance)
    with pytest.raises(TooLargeError, match="too many jobs"):
        CoallocationExactSearch(evidence, 0, lambda: None, lambda: None).close()


def left_open():
    """Tiny instances whose optimum no combinatorial bound reaches."""
    for instance in (tiny(seed=seed) for seed in SEEDS):
        if best_bound(instance).value < brute_force(instance)[0]:
            yield instance


@pytest.mark.usefixtures("answers_only")
def test_answers_alone_close_it_and_are_claims():
    for instance in islice(left_open(), 3):
        evidence = closed(instance)
        assert evidence.makespan == evidence.lower_bound == brute_force(instance)[0]
        assert evidence.proof().kind is ProofKind.SOLVER
        assert {(one.solver, one.formulation) for one in evidence.claims} == {("cpsat", "counts")}


@pytest.mark.usefixtures("answers_only")
def test_without_cp_sat_nothing_is_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(base, "decide", lambda *how: asked.append(how))
    monkeypatch.setattr(base, "usable", lambda _: False)
    evidence = Evidence(instance := next(left_open()))
    assert evidence.offer(one_after_another(instance), "in a row") is None
    evidence.bound = best_bound(instance)
    looks = count(-200)
    assert CoallocationExactSearch(evidence, 0, lambda: -next(looks), lambda: None).close() is Termination.TIME_LIMIT
    assert asked == []


@pytest.mark.parametrize("looks", range(1, 7))
@pytest.mark.usefixtures("alone")
def test_the_time_may_run_out_between_two_looks_at_the_clock(looks):
    instance = next(left_open())
    evidence = Evidence(instance)
    assert evidence.offer(one_after_another(instance), "in a row") is None
    evidence.bound = best_bound(instance)
    left = count(looks, -1)
    ended = CoallocationExactSearch(evidence, 0, lambda: next(left) - 0.5, lambda: None).close()
    assert ended is Termination.TIME_LIMIT


def strengthened(instance, upper):
    """What the exact search does with a specification, and what it adds."""
    duals = configuration_bound(instance, upper, alternatives=3).duals
    packing = Packing(instance.scaled())
    return lambda spec: replace(spec, implied=implied(spec, duals, packing))


@pytest.mark.parametrize("seed", range(10))
def test_it_decides_as_brute_force_does(seed):
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    strengthen = strengthened(instance, instance.scaled().to_time(optimum))
    _, unit = coarsened(scaled)
    longest = max(row[fastest_level(scaled, job) or 0] for job, row in enumerate(scaled.durations))
    for ticks in (optimum, optimum - unit):
        if ticks >= longest:
            question = Question(FORMULATION, unit, Settings(CPSAT), strengthen)
            found = decide_exactly(instance, question, ticks, optimum, Limits(60))
            assert found.refuted == (ticks < optimum) and (found.runs is None) == found.refuted


def slowdown_tiny(seed):
    return saturated(
        seed=seed,
        jobs=1 + seed % 4,
        slot=(0, 1)[seed // 4 % 2],
        sharing=("paper", "max-min")[seed // 8 % 2],
        threshold=(None, F(1, 2))[seed // 16 % 2],
    )


def serial(options):
    """Each job alone on its fastest allocation, one after another."""
    now, runs = F(0), []
    for job, row in enumerate(options.rows):
        runs.append(StartedRun(job, now, min(row, key=lambda one: one.alone).allocation))
        (now,) = ends_of(options.instance, runs[-1:])
    return runs


def begun(instance):
    """Evidence with each job alone, one after another."""
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_starts(instance, serial(Options(instance))), "in a row") is None
    evidence.bound = best_bound(instance)
    return evidence


@pytest.mark.parametrize("seed", range(200, 216, 3))
def test_solve_is_brute_force(seed):
    instance = slowdown_tiny(seed)
    optimum, _ = brute_force(instance)
    result = oas.solve(instance)
    assert result.status is Status.OPTIMAL and result.termination is Termination.FINISHED
    assert result.objective == result.lower_bound == optimum
    assert recheck_result(instance, result)[-1] == "status: optimal, proven: schedule and bound meet"


def test_nothing_is_claimed_that_is_not_met(monkeypatch):
    instance = saturated(seed=3, jobs=4)
    none = Bound("none", F(0), None)
    find = slowdown_search.shared_links_bound
    monkeypatch.setattr(
        slowdown_search,
        "shared_links_bound",
        lambda *asked, **how: find(*asked, **how).__class__(none, (), Termination.FINISHED),
    )
    evidence = begun(instance)
    evidence.bound = Bound("longest job", F(0), {})
    assert SaturatedExactSearch(evidence, 0, lambda: None, lambda: None).close() is Termination.FINISHED
    assert evidence.lower_bound == 0 and not evidence.closed and not evidence.claims


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("looks", range(4))
def test_slowdown_the_time_may_run_out_between_two_looks_at_the_clock(slot, looks):
    instance = saturated(seed=12, jobs=4, slot=slot)
    evidence = begun(instance)
    left = count(looks, -1)
    ended = SaturatedExactSearch(evidence, 0, lambda: next(left) - 0.5, lambda: None).close()
    assert ended in (Termination.TIME_LIMIT, Termination.FINISHED)
    assert (ended is Termination.FINISHED) == evidence.closed or not slot
    assert verify(instance, evidence.schedule) == []


def drawn(seed):
    return saturated(
        seed=seed,
        jobs=2 + seed % 3,
        slot=(1, F(3, 2), F(1, 2))[seed % 3],
        sharing=("paper", "max-min")[seed // 4 % 2],
        threshold=(None, F(1, 2))[seed // 8 % 2],
    )


def test_certificates_hold_under_slowdown():
    for seed in range(16):
        instance = drawn(seed)
        optimum, _ = brute_force(instance)
        plain = oas.solve(unslowed(instance), threads=1)
        assert plain.status is Status.OPTIMAL and plain.objective <= optimum
        assert objection(instance, plain.proof.bound) == ""
        assert verify(instance, execute(instance, plain.schedule).schedule) == []


def test_a_job_that_saturates_a_link_by_itself():
    clusters = [oas.Cluster(name, [oas.NodeGroup(1, 1)], 1) for name in "AB"]
    instance = oas.CoallocationInstance(clusters, [oas.Job("J", 2, 4, 3, "1/2")], 1, "slowdown")
    plain = PlainSearches(SaturatedExactSearch(begun(instance), 0, lambda: None, lambda: None))
    assert plain.forbidden is None
    plain.resume(1.0, None)
    result = oas.solve(instance)
    assert result.objective == brute_force(instance)[0] == result.lower_bound
    assert recheck_result(instance, result)[-1] == "status: optimal, proven: schedule and bound meet"


@pytest.mark.parametrize(
    ("most", "sharing", "ended"),
    [(4, "paper", Termination.FINISHED), (3, "paper", Termination.TIME_LIMIT), (4, "max-min", Termination.TIME_LIMIT)],
)
def test_few_jobs_are_left_to_a_model_if_there_is_one(most, sharing, ended, monkeypatch):
    """The searches without slowdown have nothing left to contribute, and there is no bound."""
    instance = saturated(seed=3, jobs=4, slot=1, sharing=sharing)
    monkeypatch.setattr(slowdown_search, "MODEL_JOBS", most)
    monkeypatch.setattr(slowdown_search, "FIRST_STEPS", 5)
    monkeypatch.setattr(slowdown_search, "STEPS", 5)
    monkeypatch.setattr(SaturatedExactSearch, "_bound", lambda *_: None)
    monkeypatch.setattr(PlainSearches, "resume", lambda *_: False)
    evidence = begun(instance)
    evidence.bound = Bound("longest job", F(0), {})
    left = count(100, -1)
    assert SaturatedExactSearch(evidence, 0, lambda: next(left), lambda: None).close() is ended
    assert not evidence.closed and len(instance.jobs) == 4
