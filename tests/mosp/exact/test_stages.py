"""Stages of MOSP's exact search: from an open search to schedule and bound; added constraints keep every schedule."""

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.bounds.pair_tree.bins import EqualTimes, bins_of
from oas.mosp.exact import implied as module
from oas.mosp.exact.implied import implied
from oas.mosp.exact.search import MospExactSearch
from oas.mosp.exact.stages.bounds import first_partitions, partitions
from oas.mosp.exact.stages.special_cases import Balancing, bins, exact_fill, machines
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

TRIPLES = [(499, 251, 250), (440, 300, 260), (380, 340, 280), (430, 301, 269), (370, 335, 295), (411, 322, 267)]


def search_of(instance):
    """The search with what first runs make, and the quick bounds."""
    evidence = Evidence(instance)
    runs = first_runs(instance.scaled())
    assert evidence.offer(schedule_from_cluster_runs(instance, instance.scaled(), runs), "first") is None
    evidence.bound = best_bound(instance)
    return MospExactSearch(evidence, 0, lambda: None, lambda: None)


def organizations(shapes, sizes, time=None):
    """Jobs (time, width) dealt out to organizations with clusters of these sizes."""
    own = [[] for _ in sizes]
    for index, (length, width) in enumerate(shapes):
        own[index % len(sizes)].append(RigidJob(f"J{index}", time or length, width))
    return [Organization(f"O{k}", size, jobs) for k, (size, jobs) in enumerate(zip(sizes, own, strict=True))]


def test_a_perfect_packing_is_found():
    instance = MospInstance(organizations([(2, width) for own in TRIPLES for width in own], [1000]), None)
    search = search_of(instance)
    assert isinstance(bins_of(search.scaled), EqualTimes)
    bins(search, None)
    assert search.evidence.makespan == search.evidence.lower_bound == 12
    assert search.evidence.schedule.method == "columns"
    assert search.notes == ["equal times: bin packing, 18 items in bins of 1000"]


def test_a_cluster_that_the_jobs_fill_exactly_is_filled():
    shapes = [(3, 4), (5, 2), (5, 2), (2, 3), (2, 1), (1, 4), (2, 2), (2, 2)]  # a rectangle of 8 × 4 and one of 3 × 4
    search = search_of(MospInstance(organizations(shapes, [4]), None))
    exact_fill(search, None)
    assert search.evidence.makespan == search.evidence.lower_bound
    assert search.evidence.schedule.method == "exact fill"


def test_a_bound_above_area_is_kept():
    instance = MospInstance(organizations([(1, 34)] * 7, [100]), None)  # two a bin
    search = search_of(instance)
    search.evidence.bound = type(search.evidence.bound)("area", F(3), {})
    bins(search, None)
    assert search.evidence.bound.name == "pair tree" and search.evidence.closed
    assert search.evidence.makespan == 4 and recheck(instance, search.evidence.bound)


def test_machines_with_deadlines_keep_them():
    draw = Random(4)
    shapes = [(draw.randint(1, 30), 1) for _ in range(24)]
    instance = MospInstance(organizations(shapes, [2, 2, 2]), 1)
    search = search_of(instance)
    machines(search, None)
    bins(search, None)
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
