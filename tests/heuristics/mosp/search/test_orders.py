"""The search over orders for MOSP: feasible, deterministic, the same compiled, optimal where that is known."""

from __future__ import annotations

from functools import cache
from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.mosp.queueing import empty_profiles
from heuristics.mosp.search import orders
from heuristics.mosp.search import orders_kernels as kernels
from heuristics.mosp.search.orders import OrderSearch
from oas.bounds.lower_bound import best_bound
from oas.core.verifier import verify
from oas.exact.evidence import Evidence
from oas.exact.mosp.brute_force import brute_force
from oas.exact.mosp.search import MospExactSearch
from oas.exact.start import heuristic_schedules
from oas.generate.mosp.swf import swf
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from tests.heuristics.mosp.search.test_ruin_recreate import many_features
from tests.problems.mosp.instances import draw_tiny, random_instance
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.result import Bound
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp

DRAWN = [draw_tiny(Random(seed), max_jobs=30, max_clusters=4, max_processors=9, max_time=20) for seed in range(25)]


def serial(scaled: ScaledMosp, order: Sequence[int]) -> list[ClusterRun]:
    """Each job in turn at its earliest start, on the first cluster where that is earliest."""
    profiles = empty_profiles(scaled, compiled=False)
    runs = []
    for job in order:
        shape = scaled.times[job], scaled.widths[job]
        found = profiles.earliest(range(scaled.cluster_count), scaled.releases[job], *shape)
        assert found is not None
        profiles.occupy(*found, *shape)
        runs.append(ClusterRun(job, *found))
    return sorted(runs, key=lambda run: run.job)


def ends(scaled: ScaledMosp, runs: Sequence[ClusterRun]) -> list[int]:
    return [run.start + scaled.times[run.job] for run in runs]


def lateness(scaled: ScaledMosp, runs: Sequence[ClusterRun]) -> list[int]:
    dues = [scaled.deadlines[owner] for owner in scaled.owners]
    return [0 if due is None else max(0, end - due) for end, due in zip(ends(scaled, runs), dues, strict=True)]


def overhang(scaled: ScaledMosp, runs: Sequence[ClusterRun], goal: int) -> float:
    beyond = [max(0, end - goal) for end in ends(scaled, runs)]
    every = zip(beyond, lateness(scaled, runs), scaled.widths, strict=True)
    return sum(width * (over + kernels.LATE * late) for over, late, width in every)


@pytest.mark.parametrize("seed", every_fourth_quick(range(13)))
def test_an_order_becomes_its_serial_schedule(seed: int) -> None:
    for instance in (DRAWN[seed], many_features(seed)):
        scaled = instance.scaled()
        search, random = OrderSearch(scaled, compiled=False), Random(seed)
        problem, memory = search._problem, search._memory
        for _ in range(3):  # with the same memory: nothing of an order may be left to the next
            order = random.sample(range(scaled.job_count), scaled.job_count)
            runs = serial(scaled, order)
            goal = max(ends(scaled, runs)) * 2 // 3
            value = kernels.overhang(problem, memory, order, goal, inf)
            assert list(map(ClusterRun, range(len(order)), memory.cluster, memory.start)) == runs
            assert memory.found[kernels.MAKESPAN] == max(ends(scaled, runs))
            assert memory.found[kernels.LATE_JOBS] == sum(map(bool, lateness(scaled, runs)))
            assert value == overhang(scaled, runs, goal)


def test_calls_cut_as_they_may_find_the_same(monkeypatch) -> None:
    monkeypatch.setattr(orders, "ROUND", 8)
    scaled = DRAWN[0].scaled()
    once, often, other = (OrderSearch(scaled, seed, compiled=False) for seed in (3, 3, 4))
    once.improve(0, 40)
    for steps in (1, 9, 1, 13, 16):
        often.improve(0, steps)
    assert (once.best, *once._state, *once._heat) == (often.best, *often._state, *often._heat)
    assert list(once._memory.order) == list(often._memory.order)
    assert once._left == 0 and once._missed == once._goal >= 0  # five rounds of 8, the last one in vain
    other.improve(0, 40)
    assert list(once._memory.order) != list(other._memory.order)


@pytest.mark.parametrize("seed", every_fourth_quick(range(16)))
def test_tiny_instances_are_solved_to_the_optimum_where_an_order_has_it(seed: int) -> None:
    instance = random_instance(seed).with_locality(None)  # then some order always does
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    search = OrderSearch(scaled, seed, compiled=False)
    runs = search.improve(optimum, 400)
    assert runs is not None and search.makespan == optimum
    assert verify(instance, schedule_from_cluster_runs(instance, scaled, runs)) == []


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_one_before(drawn: int, seed: int) -> None:
    instance = draw_tiny(Random(drawn), max_jobs=9, max_clusters=4, max_processors=9)
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


@pytest.mark.parametrize("seed", every_fourth_quick(range(20)))
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


@cache
def many_narrow() -> tuple[MospInstance, list[tuple[str, Schedule]], Bound]:
    """An instance of many narrow jobs, the schedules of all heuristics, and the best quick bound."""
    instance = swf(seed=12802100, jobs=500, organizations=2, processors=128)
    return instance, list(heuristic_schedules(instance)), best_bound(instance)


@pytest.mark.slow
def test_with_many_narrow_jobs_it_is_ahead_of_all_heuristics() -> None:
    instance, schedules, bound = many_narrow()
    scaled = instance.scaled()
    search = OrderSearch(scaled)
    search.improve(int(bound.value / scaled.tick), 20 * search.pace)
    best = min(schedule.makespan for _, schedule in schedules)
    assert search.makespan is not None and scaled.to_time(search.makespan) < best


@pytest.mark.slow
def test_the_exact_search_offers_what_orders_find() -> None:
    instance, schedules, bound = many_narrow()
    evidence = Evidence(instance)
    for name, schedule in schedules:
        evidence.offer(schedule, name)
    evidence.bound = bound
    exact = MospExactSearch(evidence, 0, lambda: None, lambda: None)
    assert exact.local._orders is not None and exact.local._orders_are_next()
    before = evidence.makespan
    while evidence.makespan == before:
        exact.local._search_orders()
    assert evidence.makespan < before and evidence.schedule.method == "search over orders"
    assert evidence.makespan == instance.scaled().to_time(exact.local._orders.makespan)
    exact.seconds |= {"orders": 100.0, "local": 30.0}
    assert not exact.local._orders_are_next()
    exact.seconds |= {"local": 40.0}
    assert exact.local._orders_are_next()
