"""Reductions of the start-indexed model lose no optimum; what it allows: `tests.solving.test_models`."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from random import Random

import pytest

from oas.coallocation.allocations import allocations, jobs_without_allocation
from oas.coallocation.generate.tiny import draw_tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.models import start_indexed
from oas.coallocation.models.reductions import (
    LARGEST_LOAD_BITS,
    identical_jobs,
    link_rows,
    normal_patterns,
    reduced_allocations,
)
from oas.coallocation.models.start_indexed import prepare, ticks_of
from oas.core.errors import TooLargeError
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task, integer_bound
from oas.solving.brute_force import brute_force
from tests.coallocation.grids import small
from tests.slow import at_least, draws, mostly_slow
from tests.solving.rows import every_start


def least_ticks(spec):
    """Return the least makespan that the reduced model holds, as HiGHS finds and proves it."""
    task = Task(start_indexed.FORMULATION.builder, spec)
    outcome = run(task, Settings(integer_objective=True), Limits(120))
    assert outcome.values is not None and outcome.bound is not None, outcome
    end = max(one.end for one in start_indexed.read(spec, outcome.values))
    assert end == ticks_of(spec, integer_bound(outcome.bound))
    return end


@pytest.mark.parametrize("slack", mostly_slow([0, 3], quick=[3]))
def test_reductions_keep_an_optimum(slack):
    smaller = 0
    for instance, optimum in small(60, 25)[: draws(60)]:
        scaled = instance.scaled()
        spec = prepare(instance, scaled, optimum + slack, 0)
        assert least_ticks(spec) == optimum, instance
        smaller += spec.size < every_start(spec).size
    assert smaller >= at_least(40)


def roomy(seed):
    """Few small jobs, so that some classes of nodes never bind and allocations dominate one another."""
    rng = Random(seed)
    instance = draw_tiny(rng, max_jobs=3, max_nodes=7, slots=(F(1),), unit=F(1, 2))
    jobs = [
        Job(one.id, min(one.tasks, rng.choice((1, 2, 2, 3))), one.base_time, max(one.bandwidth, F(1)), one.sigma)
        for one in instance.jobs
    ]
    return replace(instance, jobs=jobs)


def test_dominance_keeps_an_optimum():
    smaller = 0
    for instance in filter(lambda one: not jobs_without_allocation(one.scaled()), map(roomy, range(draws(75)))):
        scaled = instance.scaled()
        optimum = int(brute_force(instance)[0] / scaled.tick)
        assert least_ticks(prepare(instance, scaled, optimum, 0)) == optimum, instance
        kept = reduced_allocations(instance)
        smaller += any(len(own) < len(allocations(scaled, job)) for job, own in enumerate(kept))
    assert smaller >= at_least(25)


def identical_clusters_instance():
    clusters = [Cluster(name, [NodeGroup(2, 1), NodeGroup(1, F(1, 2))], 1) for name in "AB"]
    return CoallocationInstance([*clusters, Cluster("C", [NodeGroup(1, 1)], 5)], [Job("j", 4, 2, 1), Job("k", 1, 1)])


def test_clusters_that_differ_in_anything_are_not_alike():
    instance = identical_clusters_instance()
    other = Cluster("B", instance.clusters[1].groups, 2)
    wider = replace(instance, clusters=[instance.clusters[0], other, instance.clusters[2]])
    for one in (instance, wider):
        optimum = int(brute_force(one)[0] / one.scaled().tick)
        assert least_ticks(prepare(one, one.scaled(), optimum, 0)) == optimum
    mirrored = {
        counts[2:4] + counts[:2] + counts[4:] for counts in map(lambda one: one.counts, reduced_allocations(wider)[0])
    }
    assert mirrored & {one.counts for one in reduced_allocations(wider)[0]}


def test_normal_patterns_by_hand():
    assert normal_patterns([{2}, {3}, {4, 5}], 9, 100) == ((0, 3, 4, 5, 7), (0, 2, 4, 5, 6), (0, 2, 3, 5))
    assert normal_patterns([{2}], 9, 100) == ((0,),)
    with pytest.raises(TooLargeError, match="more than 3 starts"):
        normal_patterns([{1}, {2}, {4}], 20, 3)


def test_a_model_too_large_is_refused_before_it_is_built():
    jobs = [Job(f"J{index}", 6, 1000 + index) for index in range(12)]
    clusters = [Cluster(f"C{index}", [NodeGroup(4, F(1, index + 1))], 9) for index in range(3)]
    instance = CoallocationInstance(clusters, jobs)
    with pytest.raises(TooLargeError):
        prepare(instance, instance.scaled(), 40_000, 0)


# Link rows for float solvers: small numbers, and not one comparison changed


def random_links(seed, digits):
    draw = Random(seed)
    jobs = [Job(f"j{index}", draw.randint(1, 5), 1, F(draw.randint(1, 10**digits), 7)) for index in range(3)]
    bandwidths = [F(draw.randint(0, 3 * 10**digits), draw.choice((1, 7, 11))) for _ in range(2)]
    return CoallocationInstance([Cluster(f"c{k}", [NodeGroup(3, 1)], own) for k, own in enumerate(bandwidths)], jobs)


@pytest.mark.parametrize("digits", [0, 3, 6, 9, 12])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_sums_fit(seed, digits):
    scaled = random_links(seed, digits).scaled()
    capacities, loads, _ = link_rows(scaled)
    assert max(map(max, loads)) <= 2**LARGEST_LOAD_BITS
    for counts in product(*(range(tasks + 1) for tasks in scaled.tasks)):
        exact = sum(row[count] for row, count in zip(scaled.link_loads, counts, strict=True))
        small = sum(row[count] for row, count in zip(loads, counts, strict=True))
        for capacity, narrow in zip(scaled.link_capacity, capacities, strict=True):
            assert small <= narrow or exact > capacity  # what fits still fits
            if digits <= 9:  # within 40 bits the reverse holds too
                assert (small <= narrow) == (exact <= capacity)


def test_an_allocation_that_loads_a_link_less_is_kept():
    """Both jobs at once, if one takes A and B and the other a node of each other cluster: each link carries one."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 9 if name in "AB" else 1) for name in "ABSTUV"]
    instance = CoallocationInstance(clusters, [Job("u", 4, 5, 1), Job("v", 4, 5, 1)])
    scaled = instance.scaled()
    assert least_ticks(prepare(instance, scaled, 5, 0)) == 5


def test_identical_jobs():
    jobs = [Job("a", 1, 2), Job("b", 1, 3), Job("c", 1, 2), Job("d", 2, 2), Job("e", 1, 2, 5), Job("f", 2, 2, 1)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], jobs, slot=1)
    assert identical_jobs(instance) == ((0, 2, 4),)  # one task sends nothing, whatever its bandwidth
    assert identical_jobs(instance.with_slot(3)) == ((0, 1, 2, 4),)
