from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import (
    ClusterRun,
    cluster_runs_from_schedule,
    local_schedule,
    schedule_from_cluster_runs,
)
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.instances import random_cluster_runs, random_instance


def instance() -> MospInstance:
    first = Organization("A", 3, [RigidJob("a", 2, 2), RigidJob("b", "1/2", 1), RigidJob("c", 1, 2)])
    return MospInstance([first, Organization("B", 2, [RigidJob("d", 1, 2)])], None)


def test_lowest_idle_processors_first() -> None:
    runs = [ClusterRun(2, 0, 4), ClusterRun(0, 0, 0), ClusterRun(1, 0, 3), ClusterRun(3, 1, 0)]
    schedule = schedule_from_cluster_runs(instance(), instance().scaled(), runs, "by hand")
    assert schedule.method == "by hand"
    assert {one.job: (one.start, one.end, one.nodes) for one in schedule.placements} == {
        "a": (0, 2, {"A": (0, 1)}),
        "b": (F(3, 2), 2, {"A": (2,)}),
        "c": (2, 3, {"A": (0, 1)}),
        "d": (0, 1, {"B": (0, 1)}),
    }


def test_there_and_back() -> None:
    for seed in range(300):
        made = random_instance(seed)
        scaled = made.scaled()
        runs = random_cluster_runs(scaled, seed)
        schedule = schedule_from_cluster_runs(made, scaled, runs)
        assert cluster_runs_from_schedule(made, scaled, schedule) == runs
        assert verify(made.with_locality(None), schedule) == []


def test_too_many_at_once() -> None:
    runs = [ClusterRun(0, 0, 0), ClusterRun(2, 0, 3)]
    with pytest.raises(InputError, match=r"^job c finds 1 of 2 processors free at tick 3$"):
        schedule_from_cluster_runs(instance(), instance().scaled(), runs)
    with pytest.raises(InputError, match=r"^job a finds 0 of 2 processors free"):
        runs = [ClusterRun(3, 1, 0), ClusterRun(0, 1, 1)]
        schedule_from_cluster_runs(instance(), instance().scaled(), runs)


def test_reservations_take_no_certain_processors() -> None:
    """Jobs fill a cluster from processor 0 while a reservation holds as many as are left."""
    held = Organization("A", 3, [RigidJob("a", 2, 2)], [Reservation(0, 2, 1)])
    schedule = local_schedule(MospInstance([held]))
    assert schedule["a"].nodes == {"A": (0, 1)}


def test_local_schedules_are_those_stored() -> None:
    for seed in range(200):
        made = random_instance(seed)
        schedule = local_schedule(made)
        assert schedule.method == "local"
        assert {one.job: one.start for one in schedule.placements} == made.local
        assert all(list(one.nodes) == [made.organizations[made.owner[one.job]].id] for one in schedule.placements)
        assert schedule.makespan == max(made.local_makespans)
