"""Instances and what is known of them by other means."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from typing import TYPE_CHECKING

from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.allocations import allocations, tasks_by_cluster
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.strategies import random_instance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.bounds.coallocation.configurations.modes import Modes
    from oas.problems.coallocation.ticks import ScaledCoallocation

INSTANCES = [tiny(seed=seed) for seed in range(40)] + [random_instance(seed) for seed in range(40)]


def one_cluster(nodes: int, *jobs: tuple[int, int]) -> CoallocationInstance:
    """Jobs of (tasks, time) on equal nodes without communication."""
    made = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate(jobs)]
    return CoallocationInstance([Cluster("A", [NodeGroup(nodes, 1)], 0)], made, 1)


# Three jobs of 2 nodes, 5 ticks each, on 5 nodes: at most two at a time, so 7.5, in ticks 8. The area says 6.
THREE = one_cluster(5, (2, 5), (2, 5), (2, 5))

# One fast node, one slow: two jobs of 1 task, 2 ticks fast, 4 slow. Half of each on either: 3 · 4/3. Whole levels: 4.
TWO_SPEEDS = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(1, 2))], 0)], [Job("a", 1, 2), Job("b", 1, 2), Job("c", 1, 2)], 1
)


def can_run(scaled: ScaledCoallocation, items: Iterable[tuple[int, int]]) -> bool:
    """Whether some allocations of these (job, level) fit together: by trying all of them."""
    choices = []
    for job, level in items:
        own = [
            one
            for one in allocations(scaled, job)
            if all(
                not count or node_class.level <= level
                for count, node_class in zip(one.counts, scaled.classes, strict=True)
            )
        ]
        choices.append(own)
    for chosen in product(*choices):
        nodes = [sum(one.counts[k] for one in chosen) for k in range(len(scaled.classes))]
        loads = [sum(one.loads[k] for one in chosen) for k in range(scaled.cluster_count)]
        assert all(sum(tasks_by_cluster(scaled, one.counts)) for one in chosen)
        if all(held <= len(own.nodes) for held, own in zip(nodes, scaled.classes, strict=True)) and all(
            load <= link for load, link in zip(loads, scaled.link_capacity, strict=True)
        ):
            return True
    return False


def subsets(modes: Modes) -> list[tuple[tuple[int, int], ...]]:
    """Every set of jobs, each in one of its modes, as (job, level)."""
    choices = [[None, *((job, mode.level) for mode in row)] for job, row in enumerate(modes)]
    return [tuple(item for item in chosen if item) for chosen in product(*choices)]
