"""What closes an instance whose saturated links slow jobs down: against brute force, and without slowdown."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import count

import pytest

import oas
from heuristics.registry import find_method
from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, TooLargeError
from oas.core.result import Bound, ProofKind, Status, Termination
from oas.core.verifier import verify
from oas.exact.bound_check import objection
from oas.exact.coallocation.saturated import search
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.coallocation.saturated.local import LocalSearch, serial
from oas.exact.coallocation.saturated.plain import PlainSearch, PlainSearches, unslowed
from oas.exact.coallocation.saturated.search import SaturatedExactSearch
from oas.exact.evidence import Evidence
from oas.exact.recheck import recheck_result
from oas.generate import saturated
from oas.problems.coallocation.execution import execute
from oas.problems.coallocation.progress import schedule_from_starts

LOOKS = 5_000  # at the clock, hundreds of times what is needed, and an end where there is none


def tiny(seed):
    return saturated(
        seed=seed,
        jobs=1 + seed % 4,
        slot=(0, 1)[seed // 4 % 2],
        sharing=("paper", "max-min")[seed // 8 % 2],
        threshold=(None, F(1, 2))[seed // 16 % 2],
    )


def begun(instance):
    """Evidence with each job alone, one after another."""
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_starts(instance, serial(Options(instance))), "in a row") is None
    evidence.bound = best_bound(instance)
    return evidence


@pytest.mark.parametrize("seed", range(200, 216, 3))
def test_solve_is_brute_force(seed):
    instance = tiny(seed)
    optimum, _ = brute_force(instance)
    result = oas.solve(instance)
    assert result.status is Status.OPTIMAL and result.termination is Termination.FINISHED
    assert result.objective == result.lower_bound == optimum
    assert recheck_result(instance, result)[-1] == "status: optimal, schedule and bound meet"


@pytest.mark.parametrize("seed", range(300, 303))
def test_the_search_over_grid_moments_by_itself(seed, monkeypatch):
    """Without the bound and local search, what is refuted is a claim."""
    instance = saturated(seed=seed, jobs=3, slot=1)
    monkeypatch.setattr(SaturatedExactSearch, "_bound", lambda *_: None)
    monkeypatch.setattr(LocalSearch, "improve", lambda self, *_: serial(self.options))
    evidence = begun(instance)
    looks = count(-LOOKS)
    exact = SaturatedExactSearch(evidence, 0, lambda: -next(looks), lambda: None)
    assert exact.close() is Termination.FINISHED
    assert evidence.makespan == evidence.lower_bound == brute_force(instance)[0]
    if evidence.claims:
        assert evidence.proof().kind is ProofKind.SOLVER
        assert [(one.solver, one.formulation) for one in evidence.claims] == [("oas", "grid moments")]


def test_nothing_is_claimed_that_is_not_met(monkeypatch):
    instance = saturated(seed=3, jobs=4)
    none = Bound("none", F(0), None)
    find = search.shared_links_bound
    monkeypatch.setattr(
        search,
        "shared_links_bound",
        lambda *asked, **how: find(*asked, **how).__class__(none, (), None, (), Termination.FINISHED),
    )
    evidence = begun(instance)
    evidence.bound = Bound("longest job", F(0), {})
    assert SaturatedExactSearch(evidence, 0, lambda: None, lambda: None).close() is Termination.FINISHED
    assert evidence.lower_bound == 0 and not evidence.closed and not evidence.claims


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("looks", range(4))
def test_the_time_may_run_out_between_two_looks_at_the_clock(slot, looks):
    instance = saturated(seed=12, jobs=4, slot=slot)
    evidence = begun(instance)
    left = count(looks, -1)
    ended = SaturatedExactSearch(evidence, 0, lambda: next(left) - 0.5, lambda: None).close()
    assert ended in (Termination.TIME_LIMIT, Termination.FINISHED)
    assert (ended is Termination.FINISHED) == evidence.closed or not slot
    assert verify(instance, evidence.schedule) == []


# The searches without slowdown: their bounds hold under slowdown, and their schedules become schedules


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
    evidence = begun(instance)
    with pytest.raises(InputError):
        PlainSearch(instance.with_saturation("forbid"), evidence.schedule, 0, lambda: False, lambda: None)
    PlainSearches(evidence, 0, lambda: None).go_on(1.0, None)
    result = oas.solve(instance)
    assert result.objective == brute_force(instance)[0] == result.lower_bound
    assert recheck_result(instance, result)[-1] == "status: optimal, schedule and bound meet"


class _TooLarge:
    def __init__(self, *_):
        raise TooLargeError("too many")


@pytest.mark.parametrize("limit", [True, False])
def test_where_the_grid_is_too_large_the_time_is_used(limit, monkeypatch):
    """With a limit the other searches continue; without one it is an error, for a model may do better."""
    drawn = oas.generate.section4(seed=9_900_001, jobs=16, nodes=20, bandwidth="tight", slot_percent="10")
    instance = drawn.with_saturation("slowdown")
    monkeypatch.setattr(search, "GridSearch", _TooLarge)
    monkeypatch.setattr(search, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(search, "SLOTTED_SECONDS", 0.1)
    monkeypatch.setattr(search, "FIRST_STEPS", 5)
    monkeypatch.setattr(search, "STEPS", 5)
    monkeypatch.setattr(search, "SECONDS", 0.1)
    evidence = Evidence(instance)
    assert evidence.offer(find_method("FCFS", instance.problem)(instance), "FCFS") is None
    evidence.bound = best_bound(instance)
    left = count(12, -1)
    exact = SaturatedExactSearch(evidence, 0, (lambda: next(left)) if limit else (lambda: None), lambda: None)
    if limit:
        assert exact.close() is Termination.TIME_LIMIT
    else:
        with pytest.raises(TooLargeError):
            exact.close()
