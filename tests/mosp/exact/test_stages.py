"""Stages of MOSP's exact search: from an open search to schedule and bound; added constraints keep every schedule."""

from dataclasses import replace
from random import Random

import pytest

from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.exact import implied as module
from oas.mosp.exact.implied import implied
from oas.mosp.exact.search import MospExactSearch
from oas.mosp.exact.stages.bounds import first_partitions, partitions
from oas.mosp.exact.stages.special_cases import Balancing, machines
from oas.mosp.generate.section7 import uni
from oas.mosp.generate.tiny import alone, random_instance
from oas.mosp.instance import MospInstance
from oas.mosp.models.cumulative_cpsat import FORMULATION, prepare
from oas.mosp.runs import cluster_runs_from_schedule, first_runs, local_schedule, schedule_from_cluster_runs
from oas.mosp.ticks import coarsened
from oas.solvers.isolation.client import run
from oas.solvers.task import CPSAT, Limits, Settings, Task
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.formulation import MOST_WEIGHT
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck


def search_of(instance):
    """The search with what first runs make, and the quick bounds."""
    evidence = Evidence(instance)
    runs = first_runs(instance.scaled())
    assert evidence.offer(schedule_from_cluster_runs(instance, instance.scaled(), runs), "first") is None
    evidence.bound = best_bound(instance)
    return MospExactSearch(evidence, 0, lambda: None, lambda: None)


def test_machines_with_deadlines_keep_them():
    draw = Random(4)
    jobs = [RigidJob(f"J{index}", draw.randint(1, 30), 1) for index in range(24)]
    instance = MospInstance([Organization(f"O{k}", 2, jobs[k::3]) for k in range(3)], 1)
    search = search_of(instance)
    machines(search, None)
    assert search.evidence.schedule.method == "balanced machines" and not verify(instance, search.evidence.schedule)
    assert search.evidence.closed and recheck(instance, search.evidence.bound)


def test_times_of_large_denominators_are_balanced_in_coarse_units():
    """As ticks such times are beyond 10^12: a bit for each would be 100 GB and more."""
    draw = Random(0)
    times = [draw.randint(1, 10**13) for _ in range(30)]
    one = Balancing(times, 3, 0)
    before = one.makespan
    one.improve(0, 30)
    assert sorted(job for own in one.jobs for job in own) == list(range(30))
    assert one.loads == [sum(times[job] for job in own) for own in one.jobs]
    assert one.makespan <= before and one.makespan - sum(times) / 3 < 10**9


def test_it_settles_an_open_search_on_clusters_of_different_sizes():
    """The bound comes from a refutation and the schedule from the same search; neither was there before."""
    instance = uni(seed=78, jobs=8, organizations=3, processors=8, pareto=9)
    assert len({one.processors for one in instance.organizations}) > 1
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = best_bound(instance)
    search = MospExactSearch(evidence, 0, lambda: None, lambda: None)
    assert not evidence.closed
    partitions(search, None)
    assert not evidence.closed  # the turn of few jobs is earlier
    first_partitions(search, None)
    assert evidence.closed and evidence.schedule is not None
    assert evidence.schedule.method == "partitions" and not verify(instance, evidence.schedule)
    assert evidence.bound.name == "partitions" and recheck(instance, evidence.bound)


SYMMETRIC = {"releases": False, "reservations": False, "localities": (None,)}


@pytest.fixture
def budgets_with_room(monkeypatch):
    monkeypatch.setattr(module, "LEAST_FILLED", 0.0)


def drawn(seed):
    """Return a tiny instance of one of four kinds in turn."""
    if seed % 4 == 0:
        return alone(seed)
    if seed % 4 == 1:
        return random_instance(seed, reservations=True, equal=False)
    if seed % 4 == 2:
        return random_instance(seed, max_time=3, max_processors=3, **SYMMETRIC)  # many identical jobs
    return random_instance(seed, max_processors=7, max_time=9)


def weights_of(rng, instance):
    return [tuple(rng.choice((0, 1, 2, 5, 10**12 + 7)) for _ in instance.jobs) for _ in range(2)]


def solved(spec):
    return run(Task(FORMULATION.builder, spec, None), Settings(CPSAT), Limits(60))


def question(instance, ticks):
    return prepare(instance, instance.scaled(), ticks, ticks)


@pytest.mark.usefixtures("budgets_with_room")
@pytest.mark.parametrize("seed", range(20))
def test_every_schedule_keeps_every_budget(monkeypatch, seed):
    monkeypatch.setattr(module, "BUDGETS", 10**6)
    monkeypatch.setattr(module, "HEIGHTS", 10**6)
    instance, rng = drawn(seed), Random(seed)
    scaled = instance.scaled()
    makespan, schedule = brute_force(instance)
    spec = question(instance, int(makespan / scaled.tick))
    budgets = implied(spec, weights_of(rng, instance), weights_of(rng, instance)).budgets
    assert budgets
    runs = cluster_runs_from_schedule(instance, scaled, schedule)
    for weights, room in budgets:
        assert max(room) <= MOST_WEIGHT and all(type(one) is int for one in (*weights, *room))
        for cluster, limit in enumerate(room):
            assert sum(weights[one.job] for one in runs if one.cluster == cluster) <= limit


@pytest.mark.usefixtures("budgets_with_room")
@pytest.mark.parametrize("seed", range(12))
def test_it_decides_as_brute_force_does(seed):
    instance = drawn(1000 + seed)
    scaled, rng = instance.scaled(), Random(seed)
    optimum, unit = int(brute_force(instance)[0] / scaled.tick), coarsened(scaled)[1]
    for ticks in (optimum, optimum - unit):
        spec = question(instance, ticks)
        coarse = spec.scaled
        if any(r + p > e for r, p, e in zip(coarse.releases, coarse.times, spec.ends, strict=True)):
            continue
        given = replace(spec, implied=implied(spec, weights_of(rng, instance), weights_of(rng, instance)))
        assert solved(given).infeasible == (ticks < optimum)
