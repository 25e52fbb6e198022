"""Brute force where saturated links slow jobs down: by hand, against searches with no ideas, and what must hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise, product
from random import Random

import pytest

from oas.core.errors import InputError, TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force as plain
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.generate import saturated, tiny
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.progress import StartedRun, schedule_from_starts
from tests.problems.coallocation.grids import NODES, four_jobs
from tests.problems.coallocation.slowed import random_slowed_schedule

SLOWDOWN, MAX_MIN = {"policy": "slowdown"}, {"policy": "slowdown", "sharing": "max-min"}
BOTH = (SLOWDOWN, MAX_MIN)
MATTERS = (12, 15, 18, 25, 28, 31, 33)  # seeds of `test_what_must_hold` in which the policy changes the optimum


def optimum(instance: CoallocationInstance, **options: object) -> F:
    makespan, schedule = brute_force(instance, **options)  # type: ignore[arg-type]
    assert schedule.makespan == makespan
    assert verify(instance, schedule) == []
    return makespan


def small(seed: int, **options: object) -> CoallocationInstance:
    """Three jobs, in continuous time or on slots."""
    slot = (0, 1, 0, "3/2")[seed % 4]
    return saturated(**{"seed": seed, "jobs": 3, "clusters": 2 + seed % 2, "slot": slot, **options})  # type: ignore[arg-type]


def with_links(instance: CoallocationInstance, *, factor: int = 1, more: int = 0, only: int | None = None):
    clusters = [
        replace(one, bandwidth=one.bandwidth * factor + more) if only in (None, index) else one
        for index, one in enumerate(instance.clusters)
    ]
    return replace(instance, clusters=tuple(clusters))


@pytest.mark.parametrize(
    ("slot", "slowed", "without"),
    [(0, F(64, 3), 22), (1, 22, 22), (4, 24, 24)],
)
def test_the_four_jobs_on_their_nodes(slot, slowed, without):
    for policy in BOTH:
        assert optimum(four_jobs(policy, slot=slot), placements=NODES) == slowed
        assert optimum(four_jobs({**policy, "threshold": 1}, slot=slot), placements=NODES) == without
    assert optimum(four_jobs(slot=slot), placements=NODES) == without


def test_sharing_matters():
    """What J1 cannot use of A, held up on B, is J0's under max-min: J2, which follows it, can be done sooner."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], own) for name, own in (("A", 2), ("B", F(1, 2)), ("C", 9))]
    jobs = [Job("J0", 2, 4, 2, 0), Job("J1", 2, 4, 2, 0), Job("J2", 1, F(32, 3))]
    places = {"J0": {"A": [0], "C": [0]}, "J1": {"A": [1], "B": [0]}, "J2": {"C": [0]}}
    paper, fair = (CoallocationInstance(clusters, jobs, saturation=policy) for policy in BOTH)
    # J1 takes 16. Beside it J0 takes 16/3 under max-min, and J2 comes after. Under the paper's rule it goes at half
    # its speed there: J2 until 32/3, two thirds of J0 until 16, the rest alone.
    assert optimum(fair, placements=places) == 16
    assert optimum(paper, placements=places) == F(52, 3)


def test_forbidden_saturation_is_the_other_brute_force():
    for seed in range(24):
        instance = small(seed, policy="forbid") if seed % 2 else tiny(seed=seed, jobs=3, nodes=5)
        expected = plain(instance)[0]
        assert optimum(instance) == expected, seed
        for policy in BOTH:
            assert optimum(instance.with_saturation({**policy, "threshold": 1})) == expected, seed


def test_what_must_hold():
    saves = 0
    for seed in MATTERS:
        instance = small(seed) if seed % 3 else saturated(seed=seed, slot=1)
        for policy in BOTH:
            own = [
                optimum(instance.with_saturation({**policy, "threshold": threshold} if threshold else policy))
                for threshold in (None, "1/2", "3/4", 1)
            ]
            assert all(one <= other for one, other in pairwise(own)), seed
            assert own[-1] == optimum(instance.with_saturation("forbid")), seed
            assert optimum(with_links(instance, more=1000).with_saturation(policy)) <= own[0], seed
            saves += own[0] < own[-1]
        for link in range(len(instance.clusters)):
            assert optimum(with_links(instance, factor=2, only=link)) <= optimum(instance), seed
    assert saves >= 4


def test_no_random_schedule_is_better():
    for seed in range(10):
        for policy in BOTH:
            instance = small(seed).with_saturation(policy)
            least = optimum(instance)
            for again in range(6):
                assert least <= random_slowed_schedule(Random(seed + again), instance).makespan, seed


def dumb(instance: CoallocationInstance, step: F, horizon: F) -> F:
    """The least makespan over every start that is a multiple of `step`, and every allocation; the horizon if less."""
    scaled = instance.scaled()
    every = [allocations(scaled, job) for job in range(scaled.job_count)]
    moments = [step * index for index in range(int(horizon / step))]
    best = horizon
    for chosen in product(*every):
        for starts in product(moments, repeat=scaled.job_count):
            runs = [StartedRun(job, start, own) for job, (start, own) in enumerate(zip(starts, chosen, strict=True))]
            try:
                best = min(best, schedule_from_starts(instance, runs).makespan)
            except InputError:
                continue
    return best


def test_every_start_on_the_grid():
    below = 0
    for seed in range(8):
        policy = BOTH[seed % 2]
        instance = saturated(seed=seed, jobs=2 + seed % 2, clusters=2, nodes=2, slot=1).with_saturation(policy)
        horizon = optimum(instance)
        if horizon > 7:
            continue
        assert dumb(instance, F(1), horizon + 1) == horizon, seed
        below += 1
    assert below > 4


def test_too_large():
    jobs = [Job(f"J{index}", 1, 1) for index in range(5)]

    def cut(sizes: list[int], count: int) -> CoallocationInstance:
        clusters = [Cluster(f"C{index}", [NodeGroup(size, 1)], 0) for index, size in enumerate(sizes)]
        return CoallocationInstance(clusters, jobs[:count], saturation="slowdown")

    for sizes, count, size in (
        ([2], 5, "5 jobs on 1 clusters and 2 nodes"),
        ([1] * 5, 2, "2 jobs on 5 clusters and 5 nodes"),
        ([7, 6], 2, "2 jobs on 2 clusters and 13 nodes"),
    ):
        with pytest.raises(TooLargeError, match=f"at most 4 jobs, 4 clusters and 12 nodes, not {size}"):
            brute_force(cut(sizes, count))
    assert optimum(cut([3, 3, 3, 3], 4)) == 1
    for slot in (0, 1):
        with pytest.raises(TooLargeError, match="has taken 1 steps"):
            brute_force(cut([1, 1], 4).with_slot(slot), 1)
