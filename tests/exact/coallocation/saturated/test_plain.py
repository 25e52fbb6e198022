"""The searches without slowdown: their bounds hold under slowdown, and their schedules become schedules."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import count

import pytest

import oas
from heuristics.registry import find_method
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, TooLargeError
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.exact.bound_check import objection
from oas.exact.coallocation.saturated import search
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.coallocation.saturated.plain import PlainSearch, PlainSearches, unslowed
from oas.exact.coallocation.saturated.search import SaturatedExactSearch
from oas.exact.evidence import Evidence
from oas.exact.recheck import recheck_result
from oas.generate import saturated
from oas.problems.coallocation.execution import execute
from tests.exact.coallocation.saturated.test_search import begun
from tests.slow import mostly_slow


def drawn(seed):
    return saturated(
        seed=seed,
        jobs=2 + seed % 3,
        slot=(1, F(3, 2), F(1, 2))[seed % 3],
        sharing=("paper", "max-min")[seed // 4 % 2],
        threshold=(None, F(1, 2))[seed // 8 % 2],
    )


def test_in_ticks_it_is_the_same():
    for seed in range(40):
        instance = drawn(seed)
        plain, own = unslowed(instance).scaled(), instance.scaled()
        assert plain.tick == own.tick and plain.classes == own.classes and plain.durations == own.durations
        pairs = [*zip(plain.link_capacity, own.link_capacity, strict=True)]
        for row, other in zip(plain.link_loads, own.link_loads, strict=True):
            pairs += zip(row, other, strict=True)
        assert all(bool(one) == bool(other) for one, other in pairs)
        assert len({F(one, other) for one, other in pairs if other}) <= 1, "only the unit of bandwidth may differ"


@pytest.mark.parametrize("seeds", mostly_slow([range(16), range(16, 200)], quick=[range(16)]), ids=str)
def test_certificates_hold_under_slowdown(seeds):
    for seed in seeds:
        instance = drawn(seed)
        optimum, _ = brute_force(instance)
        plain = oas.solve(unslowed(instance), threads=1)
        assert plain.status is Status.OPTIMAL and plain.objective <= optimum
        assert objection(instance, plain.proof.bound) == ""
        assert verify(instance, execute(instance, plain.schedule).schedule) == []


def test_both_sides_improve_the_evidence():
    evidence = begun(saturated(seed=3, jobs=4, slot=1))
    optimum = brute_force(evidence.instance)[0]
    before = evidence.makespan
    searches = PlainSearches(evidence, 0, lambda: None)
    for _ in range(4):
        searches.go_on(2.0, None)
    assert evidence.lower_bound <= optimum <= evidence.makespan <= before
    assert searches.over or not evidence.enough


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
