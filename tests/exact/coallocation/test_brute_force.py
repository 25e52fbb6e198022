"""Brute force of co-allocation: by hand, and against all starts times all sets of nodes."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import combinations

import pytest

from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import _Placed, _Search, brute_force
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.coallocation.naive import naive_accepts, naive_load, naive_time
from tests.strategies import random_instance


def optimum(clusters: list[Cluster], jobs: list[Job], slot: object = 0) -> F:
    instance = CoallocationInstance(clusters, jobs, slot=slot)  # type: ignore[arg-type]
    makespan, schedule = brute_force(instance)
    assert schedule.makespan == makespan
    assert verify(instance, schedule) == []
    assert naive_accepts(instance, schedule)
    return makespan


def test_two_machines_by_hand() -> None:
    """3, 3, 2, 2, 2 on two nodes: 6, where longest-first gives 7."""
    jobs = [Job(f"J{n}", 1, time) for n, time in enumerate((3, 3, 2, 2, 2))]
    assert optimum([Cluster("A", [NodeGroup(2, 1)], 0)], jobs) == 6


def test_starting_later_than_the_nodes_allow() -> None:
    """Three clusters of two; two jobs of three tasks fill them and must meet on some link: both, or one at a time."""

    def makespan(link: int) -> F:
        clusters = [Cluster(name, [NodeGroup(2, 1)], link) for name in "ABC"]
        return optimum(clusters, [Job("J1", 3, 1, 1), Job("J2", 3, 1, 1)])

    assert makespan(2) == 1
    assert makespan(1) == 2


def dumb(instance: CoallocationInstance, tick: F) -> F:
    """The least makespan over every start on the grid and every set of nodes, with no other idea.

    No optimum ends later than all jobs one after the other, each on its slowest choice.
    """
    powers = {(one.id, k): power for one in instance.clusters for k, power in enumerate(one.node_powers)}
    choices: list[list[tuple[F, dict[str, list[int]]]]] = []
    for job in instance.jobs:
        own = []
        for held in combinations(powers, job.tasks):
            nodes = {one.id: [k for name, k in held if name == one.id] for one in instance.clusters}
            if all(naive_load(job, len(nodes[one.id])) <= one.bandwidth for one in instance.clusters):
                own.append((naive_time(instance, job, (powers[node] for node in held)), nodes))
        choices.append(own)
    horizon = sum((max(time for time, _ in own) for own in choices), F(0))
    best = horizon

    def extend(placements: list[Placement], end: F) -> None:
        nonlocal best
        if len(placements) == len(choices):
            best = min(best, end)
            return
        job = instance.jobs[len(placements)]
        for time, nodes in choices[len(placements)]:
            start = F(0)
            while start + time < best:
                more = [*placements, Placement(job.id, start, start + time, nodes)]
                if naive_accepts(instance, Schedule(more), partial=True):
                    extend(more, max(end, start + time))
                start += tick

    extend([], F(0))
    return best


def test_equals_all_starts_times_all_node_sets() -> None:
    """25 instances of at most 3 jobs on at most 4 nodes whose serial makespan is at most 16 ticks."""
    compared = bound = several = 0
    for seed in range(4000):
        instance = random_instance(seed, max_jobs=3, max_nodes=4)
        scaled = instance.scaled()
        ticks = sum(row[-1] for row in scaled.durations)
        if ticks > 16 or len(instance.jobs) < 2:
            continue
        makespan, schedule = brute_force(instance)
        assert verify(instance, schedule) == []
        assert makespan == schedule.makespan == dumb(instance, scaled.tick), seed
        compared += 1
        bound += makespan < scaled.to_time(ticks)
        several += instance.slot == 0
        if compared == 25:
            break
    assert compared == 25
    assert bound > 6  # the answer is not always the horizon
    assert several > 1  # continuous ones are among them


def test_states_differ_by_jobs_and_by_loads() -> None:
    """States that leave the same nodes free are one only if the same jobs are left and the links carry the same."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 9) for name in "AB"]
    search = _Search(CoallocationInstance(clusters, [Job(name, 2, 5, 1) for name in "WXYZ"]), limit=100)

    def is_new(first: int, *nodes: tuple[int, int]) -> bool:
        choices = {choice.nodes: choice for choice in search.choices[0]}
        placed = [_Placed(job, 0, 5, choices[own]) for job, own in zip((first, 2), nodes, strict=True)]
        return search._is_new(placed, search._free_at(placed), 5)

    assert is_new(0, (0, 1), (2, 3))
    assert not is_new(0, (2, 3), (0, 1))
    assert is_new(0, (0, 2), (1, 3))  # both links are loaded now
    assert not is_new(0, (0, 3), (1, 2))
    assert is_new(1, (0, 1), (2, 3))  # job W is left, not X


def test_infeasible_exactly_when_a_job_has_no_allocation() -> None:
    answers = []
    for seed in range(200):
        instance = random_instance(seed, feasible=False)
        missing = jobs_without_allocation(instance.scaled())
        answers.append(bool(missing))
        if missing:
            with pytest.raises(InfeasibleError, match=f"job {instance.jobs[missing[0]].id} has no allocation"):
                brute_force(instance)
    assert 20 < sum(answers) < 180


def test_too_large() -> None:
    jobs = [Job(f"J{n}", 1, 1) for n in range(7)]
    small, large = (Cluster("A", [NodeGroup(size, 1)], 0) for size in (8, 9))
    with pytest.raises(TooLargeError, match="at most 6 jobs and 8 nodes, not 7 jobs on 8 nodes"):
        brute_force(CoallocationInstance([small], jobs))
    with pytest.raises(TooLargeError, match="not 1 jobs on 9 nodes"):
        brute_force(CoallocationInstance([large], jobs[:1]))
    assert optimum([small], jobs[:6]) == 1


def test_limit() -> None:
    instance = random_instance(0)
    with pytest.raises(TooLargeError, match="has tried 1 placements"):
        brute_force(instance, limit=1)
