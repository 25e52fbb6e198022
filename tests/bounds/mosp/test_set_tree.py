"""The bound by a tree over pairs of jobs: exact pricing, certificates, and what the search finds."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations
from random import Random

import pytest

from oas.bounds.mosp.cluster_sets import heaviest_kernels as kernels
from oas.bounds.mosp.cluster_sets.heaviest import SetPacking
from oas.bounds.mosp.cluster_sets.kernels import NO, YES
from oas.bounds.mosp.cluster_sets.pricing import Pricing
from oas.bounds.mosp.scales import Scales
from oas.bounds.mosp.set_tree import set_tree_bound
from oas.core.result import Termination
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import schedule_from_cluster_runs
from oas.problems.rigid import Organization, RigidJob
from tests.bounds.redirected import redirect

WORKER = "tests.bounds.mosp.worker_side"  # by name only: it loads HiGHS
EFFORT = 10**6
# Two clusters of four; three jobs that want a cluster each for five ticks, and two that fit beside them.
THREE = MospInstance(
    [
        Organization("A", 4, [RigidJob("J0", 5, 3), RigidJob("J1", 5, 3)]),
        Organization("B", 4, [RigidJob("J2", 5, 3), RigidJob("J3", 5, 1), RigidJob("J4", 5, 1)]),
    ],
    None,
)


def equal_clusters(seed, *, releases=False):
    """Two or three equal clusters and few jobs, with locality or with releases."""
    draw = Random(seed)
    size, clusters = draw.randint(2, 4), draw.randint(2, 3)
    shapes = [(draw.randint(1, 4), draw.randint(1, size), draw.randint(0, 3) if releases else 0) for _ in range(6)]
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{n}", *one) for n, one in enumerate(shapes) if n % clusters == k])
        for k in range(clusters)
    ]
    return MospInstance(organizations, None)


def all_sets(cluster, together, apart):
    """All sets that the cluster can run, with pairs as supposed."""
    jobs = range(len(cluster.jobs))
    return [
        one
        for count in range(len(jobs) + 1)
        for one in combinations(jobs, count)
        if all((i in one) == (j in one) for i, j in together)
        and not any(i in one and j in one for i, j in apart)
        and (not one or cluster.pack(one, 100_000).answer == YES)
    ]


@pytest.mark.parametrize("plain", [True, False])
def test_pricing_against_enumeration(plain, monkeypatch):
    if plain:
        for name in ("heaviest_items", "pack"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).function)
    for seed in range(5 if plain else 40):
        draw = Random(seed)
        instance = equal_clusters(seed)
        scaled = instance.scaled()
        count = scaled.job_count
        makespan = draw.randint(max(scaled.times), max(scaled.times) + 3)
        cluster = Pricing(Scales(scaled, makespan), scaled.processors[0], draw.choice((1, 5_000)))
        if len(cluster.jobs) < count:
            continue
        pairs = draw.sample(list(combinations(range(count), 2)), 5)
        together, apart = pairs[: seed % 3], pairs[2 : 2 + seed % 4]
        cuts = draw.sample(list(combinations(range(count), 3)), seed % 4)
        sets = all_sets(cluster, together, apart)
        if cluster.steps == 1:
            for one in (pair for size in (2, 3, 4) for pair in combinations(range(count), size)):
                if cluster.pack(one, 100_000).answer == NO:
                    assert cluster.refute(one)
        packing = SetPacking(cluster, together, apart, cuts)
        for factor in (1, 2**46):
            weights = [factor * draw.randint(0, 9) for _ in range(count + len(cuts))]

            def weigh(one, weights=weights, cuts=cuts, count=count):
                paid = sum(price for cut, price in zip(cuts, weights[count:], strict=True) if len({*cut} & {*one}) > 1)
                return sum(weights[job] for job in one) - paid

            best = max(map(weigh, sets))
            found = packing.heaviest(weights, 0, EFFORT)
            if cluster.steps > 1:
                assert found.complete and found.weight == max(best, 0)
                assert not found.sets or (weigh(found.sets[-1]) == best and found.sets[-1] in sets)
            assert found.weight >= best  # what is not decided counts
            assert packing.heaviest(weights, found.weight, EFFORT).sets == []


def schedule_of(instance, found):
    """The schedule found, which keeps every rule."""
    schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
    assert verify(instance, schedule) == []
    return schedule


def check(instance, optimum, lower):
    """What the search finds is right on both sides, and settles the optimum; return the bounds found."""
    upper, bounds = optimum + 1, []
    while lower < upper:
        found = set_tree_bound(instance, lower, upper)
        assert found.termination is Termination.FINISHED, found.message
        assert found.bound is not None or found.runs is not None
        if found.bound is not None:
            assert lower < found.bound.value <= optimum and recheck(instance, found.bound)
            assert not recheck(instance, replace(found.bound, value=found.bound.value + instance.scaled().tick))
            bounds.append(found.bound)
            lower = found.bound.value
        if found.runs is not None:
            assert schedule_of(instance, found).makespan < upper
            upper = schedule_of(instance, found).makespan
    assert upper == optimum
    return bounds


@pytest.mark.parametrize("seed", range(8))
def test_against_brute_force(seed):
    instance = equal_clusters(seed)
    optimum, _ = brute_force(instance)
    check(instance, optimum, max(F(1), optimum - 2))


def test_releases():
    raised = 0
    for seed in range(6):
        instance = equal_clusters(seed, releases=True)
        optimum, _ = brute_force(instance)
        found = set_tree_bound(instance, max(F(1), optimum - 2), optimum)
        assert found.bound is None or (found.bound.value <= optimum and recheck(instance, found.bound))
        raised += found.bound is not None
    assert raised


def test_sets_that_are_not_decided_are_refuted_for_good(monkeypatch):
    redirect(monkeypatch, f"{WORKER}:careless_set_tree")
    needed = 0
    for seed in range(8):
        instance = equal_clusters(seed)
        optimum, _ = brute_force(instance)
        for bound in check(instance, optimum, max(F(1), optimum - 1)):
            if bound.certificate["refuted"]:
                needed += not recheck(instance, replace(bound, certificate={**bound.certificate, "refuted": []}))
    assert needed


def test_a_job_that_fits_nowhere_refutes_by_itself():
    found = set_tree_bound(THREE, F(4), F(5))
    assert found.bound.value == 5 and recheck(THREE, found.bound)


def test_too_large():
    uneven = MospInstance([Organization("A", 4, [RigidJob("J", 5, 3)]), Organization("B", 2)], None)
    found = set_tree_bound(uneven, F(1), F(9))
    assert found.termination is Termination.TOO_LARGE and "different sizes" in found.message
