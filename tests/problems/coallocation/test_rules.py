"""The verifier of co-allocation: to the hair by hand, and against a checker that steps through time.

Mutations of feasible schedules are in `tests/problems/test_rules.py`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.coallocation.naive import naive_accepts
from tests.strategies import make_any_schedule, random_instance

HAIR = F(1, 10**30)


def test_agrees_with_the_naive_checker_on_random_schedules() -> None:
    answers: Counter[bool] = Counter()
    broken: Counter[str] = Counter()
    for seed in range(1000):
        instance = random_instance(seed)
        schedule = make_any_schedule(Random(seed), instance)
        violations = verify(instance, schedule)
        assert naive_accepts(instance, schedule) == (not violations), seed
        answers[not violations] += 1
        broken.update({violation.rule for violation in violations})
    assert min(answers[True], answers[False]) > 130
    assert min(broken[rule] for rule in ("capacity", "link", "duration", "tasks", "start", "grid")) > 16


def split_jobs(link: Any, *bandwidths: Any, slot: Any = 0) -> CoallocationInstance:
    """Two clusters of three nodes; a job of two tasks split evenly loads both links with its per-task bandwidth."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], link) for name in "AB"]
    return CoallocationInstance(clusters, [Job(f"J{n}", 2, 2, width) for n, width in enumerate(bandwidths)], slot=slot)


def split_runs(*starts: Any) -> Schedule:
    return Schedule(Placement(f"J{n}", start, F(start) + 2, {"A": [n], "B": [n]}) for n, start in enumerate(starts))


THIRDS = ("1/3", "1/3", "1/3")
OVER = ("1/3", "1/3", F(1, 3) + HAIR)
AT_HOME = Schedule([Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", 0, 2, {"B": [0, 2]})])


@pytest.mark.parametrize(
    ("instance", "schedule", "rules"),
    [
        pytest.param(split_jobs(1, *THIRDS), split_runs(0, 0, 0), [], id="a link exactly full"),
        pytest.param(split_jobs(1, *OVER), split_runs(0, 0, 0), ["link", "link"], id="a hair more"),
        pytest.param(split_jobs(1, *OVER), split_runs(0, 0, 2), [], id="the third later"),
        pytest.param(split_jobs(1, 1, 1), split_runs(0, 2), [], id="a link free when a job ends"),
        pytest.param(split_jobs(1, 1, 1), split_runs(0, 2 - HAIR), ["link", "link"], id="a hair before"),
        pytest.param(split_jobs(2, 1, 1, 1), split_runs(0, 1, 2), [], id="two of three at a time"),
        pytest.param(split_jobs(2, 1, 1, 1), split_runs(0, "1/2", 1), ["link", "link"], id="a peak inside a run"),
        pytest.param(split_jobs(0, 5, 5), AT_HOME, [], id="a job on one cluster needs no link"),
        pytest.param(split_jobs(0, 5, 5), split_runs(0, 2), ["link"] * 4, id="split jobs need one"),
        pytest.param(split_jobs(0, 0, 0), split_runs(0, 0), [], id="no bandwidth passes a link of none"),
        pytest.param(split_jobs(9, 0, slot="0.1"), split_runs("0.3"), [], id="0.3 is on the grid of 0.1"),
        pytest.param(split_jobs(9, 0, slot="0.1"), split_runs(F(3, 10) + HAIR), ["grid"], id="a hair beside the grid"),
    ],
)
def test_links_and_grid_to_the_hair(instance: CoallocationInstance, schedule: Schedule, rules: list[str]) -> None:
    assert [violation.rule for violation in verify(instance, schedule)] == rules


def test_a_node_is_free_at_the_moment_a_job_ends() -> None:
    instance = split_jobs(9, 0, 0)

    def second_at(start: F) -> Schedule:
        return Schedule([Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", start, start + 2, {"A": [1, 2]})])

    assert verify(instance, second_at(F(2))) == []
    (found,) = verify(instance, second_at(2 - HAIR))
    assert (found.rule, found.jobs) == ("capacity", ("J0", "J1")) and "node 1 of cluster A" in found.message


@pytest.mark.parametrize(
    ("slot", "nodes", "time"),
    [
        (0, {"A": [0, 1]}, F(1)),
        (0, {"A": [0], "B": [0]}, F(37, 30)),
        (0, {"A": [1], "B": [1]}, F(17, 10)),
        (0, {"B": [0, 1]}, F(17, 10)),
        # Half-used slots stay taken: 1.7 at η = 1.7 is one slot exactly, at η = 1.6 two.
        ("1.7", {"B": [0, 1]}, F(17, 10)),
        ("1.6", {"B": [0, 1]}, F(32, 10)),
        ("0.85", {"B": [0, 1]}, F(17, 10)),
        ("5", {"B": [0, 1]}, F(5)),
    ],
)
def test_duration_follows_the_slowest_node_in_whole_slots(slot: Any, nodes: dict[str, list[int]], time: F) -> None:
    clusters = [Cluster("A", [NodeGroup(2, 1)], 9), Cluster("B", [NodeGroup(1, "0.75"), NodeGroup(1, "0.5")], 9)]
    instance = CoallocationInstance(clusters, [Job("J", 2, 1, sigma="0.7")], slot=slot)
    assert verify(instance, Schedule([Placement("J", 0, time, nodes)])) == []
    for wrong in (time - HAIR, time + HAIR):
        (found,) = verify(instance, Schedule([Placement("J", 0, wrong, nodes)]))
        assert found.rule == "duration"


def test_every_violation_is_listed_at_once() -> None:
    instance = split_jobs(0, 1, 1, 1, slot=1)
    schedule = Schedule(
        [
            Placement("J0", F(-1, 2), 2, {"A": [0], "B": [0, 7]}),
            Placement("J1", 0, 2, {"A": [1], "B": [1], "C": [0]}),
            Placement("J9", 0, 2, {}),
            Placement("J1", 0, 2, {"A": [1], "B": [1]}),
            Placement("J1", 1, 3, {"A": [1], "B": [1]}),
        ]
    )
    names = "unknown_job missing_job duplicate_job unknown_cluster unknown_node tasks start grid duration capacity link"
    assert {violation.rule for violation in verify(instance, schedule)} == set(names.split())
