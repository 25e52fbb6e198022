"""Local searches of MOSP, over orders and by ruin and recreate: feasible, deterministic, no worse than their start."""

from fractions import Fraction as F
from functools import cache
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.shared_kernels import NEVER
from oas.core.verifier import check
from oas.mosp.exact.search import MospExactSearch
from oas.mosp.generate.section7 import swf, uni
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, cluster_runs_from_schedule, local_schedule, schedule_from_cluster_runs
from oas.mosp.search import orders, ruin_recreate
from oas.mosp.search import orders_kernels as kernels
from oas.mosp.search.orders import OrderSearch
from oas.mosp.search.queueing import empty_profiles
from oas.mosp.search.ruin_recreate import RuinSearch
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.lower_bound import best_bound
from oas.solving.methods import find_method
from oas.solving.start import heuristic_schedules
from tests.mosp.instances import draw_tiny, random_instance
from tests.slow import every_fourth_quick

ILBA_LOCAL = find_method("ILBA-local", MospInstance)


def checked(instance, runs):
    assert [run.job for run in runs] == list(range(len(instance.jobs)))
    return check(instance, schedule_from_cluster_runs(instance, instance.scaled(), runs))


def many_features(seed, unit=F(1)):
    """Up to 40 jobs on clusters of different sizes, with releases and reservations; all times multiples of `unit`."""
    rng = Random(seed)
    organizations = []
    for k in range(rng.randint(1, 5)):
        size = rng.randint(1, 30)
        jobs = [
            RigidJob(f"J{k}.{i}", rng.randint(1, 30) * unit, rng.randint(1, size), rng.choice((0, 0, 20)) * unit)
            for i in range(rng.randint(1, 8))
        ]
        moments = sorted(rng.sample(range(60), 4))
        held = [Reservation(moments[a] * unit, moments[a + 1] * unit, rng.randint(1, size)) for a in (0, 2)]
        organizations.append(Organization(f"O{k}", size, jobs, rng.choice((held, ()))))
    return MospInstance(organizations, rng.choice((None, F(1), F(5, 4))), "HF")


both = pytest.mark.parametrize("kind", [RuinSearch, OrderSearch])


@both
@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_tiny_instances_are_solved_to_the_optimum(kind, seed):
    """Without locality some order always has it."""
    instance = random_instance(seed) if kind is RuinSearch else random_instance(seed).with_locality(None)
    optimum, _ = brute_force(instance)
    search = kind(instance.scaled(), seed)
    assert checked(instance, search.improve(int(optimum / instance.scaled().tick), 4_000)).makespan == optimum


@both
@given(drawn=st.integers(0, 10**6), seed=st.integers(0, 10**6))
def test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_one_before(kind, drawn, seed):
    """Ruin and recreate has a schedule from the beginning, a search over orders may find none."""
    instance = draw_tiny(Random(drawn), max_jobs=9, max_clusters=4, max_processors=9)
    search = kind(instance.scaled(), seed, compiled=False)
    last = local_schedule(instance).makespan if kind is RuinSearch else None
    for steps in (0, 1, 30, 100):
        runs = search.improve(0, steps)
        if not runs:
            assert last is None and search.makespan == NEVER
            continue
        found = checked(instance, runs).makespan
        assert found == instance.scaled().to_time(search.makespan)
        assert last is None or found <= last
        last = found


@both
@pytest.mark.parametrize("seed", every_fourth_quick(range(22)))
def test_plain_and_compiled_loops_agree_whatever_the_calls(monkeypatch, kind, seed):
    """Over several rounds; another seed draws other numbers."""
    monkeypatch.setattr(orders, "ROUND", 64)
    monkeypatch.setattr(ruin_recreate, "ROUND", 64)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)
    instance = many_features(seed, F(1, 7))
    scaled = instance.scaled()
    plain, compiled = (kind(scaled, seed, compiled=one) for one in (False, True))
    target = max(scaled.times)
    for steps in (1, 150, 249):
        plain.improve(target, steps)
    runs = compiled.improve(target, 400)
    assert plain.best == runs
    assert [list(row) for row in plain._memory] == [list(row) for row in compiled._memory]
    assert [list(plain._heat), list(plain._state)] == [list(compiled._heat), list(compiled._state)]
    assert plain.tried == compiled.tried
    assert list(kind(scaled, seed + 1)._state) != list(kind(scaled, seed)._state)
    if runs:
        checked(instance, runs)


@pytest.mark.parametrize(("jobs", "clusters"), [(50, 2), (100, 20)])
def test_paper_instances_come_out_shorter_than_their_start(jobs, clusters):
    instance = uni(seed=3, jobs=jobs, organizations=clusters)
    scaled = instance.scaled()
    start = cluster_runs_from_schedule(instance, scaled, ILBA_LOCAL(instance))
    search = RuinSearch(scaled, 1)
    bound = int(best_bound(instance).value)
    assert checked(instance, search.improve(bound, 60_000, start)).makespan < ILBA_LOCAL(instance).makespan


def test_ticks_beyond_any_table():
    """The same instance in ticks of a millionth: the same schedules, in times of 10^7 ticks and more."""
    coarse, fine = many_features(5), many_features(5, F(1_000_001))
    found = checked(fine, RuinSearch(fine.scaled(), 3).improve(0, 20_000)).makespan
    assert max(fine.scaled().times) == max(job.time for job in fine.jobs)
    assert found <= local_schedule(fine).makespan
    least = checked(coarse, RuinSearch(coarse.scaled(), 3).improve(0, 20_000)).makespan
    assert found <= least * 1_000_001 * F(21, 20)


def test_a_better_start_is_taken_and_a_worse_one_left():
    scaled = uni(seed=1, jobs=50, organizations=5).scaled()
    good = RuinSearch(scaled, 1).improve(0, 20_000)
    poor = RuinSearch(scaled, 2).improve(0, 1)
    search = RuinSearch(scaled, 5)
    assert search.improve(0, 0, good) == good
    assert search.improve(0, 0, poor) == good


DRAWN = [draw_tiny(Random(seed), max_jobs=30, max_clusters=4, max_processors=9, max_time=20) for seed in range(25)]


def serial(scaled, order):
    """Place each job in turn at its earliest start, ties to the first cluster."""
    profiles = empty_profiles(scaled)
    runs = []
    for job in order:
        shape = scaled.times[job], scaled.widths[job]
        found = profiles.earliest(range(scaled.cluster_count), scaled.releases[job], *shape)
        profiles.occupy(*found, *shape)
        runs.append(ClusterRun(job, *found))
    return sorted(runs, key=lambda run: run.job)


def ends(scaled, runs):
    return [run.start + scaled.times[run.job] for run in runs]


def lateness(scaled, runs):
    dues = [scaled.deadlines[owner] for owner in scaled.owners]
    return [0 if due is None else max(0, end - due) for end, due in zip(ends(scaled, runs), dues, strict=True)]


def overhang(scaled, runs, goal):
    beyond = [max(0, end - goal) for end in ends(scaled, runs)]
    every = zip(beyond, lateness(scaled, runs), scaled.widths, strict=True)
    return sum(width * (over + kernels.LATE * late) for over, late, width in every)


@pytest.mark.parametrize("seed", every_fourth_quick(range(13)))
def test_an_order_becomes_its_serial_schedule(seed):
    for instance in (DRAWN[seed], many_features(seed)):
        scaled = instance.scaled()
        search, random = OrderSearch(scaled, compiled=False), Random(seed)
        problem, memory = search._problem, search._memory
        for _ in range(3):  # with the same memory: no state of an order may affect the next
            order = random.sample(range(scaled.job_count), scaled.job_count)
            runs = serial(scaled, order)
            goal = max(ends(scaled, runs)) * 2 // 3
            value = search._kernels.overhang(problem, memory, order, goal, inf)
            assert list(map(ClusterRun, range(len(order)), memory.cluster, memory.start)) == runs
            assert memory.found[kernels.MAKESPAN] == max(ends(scaled, runs))
            assert memory.found[kernels.LATE_JOBS] == sum(map(bool, lateness(scaled, runs)))
            assert value == overhang(scaled, runs, goal)


@cache
def many_narrow():
    """An instance of many narrow jobs, the schedules of all heuristics, and the best quick bound."""
    instance = swf(seed=12802100, jobs=500, organizations=2, processors=128)
    return instance, list(heuristic_schedules(instance)), best_bound(instance)


@pytest.mark.slow
def test_the_exact_search_offers_what_orders_find():
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
