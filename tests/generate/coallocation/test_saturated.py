"""The tiny instances whose links are often saturated."""

from __future__ import annotations

import pytest

from oas.core.errors import InputError
from oas.exact.coallocation.brute_force import brute_force
from oas.generate import saturated
from oas.problems.coallocation.allocations import allocations, jobs_without_allocation
from tests.generate.coallocation.test_tight_links import without_links

SEEDS = range(100)


def test_counts_are_kept():
    for seed in SEEDS:
        instance = saturated(seed=seed, jobs=3, clusters=4, nodes=2)
        assert len(instance.jobs) == 3 and [size for _, size in instance.cluster_sizes] <= [2] * 4
        assert all(1 <= job.tasks <= 3 for job in instance.jobs)
        assert instance.slot == 0 and str(instance.saturation) == "slowdown"


def test_every_job_has_an_allocation_under_every_policy():
    for seed in SEEDS:
        assert not jobs_without_allocation(saturated(seed=seed, policy="forbid").scaled())


def test_the_policy_changes_nothing_else():
    for seed in range(10):
        plain = saturated(seed=seed, slot=2, policy="forbid")
        other = saturated(seed=seed, slot=2, threshold="1/2", sharing="max-min")
        assert str(other.saturation) == "slowdown, threshold 1/2, max-min"
        assert other.with_saturation("forbid") == plain


def test_links_are_saturated_by_pairs_and_by_single_jobs():
    alone = 0
    for seed in SEEDS:
        scaled = saturated(seed=seed).scaled()
        found = [one for job in range(scaled.job_count) for one in allocations(scaled, job)]
        alone += any(load > own for one in found for load, own in zip(one.loads, scaled.link_bandwidth, strict=True))
    assert 30 < alone < 90


def test_links_raise_the_optimum_in_many():
    raised = 0
    for seed in range(20):
        instance = saturated(seed=seed, policy="forbid")
        raised += brute_force(without_links(instance))[0] < brute_force(instance)[0]
    assert raised >= 6


def test_seeds_stay():
    assert [saturated(seed=seed).digest[:16] for seed in range(3)] == [
        "295103e48bddbb99",
        "7b5ddc288462e96a",
        "15ca19dbf2b1bba8",
    ]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"clusters": 0}, "clusters"),
        ({"nodes": 0}, "nodes"),
        ({"slot": -1}, "slot"),
        ({"threshold": 2}, "threshold"),
        ({"policy": "forbid", "sharing": "max-min"}, "sharing"),
    ],
)
def test_errors_name_the_parameter(arguments, field):
    with pytest.raises(InputError) as raised:
        saturated(**arguments)
    assert raised.value.field == field
