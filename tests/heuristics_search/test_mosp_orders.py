"""The search over orders for MOSP: feasible, deterministic, the same compiled, optimal where that is known."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics.search.mosp_orders import OrderSearch
from oas.bounds.lower_bound import best_bound
from oas.core.mosp import MospInstance, Organization, Reservation, RigidJob
from oas.core.mosp_schedule import ClusterRun, schedule_from_cluster_runs
from oas.core.verifier import verify
from oas.exact.brute_force_mosp import brute_force_mosp
from oas.exact.evidence import Evidence
from oas.exact.mosp_search import MospCloser
from oas.exact.start import heuristic_schedules
from oas.generate.mosp_swf import swf
from tests.heuristics_search.test_mosp import many_features
from tests.mosp_instances import make_mosp, random_mosp


@pytest.mark.parametrize("seed", range(30))
def test_tiny_instances_are_solved_to_the_optimum_where_an_order_has_it(seed: int) -> None:
    instance = random_mosp(seed).with_locality(None)  # then some order always does
    scaled = instance.scaled()
    optimum = int(brute_force_mosp(instance)[0] / scaled.tick)
    search = OrderSearch(scaled, seed, compiled=False)
    runs = search.improve(optimum, 400)
    assert runs is not None and search.makespan == optimum
    assert verify(instance, schedule_from_cluster_runs(instance, scaled, runs)) == []


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_one_before(drawn: int, seed: int) -> None:
    instance = make_mosp(Random(drawn), max_jobs=9, max_clusters=4, max_processors=9)
    scaled = instance.scaled()
    search = OrderSearch(scaled, seed, compiled=False)
    last = None
    for steps in (1, 30, 100):
        runs = search.improve(0, steps)
        if runs is None:
            assert last is None and search.makespan is None
            continue
        schedule = schedule_from_cluster_runs(instance, scaled, runs)
        assert verify(instance, schedule) == []
        assert schedule.makespan == scaled.to_time(search.makespan)
        assert last is None or schedule.makespan <= last
        last = schedule.makespan


@pytest.mark.parametrize("seed", range(40))
def test_plain_and_compiled_loops_agree_whatever_the_calls(seed: int) -> None:
    instance = many_features(seed)
    scaled = instance.scaled()
    plain, compiled = OrderSearch(scaled, seed, compiled=False), OrderSearch(scaled, seed, compiled=True)
    target = max(scaled.times)
    for steps in (1, 50, 149):
        plain.improve(target, steps)
    runs = compiled.improve(target, 200)
    assert plain.best == runs
    assert list(plain._memory.order) == list(compiled._memory.order)
    assert list(plain._heat) == list(compiled._heat)
    if runs is not None:
        assert verify(instance, schedule_from_cluster_runs(instance, scaled, runs)) == []


def test_jobs_wait_for_releases_and_go_around_reservations() -> None:
    jobs = [RigidJob("a", 3, 2), RigidJob("b", 2, 1, 1), RigidJob("c", 1, 2)]
    instance = MospInstance([Organization("O", 2, jobs, [Reservation(4, 6, 1)])], None)
    search = OrderSearch(instance.scaled(), compiled=False)
    runs = search.improve(6, 50)
    assert runs in (
        [ClusterRun(0, 0, 0), ClusterRun(1, 0, 4), ClusterRun(2, 0, 3)],
        [ClusterRun(0, 0, 1), ClusterRun(1, 0, 4), ClusterRun(2, 0, 0)],
    )


def test_with_many_narrow_jobs_it_is_ahead_of_all_heuristics() -> None:
    instance = swf(seed=12802100, jobs=500, organizations=2, processors=128)
    scaled = instance.scaled()
    best = min((schedule for _, schedule in heuristic_schedules(instance)), key=lambda one: one.makespan)
    search = OrderSearch(scaled)
    search.improve(int(best_bound(instance).value / scaled.tick), 20 * search.pace)
    assert search.makespan is not None and scaled.to_time(search.makespan) < best.makespan


def test_the_closer_offers_what_orders_find() -> None:
    instance = swf(seed=12802100, jobs=500, organizations=2, processors=128)
    evidence = Evidence(instance)
    for name, schedule in heuristic_schedules(instance):
        evidence.offer(schedule, name)
    evidence.bound = best_bound(instance)
    closer = MospCloser(evidence, 0, lambda: None, lambda: None)
    assert closer.orders is not None and closer._orders_are_next()
    before = evidence.makespan
    while evidence.makespan == before:
        closer._search_orders()
    assert evidence.makespan < before and evidence.schedule.method == "search over orders"
    assert evidence.makespan == instance.scaled().to_time(closer.orders.makespan)
    closer.seconds |= {"orders": 100.0, "local": 30.0}
    assert not closer._orders_are_next()
    closer.seconds |= {"local": 40.0}
    assert closer._orders_are_next()
