"""The queue heuristics: feasible, in their own order, never later than they must be."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InfeasibleError
from oas.core.verifier import verify
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import runs_from_schedule
from tests.strategies import random_instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from heuristics.method import Method
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.runs import Run
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


def queue(method: Method, instance: CoallocationInstance) -> list[int]:
    order = ORDERS[method.name]
    return sorted(range(len(instance.jobs)), key=lambda index: (order(instance.jobs[index]), index))


def ticks(instance: CoallocationInstance, schedule: Schedule) -> list[Run]:
    """Runs by job index."""
    return runs_from_schedule(instance, instance.scaled(), schedule)


def fits_beside(scaled: ScaledCoallocation, job: int, running: Iterable[Run]) -> bool:
    """Whether some allocation of `job` fits into what these runs leave free."""
    used = [run.allocation for run in running]
    return any(
        all(
            count + sum(one.counts[index] for one in used) <= len(node_class.nodes)
            for index, (node_class, count) in enumerate(zip(scaled.classes, choice.counts, strict=True))
        )
        and all(
            load + sum(one.loads[index] for one in used) <= capacity
            for index, (capacity, load) in enumerate(zip(scaled.link_capacity, choice.loads, strict=True))
        )
        for choice in allocations(scaled, job)
    )


def test_the_paper_s_six_are_there() -> None:
    assert list(METHODS) == ["FCFS", "SJF", "BJF", "FPFS", "SPT", "LPT"]
    assert set(METHODS) == set(ORDERS)


@every_method
def test_feasible_everywhere(method: Method) -> None:
    for instance in [*RANDOM, *PAPER]:
        schedule = method(instance)
        assert verify(instance, schedule) == []
        assert schedule.makespan >= best_bound(instance).value
        assert schedule.method == method.name


@every_method
def test_deterministic_whatever_the_seed(method: Method) -> None:
    for instance in [*RANDOM[:10], PAPER[3]]:
        assert method(instance) == method(instance, seed=1) == method(instance, seed=2)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "FPFS"])
def test_blocking_queues_keep_their_order(name: str) -> None:
    for instance in [*RANDOM, *PAPER]:
        runs = ticks(instance, METHODS[name](instance))
        starts = [runs[job].start for job in queue(METHODS[name], instance)]
        assert all(one <= two for one, two in pairwise(starts))


@pytest.mark.parametrize("name", [name for name in METHODS if name != "FPFS"])
def test_a_blocking_queue_waits_only_for_room(name: str) -> None:
    for instance in [*RANDOM, *PAPER[::3]]:
        scaled = instance.scaled()
        runs = ticks(instance, METHODS[name](instance))
        order = queue(METHODS[name], instance)
        for place, job in enumerate(order):
            before = [runs[other] for other in order[:place]]
            first = max((run.start for run in before), default=0)
            for moment in sorted({first, *(run.end for run in before)}):
                if first <= moment < runs[job].start:
                    assert not fits_beside(scaled, job, [run for run in before if run.start <= moment < run.end])
            assert runs[job].start in {0, first, *(run.end for run in before)}


def test_fpfs_passes_over_only_what_does_not_fit() -> None:
    for instance in [*RANDOM, *PAPER[::3]]:
        scaled = instance.scaled()
        runs = ticks(instance, METHODS["FPFS"](instance))
        for job, own in enumerate(runs):
            for moment in sorted({0, *(run.end for run in runs)}):
                if moment < own.start:
                    ahead = [run for run in runs if run.start < moment or (run.start == moment and run.job < job)]
                    assert not fits_beside(scaled, job, [run for run in ahead if run.end > moment])


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


def test_by_hand_in_longer_slots() -> None:
    schedule = METHODS["FCFS"](HAND.with_slot(2))  # runs of 4, 2, 2 and 4
    assert {one.job: (one.start, one.end) for one in schedule.placements} == {
        "a": (0, 4),
        "b": (4, 6),
        "c": (6, 8),
        "d": (6, 10),
    }


def test_only_fpfs_overtakes() -> None:
    jobs = [Job("first", 1, 9), Job("wide", 2, 1), Job("small", 1, 1)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], jobs, slot=1)
    assert METHODS["FPFS"](instance)["small"].start == 0
    assert METHODS["FCFS"](instance)["small"].start == 10


def test_ties_go_to_the_earlier_job() -> None:
    jobs = [Job(name, 1, 2) for name in ("z", "y", "x")]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], jobs, slot=1)
    for method in METHODS.values():
        assert [one.job for one in method(instance).placements] == ["z", "y", "x"]


@every_method
def test_infeasible_names_the_jobs(method: Method) -> None:
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 9)]
    instance = CoallocationInstance(clusters, [Job("fine", 1, 1), Job("torn", 2, 1, 1)])
    with pytest.raises(InfeasibleError, match="no allocation exists for: torn "):
        method(instance)
