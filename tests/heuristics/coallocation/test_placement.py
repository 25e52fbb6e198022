"""The placement rule does what its docstring says, on random states of the grid and by hand."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from heuristics.coallocation.list_engine import list_schedule
from heuristics.coallocation.placement import one_cluster_first
from oas.core.verifier import verify
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.strategies import random_instance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.ticks import ScaledCoallocation


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


STATES = list(states(1500))


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
    assert min(kinds.values()) >= 50, kinds


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


# By hand: A has two fast nodes and one slow, B three of middling power.
GRID = [Cluster("A", [NodeGroup(2, 1), NodeGroup(1, "1/2")], 2), Cluster("B", [NodeGroup(3, "3/4")], 2)]


def placed(tasks: int, bandwidth: int, free: Sequence[int] | None = None) -> tuple[int, ...] | None:
    """Counts on A's fast, A's slow and B's nodes."""
    scaled = CoallocationInstance(GRID, [Job("j", tasks, 12, bandwidth)]).scaled()
    state = [len(one.nodes) for one in scaled.classes] if free is None else free
    chosen = one_cluster_first(scaled, 0, state, scaled.link_capacity)
    return None if chosen is None else chosen.counts


@pytest.mark.parametrize(
    ("tasks", "bandwidth", "free", "counts"),
    [
        (2, 1, None, (2, 0, 0)),  # the fast nodes
        (3, 1, None, (0, 0, 3)),  # all of B is faster than A with its slow node
        (3, 1, [2, 1, 2], (2, 1, 0)),  # one cluster before a faster spread
        (1, 1, [2, 1, 3], (1, 0, 0)),
        (4, 1, None, (1, 0, 3)),  # level of B: A offers two, B three; B is filled first
        (6, 1, None, (2, 1, 3)),
        (6, 2, None, None),  # 3·2·3/5 on each link
        (2, 2, [1, 0, 1], (1, 0, 1)),
        (2, 3, [1, 0, 1], None),
        (5, 1, [2, 1, 2], (2, 1, 2)),
        (4, 2, None, (1, 0, 3)),  # 3·2·1/3 on each link: exactly what there is
    ],
)
def test_by_hand(tasks: int, bandwidth: int, free: list[int] | None, counts: tuple[int, ...] | None) -> None:
    assert placed(tasks, bandwidth, free) == counts


def test_a_split_looks_ahead() -> None:
    """Filled greedily, A, B and C take a task each, and D's link carries two or four more, but not three."""
    links = {"A": 5, "B": 5, "C": 5, "D": 8}  # c tasks behind a link load it with c·(6 − c)
    clusters = [Cluster(name, [NodeGroup(4, 1)], link) for name, link in links.items()]
    scaled = CoallocationInstance(clusters, [Job("j", 6, 1, 5)]).scaled()
    chosen = one_cluster_first(scaled, 0, [4, 4, 4, 4], scaled.link_capacity)
    assert chosen is not None and chosen.counts == (1, 1, 0, 4)


def test_the_rule_can_be_exchanged() -> None:
    def last_cluster_only(scaled, job, free, residual):
        choices = fitting(scaled, job, free, residual)
        return next((one for one in choices if split(scaled, one)[-1] == scaled.tasks[job]), None)

    instance = CoallocationInstance(GRID, [Job("u", 2, 3), Job("v", 3, 3)], slot=1)
    schedule = list_schedule(instance, [0, 1], overtaking=False, place=last_cluster_only, method="own")
    assert verify(instance, schedule) == []
    assert [(one.job, one.start, set(one.nodes)) for one in schedule.placements] == [("u", 0, {"B"}), ("v", 4, {"B"})]
