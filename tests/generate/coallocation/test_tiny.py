from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.generate import tiny
from oas.problems.coallocation.allocations import jobs_without_allocation

INSTANCES = [tiny(seed=seed, feasible=False) for seed in range(300)]


def test_limits_are_kept() -> None:
    for instance in INSTANCES:
        assert len(instance.jobs) <= 4
        assert instance.node_count <= 6
        assert len(instance.clusters) <= 3
    for seed in range(100):
        small = tiny(seed=seed, jobs=2, nodes=3, clusters=1)
        assert (len(small.jobs) <= 2, small.node_count <= 3, len(small.clusters)) == (True, True, 1)


def test_feasible_unless_told_otherwise() -> None:
    assert not any(jobs_without_allocation(tiny(seed=seed).scaled()) for seed in range(300))
    assert 20 < sum(bool(jobs_without_allocation(instance.scaled())) for instance in INSTANCES) < 100


def test_times_are_a_few_ticks() -> None:
    """Even the literal model, with variables for each node and slot, stays small."""
    for instance in INSTANCES:
        assert all(max(row) <= 8 for row in instance.scaled().durations)


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

    from oas.problems.coallocation.allocations import allocations

    bound = 0
    for instance in INSTANCES:
        wide = replace(instance, clusters=tuple(replace(cluster, bandwidth=F(1000)) for cluster in instance.clusters))
        held, free = instance.scaled(), wide.scaled()
        bound += any(len(allocations(held, job)) < len(allocations(free, job)) for job in range(len(instance.jobs)))
    assert bound > 100


def test_seeds_repeat_and_stay() -> None:
    assert [one.digest for one in INSTANCES] == [tiny(seed=seed, feasible=False).digest for seed in range(300)]
    assert len({one.digest for one in INSTANCES}) > 295
    assert [tiny(seed=seed).digest[:16] for seed in range(3)] == [
        "4c80820955271208",
        "c18104c948bee3bf",
        "119e3608edaa7a69",
    ]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"seed": -1}, "seed"), ({"jobs": 0}, "jobs"), ({"nodes": 0}, "nodes"), ({"clusters": True}, "clusters")],
)
def test_errors_name_the_parameter(arguments, field) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as raised:
        tiny(**arguments)
    assert raised.value.field == field
