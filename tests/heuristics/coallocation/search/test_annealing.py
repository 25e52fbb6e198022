"""Annealing of co-allocated jobs: feasible, deterministic, never worse than its start, optimal where that is known."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.registry import own_methods
from oas.core.verifier import check
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import Run, runs_from_schedule, schedule_from_runs
from tests.slow import every_fourth_quick, mostly_slow
from tests.strategies import instances_with_schedule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.schedule import Schedule


def checked(instance: CoallocationInstance, runs: Sequence[Run] | None) -> Schedule:
    assert runs is not None
    assert [run.job for run in runs] == list(range(len(instance.jobs)))
    return check(instance, schedule_from_runs(instance, instance.scaled(), runs))


def several_classes(seed: int) -> CoallocationInstance:
    """Clusters of two or three Γ, links from absent to wide, jobs up to the whole grid, η = 0 among the slots."""
    rng = Random(seed)
    powers = (F(1), F(3, 4), F(1, 2))
    clusters = [
        Cluster(
            f"C{k}",
            [NodeGroup(rng.randint(1, 6), power) for power in rng.sample(powers, rng.randint(1, 3))],
            rng.choice((F(0), F(5), F(12), F(40), F(1000))),
        )
        for k in range(rng.randint(1, 5))
    ]
    largest, nodes = max(one.size for one in clusters), sum(one.size for one in clusters)
    jobs = []
    for index in range(rng.randint(1, 14)):
        tasks = rng.randint(1, nodes)
        need = F(rng.randint(0, 8), rng.choice((1, 3)))
        job = Job(f"J{index}", tasks, F(rng.randint(1, 30), 3), need, F(7, 10))
        alone = CoallocationInstance(clusters, [job])
        jobs.append(job if AnnealingSearch(alone.scaled(), compiled=False).improve(0, 1) else _cut(job, largest))
    return CoallocationInstance(clusters, jobs, slot=rng.choice((F(0), F(1), F(5, 2))))


def _cut(job: Job, most: int) -> Job:
    return Job(job.id, min(job.tasks, most), job.base_time, job.bandwidth, job.sigma)


@pytest.mark.parametrize("seed", every_fourth_quick(range(20)))
def test_tiny_instances_are_solved_to_the_optimum(seed: int) -> None:
    instance = tiny(seed=seed)
    search = AnnealingSearch(instance.scaled(), seed)
    best, _ = brute_force(instance)
    assert checked(instance, search.improve(0, 3000)).makespan == best


@settings(max_examples=60)
@given(instances_with_schedule(max_jobs=5, max_nodes=8), st.integers(0, 10**6))
def test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_start(
    case: tuple[CoallocationInstance, Schedule], seed: int
) -> None:
    instance, schedule = case
    start = runs_from_schedule(instance, instance.scaled(), schedule)
    search = AnnealingSearch(instance.scaled(), seed, compiled=False)
    last = schedule.makespan
    for steps in (0, 1, 30, 30):
        found = checked(instance, search.improve(0, steps, start)).makespan
        assert found <= last
        last = found


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
@pytest.mark.parametrize(
    ("jobs", "clusters", "nodes"),
    mostly_slow([(12, 3, 4), (20, 3, 20), (24, 6, 20), (60, 3, 80)], quick=[(12, 3, 4)]),
)
@pytest.mark.parametrize("slot", [0, 10])
def test_section4_schedules_pass_the_verifier_and_beat_the_lists(
    bandwidth: str, jobs: int, clusters: int, nodes: int, slot: int
) -> None:
    instance = section4(seed=slot, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=slot)
    search = AnnealingSearch(instance.scaled(), 1)
    found = checked(instance, search.improve(0, 60_000))
    assert found.makespan <= min(method(instance).makespan for method in own_methods(CoallocationInstance))


@pytest.mark.parametrize("seed", every_fourth_quick(range(30)))
def test_plain_and_compiled_loops_agree(seed: int) -> None:
    instance = several_classes(seed)
    scaled = instance.scaled()
    plain = AnnealingSearch(scaled, seed, compiled=False)
    compiled = AnnealingSearch(scaled, seed, compiled=True)
    for steps in (1, 200):
        runs = plain.improve(0, steps)
        assert runs == compiled.improve(0, steps)
        checked(instance, runs)
    start = runs_from_schedule(instance, scaled, own_methods(CoallocationInstance)[0](instance))
    assert plain.improve(0, 50, start) == compiled.improve(0, 50, start)


def test_calls_cut_as_they_may_find_the_same() -> None:
    scaled = section4(jobs=16, slot_percent=10).scaled()
    once, often = AnnealingSearch(scaled, 3), AnnealingSearch(scaled, 3)
    whole = once.improve(0, 30_000)
    for steps in (1, 9_999, 1, 12_000, 7_999):
        found = often.improve(0, steps)
    assert found == whole
    assert AnnealingSearch(scaled, 4).improve(0, 30_000) != whole


def test_it_stops_at_the_target() -> None:
    scaled = section4(jobs=16, slot_percent=10).scaled()
    search = AnnealingSearch(scaled)
    first = search.improve(10**9, 1)
    assert search.makespan is not None
    reached = search.makespan
    assert search.improve(reached, 10**9) is first
    search.improve(reached - 1, 10**9)
    assert search.makespan < reached


def test_a_better_start_is_taken_and_a_worse_one_left() -> None:
    scaled = section4(jobs=16, slot_percent=10).scaled()
    good = AnnealingSearch(scaled, 1).improve(0, 20_000)
    poor = AnnealingSearch(scaled, 2).improve(0, 1)
    assert good is not None and poor is not None
    search = AnnealingSearch(scaled, 5)
    assert search.improve(0, 0, poor) == poor
    assert search.improve(0, 0, good) == good
    assert search.improve(0, 0, poor) == good


def test_a_job_without_allocation() -> None:
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, 1)], 1)]
    instance = CoallocationInstance(clusters, [Job("J", 4, 1, 5, 0)])
    assert AnnealingSearch(instance.scaled()).improve(0, 100) is None


def test_loads_beyond_64_bits() -> None:
    """Task counts whose predecessors have a huge common multiple, links that just hold one split job or two."""
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167)
    jobs = [
        Job(f"J{index}", prime + 1, F(index % 5 + 1), F(index + 3, 7), F(1, 2)) for index, prime in enumerate(primes)
    ]
    exact = max(job.bandwidth * min(80, job.tasks // 2) * F(job.tasks - job.tasks // 2, job.tasks - 1) for job in jobs)
    clusters = [Cluster(f"C{k}", [NodeGroup(80, 1), NodeGroup(10, F(1, 2))], exact * (1 + k % 2)) for k in range(3)]
    instance = CoallocationInstance(clusters, jobs, slot=F(1))
    scaled = instance.scaled()
    assert max(scaled.link_capacity) > 2**64
    checked(instance, AnnealingSearch(scaled).improve(0, 500))
    checked(instance, AnnealingSearch(scaled, compiled=False).improve(0, 20))


def test_importing_compiles_and_loads_nothing() -> None:
    code = "import sys, heuristics.coallocation.search.annealing; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
