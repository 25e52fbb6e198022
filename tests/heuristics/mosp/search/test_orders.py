"""The search over orders for MOSP: feasible, deterministic, the same compiled, optimal where that is known."""

from __future__ import annotations

from functools import cache, partial
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
from heuristics.mosp.search.ruin_recreate import RuinSearch
from oas.bounds.lower_bound import best_bound
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.evidence import Evidence
from oas.exact.mosp.brute_force import brute_force
from oas.exact.mosp.search import MospExactSearch
from oas.exact.mosp.stages import local
from oas.exact.start import heuristic_schedules
from oas.generate.mosp.swf import swf
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs
from oas.problems.rigid import Organization, RigidJob
from tests.heuristics.mosp.search.test_ruin_recreate import many_features
from tests.problems.mosp.instances import draw_tiny, random_instance
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.schedule import Schedule
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


def test_only_what_is_complete_on_time_and_shorter_becomes_the_best() -> None:
    given_up = late = longer = 0
    for instance in DRAWN:
        scaled = instance.scaled()
        search, random = OrderSearch(scaled, compiled=False), Random(0)
        problem, memory = search._problem, search._memory
        best: list[ClusterRun] | None = None
        for _ in range(6):
            order = random.sample(range(scaled.job_count), scaled.job_count)
            runs = serial(scaled, order)
            limit = random.choice((inf, overhang(scaled, runs, 0) * 0.6))
            kernels.overhang(problem, memory, order, 0, limit)
            kernels.keep(problem, memory)
            given_up += limit < inf
            if limit == inf and any(lateness(scaled, runs)):
                late += 1
            elif limit == inf and best is not None and max(ends(scaled, runs)) >= max(ends(scaled, best)):
                longer += 1
            elif limit == inf:
                best = runs
            assert search.best == best
    assert given_up and late and longer


def test_a_neighbour_is_an_order() -> None:
    search = OrderSearch(DRAWN[0].scaled(), compiled=False)
    jobs = list(range(DRAWN[0].scaled().job_count))
    changed = 0
    for _ in range(200):
        kernels.vary(search._problem, search._memory, search._state)
        assert sorted(search._memory.tried) == jobs == list(search._memory.order)
        changed += list(search._memory.tried) != jobs
    assert changed > 100


def test_it_starts_from_the_order_of_least_overhang() -> None:
    gaps = 0
    for instance in DRAWN:
        scaled = instance.scaled()
        search = OrderSearch(scaled, compiled=False)
        target = int(best_bound(instance).value / scaled.tick)
        search._take_aim(target)
        values = [overhang(scaled, serial(scaled, order), target) for order in orders._orders(scaled, target)]
        assert min(values) == overhang(scaled, serial(scaled, search._memory.order), target)
        gaps += values[-1] > min(values)
    assert gaps


def test_orders_to_start_from_heed_deadlines_and_times() -> None:
    """Organization A has to end by 3 what it has, and of B the longer job has to start first."""
    long, longer = RigidJob("b", 4, 1), RigidJob("c", 5, 1)
    alone = Organization("A", 1, [RigidJob("a", 3, 1)])
    instance = MospInstance([Organization("B", 1, [long, longer]), alone], 1)
    assert [job.id for job in instance.jobs] == ["b", "c", "a"]
    assert orders._orders(instance.scaled(), 50)[8] == [2, 1, 0]


def test_the_overhang_at_hand_is_that_of_the_order_whatever_was_asked_for_before() -> None:
    for seed, instance in enumerate(DRAWN[:8]):
        scaled = instance.scaled()
        search = OrderSearch(scaled, seed, compiled=False)
        for target in (0, 1, 0):
            search.improve(target, 12)
            runs = serial(scaled, search._memory.order)
            assert search._heat[1] == overhang(scaled, runs, search._goal)
            assert search._goal >= target > search._missed


def test_without_heat_nothing_worse_is_accepted() -> None:
    for seed, instance in enumerate(DRAWN[:6]):
        search = OrderSearch(instance.scaled(), seed, compiled=False)
        search._take_aim(0)
        search._start_round()
        search._heat[0] = 0.0
        asked = search._problem, search._memory, search._state, search._logs
        for _ in range(15):
            before = search._heat[1]
            kernels.anneal_orders(*asked, 1, search._heat, 1.0, search._goal)
            assert search._heat[1] <= before


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


def test_goals_lie_between_what_was_missed_and_the_best() -> None:
    """Half of the way; after a miss nearer to the best, and when none is left in between, from the target on again."""
    anew = met = missed = 0
    for seed, instance in enumerate(DRAWN[:6]):
        search = OrderSearch(instance.scaled(), seed, compiled=False)
        target = int(best_bound(instance).value / search._scaled.tick) // 2  # out of reach
        search._take_aim(target)
        for _ in range(12):
            before, last, rounds = search.makespan, search._missed, search._round
            search._start_round()
            if before is None:
                assert last < search._goal <= 2 * target
                break
            assert target <= search._goal < before
            if search._round > rounds:
                assert (
                    before - last <= max(1, target // orders.NEAR) and search._length == orders.ROUND << search._round
                )
                last, anew = target - 1, anew + 1
            assert search._goal in (before - 1, last + max(1, (before - last) // 2))
            search._left = 0
            if search._kernels.overhang(search._problem, search._memory, search._memory.order, 0, inf) and seed % 2:
                search._missed, missed = search._goal, missed + 1
            else:
                search._memory.found[kernels.BEST], met = search._goal, met + 1
                if search._goal == target:
                    break
    assert anew and met and missed


def test_large_jobs_are_moved_more_often() -> None:
    """Of a hundred jobs one of which is large, that one is moved about every thirteenth time by itself."""
    jobs = [RigidJob("large", 50, 9), *(RigidJob(f"J{n}", 1, 1) for n in range(99))]
    search = OrderSearch(MospInstance([Organization("A", 9, jobs)], None).scaled(), compiled=False)
    moved = 0
    for _ in range(600):
        kernels.vary(search._problem, search._memory, search._state)
        moved += search._memory.tried[0] != 0  # it stands first, and a job moved over it moves it too
    assert 30 < moved < 120


def test_the_target_ends_it() -> None:
    moved = 0
    for seed, instance in enumerate(DRAWN[:10]):
        scaled = instance.scaled()
        first, whole, single = (OrderSearch(scaled, seed, compiled=False) for _ in range(3))
        begun = list(whole._state)
        first.improve(0, 1)
        if first.makespan is None:
            continue
        target, taken = first.makespan - 1, 0
        while taken < 60 and (single.makespan is None or single.makespan > target):
            single.improve(target, 1)
            taken += 1
        if taken < 60:
            whole.improve(target, 100)
            assert list(whole._state) == list(single._state)
            moved += list(whole._state) != begun
        stood = list(first._state)
        first.improve(first.makespan, 100)
        assert list(first._state) == stood
    assert moved


@pytest.fixture
def orders_of_few(monkeypatch):
    """Instances of few jobs have their orders searched as well, by plain loops."""
    monkeypatch.setattr(local, "ORDER_JOBS", 1)
    monkeypatch.setattr(local, "OrderSearch", partial(OrderSearch, compiled=False))
    monkeypatch.setattr(orders, "WORK", 1_000)


def exact_search_of(instance: MospInstance) -> MospExactSearch:
    """The local schedule, and the optimum for a bound."""
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = Bound("told", brute_force(instance)[0], {})
    return MospExactSearch(evidence, 0, lambda: None, lambda: None)


def poor() -> list[MospInstance]:
    """Instances whose local schedule is no optimum."""
    drawn = (random_instance(seed).with_locality(None) for seed in range(40))
    return [one for one in drawn if local_schedule(one).makespan > brute_force(one)[0]]


@pytest.mark.usefixtures("orders_of_few")
def test_orders_alone_close_what_is_small() -> None:
    for instance in poor()[:6]:
        exact = exact_search_of(instance)
        for _ in range(20):
            exact.local._search_orders()
        assert exact.evidence.closed and exact.evidence.schedule.method == "search over orders"
    exact.evidence.bound = Bound("nothing", exact.evidence.bound.value * 0, {})
    stood = list(exact.local._orders._state)
    exact.local._search_orders()
    assert list(exact.local._orders._state) != stood  # it is the bound that they are to reach, not the schedule at hand


@pytest.mark.usefixtures("orders_of_few")
def test_ruin_goes_on_from_what_orders_find(monkeypatch) -> None:
    monkeypatch.setattr(local, "FIRST_SECONDS", 1e-9)  # one slice
    started = []

    def improve(self: RuinSearch, _lower: int, _steps: int, start: list[ClusterRun]) -> list[ClusterRun]:
        started.append(max(ends(self._scaled, start)))
        return start

    monkeypatch.setattr(RuinSearch, "improve", improve)
    monkeypatch.setattr(RuinSearch, "makespan", 10**9, raising=False)
    exact = exact_search_of(poor()[0])
    exact.evidence.bound = Bound("nothing", exact.evidence.bound.value * 0, {})
    before = exact.upper
    exact.local.go(1)
    assert started == [exact.upper] and exact.upper < before


@pytest.mark.usefixtures("orders_of_few")
def test_orders_have_most_of_the_time_while_they_lead() -> None:
    exact = exact_search_of(poor()[0])
    assert exact.local._orders_are_next()  # first of all
    exact.seconds |= {"orders": 10.0, "local": 30.0}
    assert exact.local._orders.makespan is None and not exact.local._orders_are_next()
    exact.local._search_orders()
    exact.seconds |= {"orders": 80.0}
    assert exact.local._orders.makespan == exact.upper and exact.local._orders_are_next()
    exact.seconds |= {"orders": 100.0}
    assert not exact.local._orders_are_next()


def test_few_jobs_need_no_search_over_orders() -> None:
    exact = exact_search_of(random_instance(0))
    assert exact.local._orders is None and not exact.local._orders_are_next()


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
