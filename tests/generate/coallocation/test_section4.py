from fractions import Fraction as F
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.generate import section4
from oas.generate.coallocation.section4 import LINK, most_task_bandwidth
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.ticks import link_load
from tests import strategies as _  # noqa: F401  (its Hypothesis profile)


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


def test_digests_stay() -> None:
    """What a seed stands for never changes under one version; a change here wants a new version in the provenance."""
    made = [
        section4(seed=0),
        section4(seed=143, bandwidth="tight", slot_percent=50),
        section4(seed=7, jobs=20, nodes=9),
    ]
    assert [instance.digest[:16] for instance in made] == ["c3d10b5ff1b0aeb8", "c1a778dd6e5d828a", "4f933c9cdda43e8c"]
    assert {instance.provenance["version"] for instance in made} == {"1"}


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


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_seeds_differ_and_repeat(bandwidth) -> None:  # type: ignore[no-untyped-def]
    digests = [section4(seed=seed, bandwidth=bandwidth).digest for seed in range(200)]
    assert len(set(digests)) == 200
    assert digests == [section4(seed=seed, bandwidth=bandwidth).digest for seed in range(200)]


def test_draws_cover_their_ranges() -> None:
    jobs = [job for seed in range(200) for job in section4(seed=seed).jobs]
    assert {job.tasks for job in jobs} == set(range(1, 13))
    assert {job.base_time // 10_000 for job in jobs} == set(range(20, 115))


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


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"clusters": 0}, "clusters"),
        ({"nodes": 0}, "nodes"),
        ({"nodes": 4000}, "nodes"),
        ({"bandwidth": "wide"}, "bandwidth"),
        ({"slot_percent": 0.5}, "slot_percent"),
        ({"slot_percent": "half"}, "slot_percent"),
        ({"slot_percent": -50}, "slot"),
    ],
)
def test_errors_name_the_parameter(arguments, field) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as raised:
        section4(**arguments)
    assert raised.value.field == field
