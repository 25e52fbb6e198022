from collections import Counter
from fractions import Fraction as F
from itertools import combinations

import pytest
from hypothesis import given

from oas.core.errors import TooLargeError
from oas.problems.coallocation.allocations import (
    allocations,
    allowed_counts,
    fastest_level,
    jobs_without_allocation,
    make_allocation,
)
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.coallocation.naive import naive_fits, naive_load, naive_time
from tests.strategies import instances


def by_subsets(instance: CoallocationInstance, job: Job) -> dict[tuple[tuple[int, F, int], ...], F]:
    """Every allocation as nodes of each (cluster, Γ), with its duration, found among all sets of τ nodes."""
    every = [
        (index, number, power)
        for index, cluster in enumerate(instance.clusters)
        for number, power in enumerate(cluster.node_powers)
    ]
    found = {}
    for held in combinations(every, job.tasks):
        inside = Counter(cluster for cluster, _, _ in held)
        if all(naive_load(job, inside[k]) <= cluster.bandwidth for k, cluster in enumerate(instance.clusters)):
            kind = Counter((cluster, power) for cluster, _, power in held)
            key = tuple(sorted((cluster, power, count) for (cluster, power), count in kind.items()))
            found[key] = naive_time(instance, job, (power for _, _, power in held))
    return found


@given(instances(feasible=False))
def test_enumeration_equals_all_node_subsets(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    for index, job in enumerate(instance.jobs):
        listed = allocations(scaled, index)
        found = {
            tuple(
                sorted(
                    (one.cluster, scaled.powers[one.level], count)
                    for one, count in zip(scaled.classes, allocation.counts, strict=True)
                    if count
                )
            ): scaled.to_time(allocation.duration)
            for allocation in listed
        }
        assert len(found) == len(listed)
        assert found == by_subsets(instance, job)
        counts = [allocation.counts for allocation in listed]
        assert counts == sorted(counts)
        assert listed == [make_allocation(scaled, index, one) for one in counts]


@given(instances(feasible=False))
def test_loads_follow_from_the_counts(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    for index in range(scaled.job_count):
        for allocation in allocations(scaled, index):
            held = [0] * scaled.cluster_count
            for one, count in zip(scaled.classes, allocation.counts, strict=True):
                held[one.cluster] += count
            assert sum(held) == scaled.tasks[index]
            assert list(allocation.loads) == [scaled.link_loads[index][count] for count in held]


@given(instances(feasible=False))
def test_jobs_without_allocation_are_those_with_none_listed(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    missing = [index for index in range(scaled.job_count) if not allocations(scaled, index)]
    assert jobs_without_allocation(scaled) == missing
    assert missing == [k for k, job in enumerate(instance.jobs) if not naive_fits(instance.clusters, job)]


@given(instances(feasible=False))
def test_fastest_level_is_the_best_of_all_allocations(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    for index in range(scaled.job_count):
        slowest = [
            max(one.level for one, count in zip(scaled.classes, allocation.counts, strict=True) if count)
            for allocation in allocations(scaled, index)
        ]
        assert fastest_level(scaled, index) == min(slowest, default=None)


@given(instances(feasible=False))
def test_allowed_counts(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    sizes = [cluster.size for cluster in instance.clusters]
    for index, job in enumerate(instance.jobs):
        assert allowed_counts(scaled, index, sizes, scaled.link_capacity) == [
            [n for n in range(cluster.size + 1) if n <= job.tasks and naive_load(job, n) <= cluster.bandwidth]
            for cluster in instance.clusters
        ]


def test_makers_reach_both_answers() -> None:
    """The properties above mean something: with `feasible` off, some instances have a job that fits nowhere."""
    from tests.strategies import random_instance

    without = [bool(jobs_without_allocation(random_instance(seed, feasible=False).scaled())) for seed in range(200)]
    assert 20 < sum(without) < 180
    assert not any(jobs_without_allocation(random_instance(seed).scaled()) for seed in range(200))


def test_by_hand_with_a_link_that_takes_only_the_extremes() -> None:
    """τ = 4, PTBW 3: loads 0, 3, 4, 3, 0. A link of 3 takes one or three tasks, not two."""
    clusters = [Cluster("A", [NodeGroup(4, 1)], 3), Cluster("B", [NodeGroup(1, 1), NodeGroup(2, "0.5")], 3)]
    scaled = CoallocationInstance(clusters, [Job("J", 4, 6, 3)]).scaled()
    found = {allocation.counts: scaled.to_time(allocation.duration) for allocation in allocations(scaled, 0)}
    assert found == {(1, 1, 2): 12, (3, 0, 1): 12, (3, 1, 0): 6, (4, 0, 0): 6}


def test_infeasible_by_its_link_alone() -> None:
    clusters = [Cluster(name, [NodeGroup(2, 1)], "2.9") for name in "AB"]
    scaled = CoallocationInstance(clusters, [Job("J1", 1, 1, 99), Job("J2", 3, 1, 3)]).scaled()
    assert allocations(scaled, 1) == []
    assert jobs_without_allocation(scaled) == [1]


def test_cap() -> None:
    clusters = [Cluster(f"C{index}", [NodeGroup(3, 1)], 100) for index in range(4)]
    scaled = CoallocationInstance(clusters, [Job("J", 6, 1)]).scaled()
    count = len(allocations(scaled, 0))
    assert count == 44
    assert len(allocations(scaled, 0, cap=44)) == 44
    with pytest.raises(TooLargeError, match="more than 43 allocations"):
        allocations(scaled, 0, cap=43)


def test_enormous_enumerations_stop_at_the_cap() -> None:
    clusters = [Cluster(f"C{index}", [NodeGroup(50, 1)], 10**6) for index in range(20)]
    scaled = CoallocationInstance(clusters, [Job("J", 500, 1)]).scaled()
    with pytest.raises(TooLargeError):
        allocations(scaled, 0, cap=1000)
