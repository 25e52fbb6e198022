from fractions import Fraction as F

import pytest
from hypothesis import given

from oas.core.errors import LongTimesError
from oas.core.metrics import compaction
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.metrics import executed, executed_if_short
from tests.problems.coallocation.naive import naive_accepts
from tests.strategies import instances_with_schedule


def in_order(instance: CoallocationInstance, schedule: Schedule) -> list[str]:
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    return [one.job for one in sorted(schedule.placements, key=lambda one: (one.start, index[one.job]))]


@given(instances_with_schedule(max_jobs=6))
def test_executed_is_feasible_without_slots_and_never_later(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = drawn
    done = executed(instance, schedule)
    continuous = instance.with_slot(0)
    assert verify(continuous, done) == []
    assert naive_accepts(continuous, done)
    for placement in schedule.placements:
        assert done[placement.job].end <= placement.end
        assert done[placement.job].start <= placement.start
        assert done[placement.job].nodes == placement.nodes
    assert done.method == schedule.method


@given(instances_with_schedule(max_jobs=6))
def test_executed_keeps_the_order_on_each_node(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = drawn
    done = executed(instance, schedule)
    for cluster in instance.clusters:
        for number in range(cluster.size):
            before, after = (
                [one.job for one in each.placements if number in one.nodes.get(cluster.id, ())]
                for each in (schedule, done)
            )
            assert before == after


@given(instances_with_schedule())
def test_executed_starts_each_job_as_early_as_can_be(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    """Beside the jobs before it, no earlier moment after its nodes' last job would do."""
    instance, schedule = drawn
    done = executed(instance, schedule)
    continuous = instance.with_slot(0)
    before: list[Placement] = []
    for name in in_order(instance, schedule):
        own = done[name]
        free = [one.end for one in before if any(set(one.nodes.get(k, ())) & set(v) for k, v in own.nodes.items())]
        earliest = max(free, default=F(0))
        moments = {earliest, *(one.end for one in before), *(one.start for one in before)}
        for moment in sorted(moment for moment in moments if earliest <= moment < own.start):
            tried = Placement(name, moment, moment + own.duration, own.nodes)
            assert not naive_accepts(continuous, Schedule([*before, tried]), partial=True)
        before.append(own)
        assert naive_accepts(continuous, Schedule(before), partial=True)


@given(instances_with_schedule(max_jobs=6))
def test_compaction_is_a_share(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = drawn
    for one, each in ((instance, schedule), (instance.with_slot(0), executed(instance, schedule))):
        assert 0 < compaction(one, each) <= 1


CLUSTERS = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, "0.5"), NodeGroup(1, 1)], 1)]


def test_by_hand() -> None:
    """η = 2. J1 (Tb 3, σ 1) on both nodes of A holds two slots; J2 (Tb 1) waits for A; J3 on slow B0 takes 2·Tb."""
    jobs = [Job("J1", 2, 3), Job("J2", 1, 1), Job("J3", 1, "1.5")]
    instance = CoallocationInstance(CLUSTERS, jobs, slot=2)
    schedule = Schedule(
        [
            Placement("J1", 0, 4, {"A": [0, 1]}),
            Placement("J2", 4, 6, {"A": [0]}),
            Placement("J3", 2, 6, {"B": [0]}),
        ]
    )
    assert verify(instance, schedule) == []
    assert compaction(instance, schedule) == F(2 * 4 + 1 * 2 + 1 * 4, 4 * 6)
    done = executed(instance, schedule)
    assert {one.job: (one.start, one.end) for one in done.placements} == {"J1": (0, 3), "J2": (3, 4), "J3": (0, 3)}
    assert compaction(instance, done) == F(2 * 3 + 1 * 1 + 1 * 3, 4 * 4)


def test_links_hold_jobs_back_in_execution() -> None:
    """J1 and J2 both fill the links: J2's nodes are free at 0, the links only when J1 ends at 3."""
    jobs = [Job("J1", 2, 3, 1), Job("J2", 2, 1, 1)]
    instance = CoallocationInstance(CLUSTERS, jobs, slot=2)
    runs = [Placement("J1", 0, 4, {"A": [0], "B": [1]}), Placement("J2", 4, 8, {"A": [1], "B": [0]})]
    with_b0 = Schedule([runs[0], Placement("J2", 4, 6, {"A": [1], "B": [0]})])
    assert verify(instance, with_b0) == []
    assert [(one.start, one.end) for one in executed(instance, with_b0).placements] == [(0, 3), (3, 5)]


def test_a_later_job_may_overtake_on_other_nodes() -> None:
    """The order settles who is placed first, not who starts first: J3 needs neither the link nor J1's nodes."""
    jobs = [Job("J1", 2, 3, 1), Job("J2", 2, 1, 1), Job("J3", 1, 1)]
    clusters = [Cluster("A", [NodeGroup(3, 1)], 1), Cluster("B", [NodeGroup(3, 1)], 1)]
    instance = CoallocationInstance(clusters, jobs)
    schedule = Schedule(
        [
            Placement("J1", 0, 3, {"A": [0], "B": [0]}),
            Placement("J2", 3, 4, {"A": [1], "B": [1]}),
            Placement("J3", 5, 6, {"A": [2]}),
        ]
    )
    assert {one.job: one.start for one in executed(instance, schedule).placements} == {"J1": 0, "J2": 3, "J3": 0}


WIDE = [Cluster(name, [NodeGroup(3, 1)], 2) for name in "AB"]


def test_ties_go_by_index_not_by_name() -> None:
    """Z and A start together once X is done; without slots the link takes one of them beside X: Z, listed first."""
    instance = CoallocationInstance(WIDE, [Job("X", 2, 3, 1), Job("Z", 2, 1, 1), Job("A", 2, 1, 1)], slot=4)
    starts = {"X": 0, "Z": 4, "A": 4}
    runs = [Placement(name, start, start + 4, {"A": [k], "B": [k]}) for k, (name, start) in enumerate(starts.items())]
    assert verify(instance, Schedule(runs)) == []
    done = executed(instance, Schedule(runs))
    assert {one.job: (one.start, one.end) for one in done.placements} == {"X": (0, 3), "Z": (0, 1), "A": (1, 2)}


def test_links_must_have_room_for_the_whole_run() -> None:
    """J3 finds the link empty at 0, but would still run when J2, placed before it, fills the link at 5."""
    jobs = [Job("J1", 1, 5), Job("J2", 2, 3, 2), Job("J3", 2, 6, 1)]
    instance = CoallocationInstance(WIDE, jobs)
    runs = [
        Placement("J1", 0, 5, {"A": [0]}),
        Placement("J2", 5, 8, {"A": [0], "B": [0]}),
        Placement("J3", 9, 15, {"A": [1], "B": [1]}),
    ]
    assert verify(instance, Schedule(runs)) == []
    assert [(one.job, one.start) for one in executed(instance, Schedule(runs)).placements][2] == ("J3", 8)


@pytest.mark.parametrize("schedule", [Schedule([])])
def test_an_empty_schedule_compacts_to_nothing(schedule: Schedule) -> None:
    instance = CoallocationInstance(CLUSTERS, [Job("J", 1, 1)])
    assert compaction(instance, schedule) == 0
    assert executed(instance, schedule) == schedule


@pytest.mark.parametrize("saturation", ["forbid", "slowdown"])
def test_times_too_long_for_files_are_not_executed(saturation: str) -> None:
    """On a grid of slots times may be fractions of any denominator; without it they add up."""
    jobs = [Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = CoallocationInstance(CLUSTERS, jobs, slot=2, saturation=saturation)
    schedule = Schedule([Placement(job.id, 2 * number, 2 * number + 2, {"A": [0]}) for number, job in enumerate(jobs)])
    assert verify(instance, schedule) == []
    assert executed_if_short(instance, schedule) is None
    if saturation == "forbid":
        with pytest.raises(LongTimesError, match="exact times need more than 40 digits"):
            executed(instance, schedule)
