"""The generators of co-allocation: the papers' set-up, tiny and saturated instances, and the demo's instance."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.measurements.tight_links import without_links
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.result import Status
from oas.exact.pipeline import solve
from oas.generate import saturated, section4, tiny, workload
from oas.generate.coallocation.section4 import LINK, most_task_bandwidth
from oas.io.reading import load
from oas.io.writing import dumps
from oas.problems.coallocation.allocations import allocations, jobs_without_allocation
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.ticks import link_load

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def test_the_papers_set_up() -> None:
    for seed in range(20):
        instance = section4(seed=seed)
        assert [cluster.size for cluster in instance.clusters] == [4, 4, 4]
        assert [cluster.node_powers[0] for cluster in instance.clusters] == [1, F(3, 4), F(1, 2)]
        assert {cluster.bandwidth for cluster in instance.clusters} == {10**6}
        assert len(instance.jobs) == 8
        assert {job.sigma for job in instance.jobs} == {F(7, 10)}
        assert instance.mean_base_time == 670_000 == instance.slot
        assert all(200_000 <= job.base_time <= 1_140_000 for job in instance.jobs)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**9),
    jobs=st.integers(1, 40),
    clusters=st.integers(1, 8),
    nodes=st.integers(1, 90),
    bandwidth=st.sampled_from(["std", "tight"]),
)
def test_any_size_is_feasible_and_small_enough_for_solvers(seed, jobs, clusters, nodes, bandwidth) -> None:  # type: ignore[no-untyped-def]
    instance = section4(seed=seed, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth)
    assert all(1 <= job.tasks <= clusters * nodes for job in instance.jobs)
    assert instance.mean_base_time == 670_000
    assert jobs_without_allocation(instance.scaled()) == []
    assert instance.digest == section4(**_arguments(instance)).digest  # provenance says how to make it again
    loads = (link_load(job, count) for job in instance.jobs for count in range(job.tasks + 1))
    assert all(load.denominator == 1 for load in loads)


def _arguments(instance):  # type: ignore[no-untyped-def]
    said = {key: text for key, text in instance.provenance.items() if key not in ("generator", "version")}
    return {key: text if key in ("bandwidth", "slot_percent") else int(text) for key, text in said.items()}


def test_settings_share_everything_but_bandwidth() -> None:
    for seed in range(20):
        std, tight = section4(seed=seed), section4(seed=seed, bandwidth="tight", slot_percent=0)
        assert [(job.tasks, job.base_time) for job in std.jobs] == [(job.tasks, job.base_time) for job in tight.jobs]
        assert tight.slot == 0
        for job in tight.jobs:
            most = most_task_bandwidth(job.tasks, 3, 4)
            assert job.tasks == 1 or most * F(7, 10) <= job.bandwidth <= most
        assert all(job.tasks == 1 or LINK / 20 <= job.bandwidth <= LINK * F(3, 8) for job in std.jobs)


@pytest.mark.parametrize(
    ("percent", "slot"), [("0.1", 670), (F(1, 3), F(6700, 3)), ("100/3", F(670_000, 3)), (15, 100_500)]
)
def test_slot_percent_is_exact(percent, slot) -> None:  # type: ignore[no-untyped-def]
    assert section4(slot_percent=percent).slot == slot


@pytest.mark.parametrize(("clusters", "nodes"), [(1, 5), (2, 4), (3, 4), (4, 3)])
def test_most_task_bandwidth_against_every_split(clusters: int, nodes: int) -> None:
    for tasks in range(2, clusters * nodes + 1):
        peaks = [
            max(F(count * (tasks - count), tasks - 1) for count in split)
            for split in product(range(min(tasks, nodes) + 1), repeat=clusters)
            if sum(split) == tasks
        ]
        best = min(peaks)
        assert most_task_bandwidth(tasks, clusters, nodes) == (min(LINK, LINK / best) if best else LINK)


INSTANCES = [tiny(seed=seed, feasible=False) for seed in range(300)]


def test_every_feature_occurs() -> None:
    def count(feature) -> int:  # type: ignore[no-untyped-def]
        return sum(map(feature, INSTANCES))

    assert count(lambda one: one.slot == 0) > 30
    assert len({one.slot for one in INSTANCES}) == 5
    assert count(lambda one: any(job.tasks == 1 for job in one.jobs)) > 30
    assert count(lambda one: any(len(set(cluster.node_powers)) > 1 for cluster in one.clusters)) > 30
    assert count(lambda one: any(cluster.bandwidth == 0 for cluster in one.clusters)) > 30
    assert count(lambda one: any(job.base_time.denominator > 1 for job in one.jobs)) > 30
    assert count(lambda one: any(job.sigma in (0, 1) for job in one.jobs)) > 30
    assert count(lambda one: any(job.tasks > max(c.size for c in one.clusters) for job in one.jobs)) > 30
    assert count(lambda one: _repeats([(job.tasks, job.base_time, job.bandwidth, job.sigma) for job in one.jobs])) > 30
    assert count(lambda one: _repeats([(cluster.groups, cluster.bandwidth) for cluster in one.clusters])) > 10


def _repeats(things: list[object]) -> bool:
    return len(set(things)) < len(things)


def test_links_bind_in_many() -> None:
    """An allocation that the nodes allow and the links do not."""
    from dataclasses import replace

    bound = 0
    for instance in INSTANCES:
        wide = replace(instance, clusters=tuple(replace(cluster, bandwidth=F(1000)) for cluster in instance.clusters))
        held, free = instance.scaled(), wide.scaled()
        bound += any(len(allocations(held, job)) < len(allocations(free, job)) for job in range(len(instance.jobs)))
    assert bound > 100


SEEDS = range(100)


def test_every_job_has_an_allocation_under_every_policy():
    for seed in SEEDS:
        assert not jobs_without_allocation(saturated(seed=seed, policy="forbid").scaled())


@pytest.mark.parametrize("number", range(1, 7))
def test_each_is_eight_jobs_on_the_papers_grid(number: int) -> None:
    instance = workload(number)
    assert instance.name == f"WL-{number}"
    assert len(instance.jobs) == 8
    assert instance.mean_base_time == 670_000 == 2 * instance.slot
    assert instance.clusters == section4().clusters
    assert jobs_without_allocation(instance.scaled()) == []


FILE = Path(__file__).parents[2] / "examples" / "grid.json"


@cache
def made() -> CoallocationInstance:
    return section4(seed=143, bandwidth="tight", slot_percent=50)


def test_the_file_is_what_the_generator_makes() -> None:
    instance = load(FILE)
    assert instance == made()
    assert instance.name == made().name
    assert instance.provenance == made().provenance
    assert FILE.read_bytes() == dumps(made())


def test_heuristics_spread_above_the_bound() -> None:
    slots = sorted(int(method(made()).makespan / made().slot) for method in own_methods(COALLOCATION))
    assert slots == [14, 14, 14, 16, 17, 18]
    assert best_bound(made()).value == 10 * made().slot


def test_links_raise_the_optimum() -> None:
    """12 slots, below every heuristic, above the combinatorial bound; 11 without links."""
    held, free = solve(made(), time_limit=120), solve(without_links(made()), time_limit=120)
    assert (held.status, held.objective) == (Status.OPTIMAL, 12 * made().slot)
    assert (free.status, free.objective) == (Status.OPTIMAL, 11 * made().slot)
    widest = max(cluster.size for cluster in made().clusters)
    assert sum(job.tasks > widest for job in made().jobs) == 4
