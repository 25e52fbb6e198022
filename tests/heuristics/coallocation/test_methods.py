"""The queue heuristics and their placement rule: feasible, in their own order, never later than they must be."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import pytest

from heuristics.coallocation.list_engine import one_cluster_first
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InfeasibleError
from oas.core.verifier import verify
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.strategies import random_instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heuristics.method import Method
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.ticks import ScaledCoallocation

METHODS = {method.name: method for method in own_methods(CoallocationInstance)}
# Sorted by these, ties by index.
ORDERS: dict[str, Callable[[Job], F]] = {
    "FCFS": lambda job: F(0),
    "SJF": lambda job: F(job.tasks),
    "BJF": lambda job: F(-job.tasks),
    "FPFS": lambda job: F(0),
    "SPT": lambda job: job.base_time,
    "LPT": lambda job: -job.base_time,
}
RANDOM = [random_instance(seed) for seed in range(40)]
PAPER = [
    section4(seed=seed, bandwidth=bandwidth, slot_percent=percent)
    for seed in (0, 1)
    for bandwidth in ("std", "tight")
    for percent in (0, 50, 100)
]
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@every_method
def test_feasible_everywhere(method: Method) -> None:
    for instance in [*RANDOM, *PAPER]:
        schedule = method(instance)
        assert verify(instance, schedule) == []
        assert schedule.makespan >= best_bound(instance).value
        assert schedule.method == method.name
        assert method(instance, seed=1) == schedule


# Three nodes of full power, so that every schedule can be worked out by hand.
HAND = CoallocationInstance(
    [Cluster("A", [NodeGroup(3, 1)], 0)], [Job("a", 2, 4), Job("b", 3, 1), Job("c", 1, 2), Job("d", 1, 3)], slot=1
)


@pytest.mark.parametrize(
    ("name", "starts", "makespan"),
    [
        ("FCFS", {"a": 0, "b": 4, "c": 5, "d": 5}, 8),
        ("SJF", {"c": 0, "d": 0, "a": 2, "b": 6}, 7),
        ("BJF", {"b": 0, "a": 1, "c": 1, "d": 3}, 6),
        ("FPFS", {"a": 0, "c": 0, "d": 2, "b": 5}, 6),
        ("SPT", {"b": 0, "c": 1, "d": 1, "a": 3}, 7),
        ("LPT", {"a": 0, "d": 0, "c": 3, "b": 5}, 6),
    ],
)
def test_by_hand(name: str, starts: dict[str, int], makespan: int) -> None:
    for slot in (1, 0):
        schedule = METHODS[name](HAND.with_slot(slot))
        assert {one.job: one.start for one in schedule.placements} == starts
        assert schedule.makespan == makespan


@every_method
def test_infeasible_names_the_jobs(method: Method) -> None:
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 9)]
    instance = CoallocationInstance(clusters, [Job("fine", 1, 1), Job("torn", 2, 1, 1)])
    with pytest.raises(InfeasibleError, match="no allocation exists for: torn "):
        method(instance)


def states(count: int) -> Iterator[tuple[ScaledCoallocation, int, list[int], list[int]]]:
    """Random jobs in random states: free nodes of each class and free capacity of each link."""
    for seed in range(count):
        rng, scaled = Random(seed), random_instance(seed, max_nodes=8, feasible=False).scaled()
        full = rng.choice((True, False))
        free = [len(one.nodes) if full else rng.randint(0, len(one.nodes)) for one in scaled.classes]
        residual = [capacity if full else rng.randint(0, capacity) for capacity in scaled.link_capacity]
        for job in range(scaled.job_count):
            yield scaled, job, free, residual


def fitting(scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]) -> list[Allocation]:
    return [
        one
        for one in allocations(scaled, job)
        if all(count <= most for count, most in zip(one.counts, free, strict=True))
        and all(load <= most for load, most in zip(one.loads, residual, strict=True))
    ]


def level(scaled: ScaledCoallocation, one: Allocation) -> int:
    return max(node_class.level for node_class, count in zip(scaled.classes, one.counts, strict=True) if count)


def split(scaled: ScaledCoallocation, one: Allocation) -> tuple[int, ...]:
    """Tasks on each cluster."""
    held = [0] * scaled.cluster_count
    for node_class, count in zip(scaled.classes, one.counts, strict=True):
        held[node_class.cluster] += count
    return tuple(held)


STATES = list(states(600))


def test_the_states_cover_what_they_should() -> None:
    kinds = {"none": 0, "one cluster": 0, "spread": 0, "blocked by links": 0}
    for scaled, job, free, residual in STATES:
        choices = fitting(scaled, job, free, residual)
        if not choices:
            kinds["none"] += 1
            kinds["blocked by links"] += sum(free) >= scaled.tasks[job]
        else:
            kinds[
                "one cluster" if any(max(split(scaled, one)) == scaled.tasks[job] for one in choices) else "spread"
            ] += 1
    assert min(kinds.values()) >= 20, kinds


def test_it_finds_an_allocation_whenever_there_is_one() -> None:
    for scaled, job, free, residual in STATES:
        choices = fitting(scaled, job, free, residual)
        chosen = one_cluster_first(scaled, job, free, residual)
        assert (chosen in choices) if choices else chosen is None


def test_one_cluster_if_it_fits_and_the_fastest() -> None:
    for scaled, job, free, residual in STATES:
        whole = [one for one in fitting(scaled, job, free, residual) if max(split(scaled, one)) == scaled.tasks[job]]
        if whole:
            chosen = one_cluster_first(scaled, job, free, residual)
            assert chosen in whole
            fastest = min(level(scaled, one) for one in whole)
            assert level(scaled, chosen) <= fastest
            earliest = min(
                split(scaled, one).index(scaled.tasks[job]) for one in whole if level(scaled, one) == fastest
            )
            assert split(scaled, chosen).index(scaled.tasks[job]) == earliest


def test_otherwise_spread_as_fast_as_the_links_allow_and_most_free_nodes_first() -> None:
    for scaled, job, free, residual in STATES:
        choices = fitting(scaled, job, free, residual)
        if not choices or any(max(split(scaled, one)) == scaled.tasks[job] for one in choices):
            continue
        chosen = one_cluster_first(scaled, job, free, residual)
        fastest = min(level(scaled, one) for one in choices)
        assert chosen is not None and level(scaled, chosen) == fastest
        at_level = [0] * scaled.cluster_count
        for node_class, nodes in zip(scaled.classes, free, strict=True):
            at_level[node_class.cluster] += nodes if node_class.level <= fastest else 0
        order = sorted(range(scaled.cluster_count), key=lambda cluster: (-at_level[cluster], cluster))
        splits = [split(scaled, one) for one in choices if level(scaled, one) <= fastest]
        assert split(scaled, chosen) == max(splits, key=lambda own: [own[cluster] for cluster in order])


def test_inside_a_cluster_the_slowest_nodes_of_the_level_go_first() -> None:
    for scaled, job, free, residual in STATES:
        chosen = one_cluster_first(scaled, job, free, residual)
        if chosen is None:
            continue
        slowest = level(scaled, chosen)
        for fast, fast_class in enumerate(scaled.classes):
            for slow, slow_class in enumerate(scaled.classes):
                if fast_class.cluster == slow_class.cluster and fast_class.level < slow_class.level <= slowest:
                    assert not chosen.counts[fast] or chosen.counts[slow] == free[slow]


def test_a_split_looks_ahead() -> None:
    """Filled greedily, A, B and C take a task each, and D's link carries two or four more, but not three."""
    links = {"A": 5, "B": 5, "C": 5, "D": 8}  # c tasks behind a link load it with c·(6 − c)
    clusters = [Cluster(name, [NodeGroup(4, 1)], link) for name, link in links.items()]
    scaled = CoallocationInstance(clusters, [Job("j", 6, 1, 5)]).scaled()
    chosen = one_cluster_first(scaled, 0, [4, 4, 4, 4], scaled.link_capacity)
    assert chosen is not None and chosen.counts == (1, 1, 0, 4)
