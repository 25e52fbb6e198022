"""Plans as they run: by hand, against another simulation, on ticks, and against what any plan promises."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given

from heuristics.coallocation.list_scheduling import QUEUE_METHODS as LISTS
from oas.core.errors import InputError, LongTimesError
from oas.core.metrics import compaction
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.generate import saturated
from oas.problems.coallocation import execution
from oas.problems.coallocation.execution import Event, _event_loop, execute
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.metrics import executed, executed_if_short
from oas.problems.coallocation.plan_order import PlanOrder
from oas.problems.coallocation.progress import ends_of, starts_from_schedule
from oas.problems.coallocation.saturation import Saturation
from oas.problems.coallocation.tick_execution import tick_execution
from tests.problems.coallocation.grids import four_jobs, plan
from tests.problems.coallocation.naive import naive_accepts
from tests.problems.coallocation.simulated import simulated
from tests.problems.mutations import by_cluster, nodes_of
from tests.strategies import instances_with_schedule, random_feasible_schedule, random_instance

POLICIES = [
    Saturation(),
    *(Saturation("slowdown", limit, sharing) for limit in (None, F(1, 2), 1) for sharing in ("paper", "max-min")),
]


def times(ran):
    return {one.job: (one.start, one.end) for one in ran.placements}


def random_plan(seed, policy):
    """An instance under a policy, and a plan that may break every rule of time."""
    rng = Random(seed)
    instance = (
        saturated(seed=seed, jobs=rng.randint(2, 7), slot=rng.choice((0, 1, F(3, 2))))
        if seed % 2
        else random_instance(seed, max_jobs=6)
    )
    if seed % 3:
        made = random_feasible_schedule(instance.with_saturation("forbid"), seed)
    else:
        made = LISTS[seed % 6](instance.with_saturation("forbid"))
    return instance.with_saturation(policy), made


def test_the_four_jobs():
    instance = four_jobs("slowdown")
    best = plan((0, F(32, 3), F(26, 3), 0))
    kept = execute(instance, best, keep_starts=True)
    assert times(kept.schedule) == {
        "A": (0, F(32, 3)),
        "B": (F(32, 3), F(64, 3)),
        "C": (F(26, 3), F(64, 3)),
        "D": (0, F(38, 3)),
    }
    assert [(one.start, one.end, one.load, one.degree) for one in kept.links["Q"]] == [
        (0, F(26, 3), 1, 1),
        (F(26, 3), F(32, 3), 2, 2),
        (F(32, 3), F(64, 3), 1, 1),
    ]
    assert kept.saturated("Q") == kept.saturated("R") == 2 and kept.saturated("P") == 0
    assert kept.slowdowns == {"A": F(16, 15), "B": F(16, 15), "C": F(19, 18), "D": F(19, 18)}
    assert kept.greatest_slowdown == F(16, 15) and kept.mean_slowdown == F(191, 180)
    assert kept.events[:4] == (
        Event(F(0), "start", "A"),
        Event(F(0), "start", "D"),
        Event(F(26, 3), "start", "C"),
        Event(F(32, 3), "end", "A"),
    )
    early = execute(instance, best).schedule
    assert early.makespan > F(64, 3) and early["C"].start == 0  # C slows A down
    assert early.method == "by hand"
    assert execute(instance.with_saturation("forbid"), best).schedule.makespan == 22


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_another_simulation_agrees_and_what_ran_can_be_run(policy):
    for seed in range(30):
        instance, made = random_plan(seed, policy)
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep).schedule
            assert simulated(instance, made, keep) == times(ran)
            assert ends_of(instance, starts_from_schedule(instance, ran)) == [ran[job.id].end for job in instance.jobs]
            assert verify(instance, ran) == []
            assert all(ran[one.job].nodes == one.nodes for one in made.placements)
            assert not keep or all(ran[one.job].start >= one.start for one in made.placements)
            assert execute(instance, ran, keep_starts=True).schedule == ran


def test_a_threshold_of_1_forbids():
    for seed in range(40):
        instance, made = random_plan(seed, "forbid")
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep)
            for sharing in ("paper", "max-min"):
                other = execute(instance.with_saturation(Saturation("slowdown", 1, sharing)), made, keep_starts=keep)
                assert (other.schedule, other.events, other.links) == (ran.schedule, ran.events, ran.links)
            assert set(ran.slowdowns.values()) == {F(1)} and not any(map(ran.saturated, dict(instance.cluster_sizes)))
        assert all(execute(instance, made).schedule[one.job].end <= one.end for one in made.placements)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda runs: runs[1:], "plan: job A does not run"),
        (lambda runs: [*runs, Placement("E", 0, 1, {"P": [0]})], "plan: job E is not in the instance"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"X": [0], "P": [0]})], "plan: job A uses a cluster .* 'X'"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [7], "Q": [0]})], r"plan: job A uses a node .* \(got 7\)"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"Q": [0, 0]})], "plan: job A names a node of cluster Q twice"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [0]})], r"plan: job A has 2 tasks, but other nodes"),
    ],
)
def test_plans_of_something_else(change, message):
    runs = list(plan((0, 1, 2, 3)).placements)
    with pytest.raises(InputError, match=message):
        execute(four_jobs(), Schedule(change(runs)))


def test_a_job_that_no_link_carries_alone():
    with pytest.raises(InputError, match="plan: job A alone asks the link of cluster P for more than it may be"):
        execute(four_jobs("slowdown", bandwidth=(0, 9, 9, 9)), plan((0, 1, 2, 3)))


# Executed without slots, where saturation is forbidden


@given(instances_with_schedule(max_jobs=6))
def test_executed_starts_each_job_as_early_as_can_be(drawn: tuple[CoallocationInstance, Schedule]) -> None:
    """Feasible without slots, on the same nodes, no later; no moment after its nodes' last job would do earlier."""
    instance, schedule = drawn
    done = executed(instance, schedule)
    continuous = instance.with_slot(0)
    assert verify(continuous, done) == [] and done.method == schedule.method
    assert 0 < compaction(instance, schedule) <= 1 and 0 < compaction(continuous, done) <= 1
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    before: list[Placement] = []
    for placement in sorted(schedule.placements, key=lambda one: (one.start, index[one.job])):
        own = done[placement.job]
        assert own.end <= placement.end and own.start <= placement.start and own.nodes == placement.nodes
        earliest = max((one.end for one in before if nodes_of(one) & nodes_of(own)), default=F(0))
        moments = {earliest, *(one.end for one in before), *(one.start for one in before)}
        for moment in sorted(moment for moment in moments if earliest <= moment < own.start):
            tried = Placement(own.job, moment, moment + own.duration, own.nodes)
            assert not naive_accepts(continuous, Schedule([*before, tried]), partial=True)
        before.append(own)


def test_executed_by_hand() -> None:
    """η = 2. J1 (Tb 3, σ 1) on both nodes of A holds two slots; J2 (Tb 1) waits for A; J3 on slow B0 takes 2·Tb."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, "0.5"), NodeGroup(1, 1)], 1)]
    instance = CoallocationInstance(clusters, [Job("J1", 2, 3), Job("J2", 1, 1), Job("J3", 1, "1.5")], slot=2)
    places = {"J1": (0, 4, {"A": [0, 1]}), "J2": (4, 6, {"A": [0]}), "J3": (2, 6, {"B": [0]})}
    schedule = Schedule([Placement(name, *place) for name, place in places.items()])
    assert compaction(instance, schedule) == F(2 * 4 + 1 * 2 + 1 * 4, 4 * 6)
    done = executed(instance, schedule)
    assert times(done) == {"J1": (0, 3), "J2": (3, 4), "J3": (0, 3)}
    assert compaction(instance, done) == F(2 * 3 + 1 * 1 + 1 * 3, 4 * 4)
    assert compaction(instance, Schedule([])) == 0 and executed(instance, Schedule([])) == Schedule([])


@pytest.mark.parametrize("saturation", ["forbid", "slowdown"])
def test_times_too_long_for_files_are_not_executed(saturation: str) -> None:
    """On a grid of slots times may be fractions of any denominator; without it they add up."""
    jobs = [Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs, slot=2, saturation=saturation)
    schedule = Schedule([Placement(job.id, 2 * number, 2 * number + 2, {"A": [0]}) for number, job in enumerate(jobs)])
    assert verify(instance, schedule) == []
    assert executed_if_short(instance, schedule) is None
    if saturation == "forbid":
        with pytest.raises(LongTimesError, match="slot: exact times need more than 40 digits"):
            executed(instance, schedule)


# On ticks


def both(instance, plan, keep=False, compiled=False):
    """Starts and ends in Fractions and on ticks, and how many ends were decided exactly."""
    ticks = tick_execution(instance, PlanOrder(instance, plan, keep), compiled=compiled)
    return _event_loop(instance, PlanOrder(instance, plan, keep)), ticks.run(), ticks.decided


def even(seed, jobs=150):
    """Jobs of round numbers: many end exactly where a tick does."""
    rng = Random(seed)
    own = [
        Job(f"J{one}", rng.choice((1, 2, 2, 3, 4)), 10 * rng.randint(1, 20), rng.randint(0, 2), F(1, 2))
        for one in range(jobs)
    ]
    nodes = [(name, number) for name in "ABCD" for number in range(16)]
    placements = [
        Placement(job.id, place, place + 1, by_cluster(rng.sample(nodes, job.tasks))) for place, job in enumerate(own)
    ]
    policy = {"policy": "slowdown", "threshold": F(1, 2)} if seed % 2 else "slowdown"
    clusters = [Cluster(name, [NodeGroup(16, 1)], 6) for name in "ABCD"]
    return CoallocationInstance(clusters, own, 1, policy), Schedule(placements)


@pytest.mark.parametrize("compiled", [False, True])
def test_ticks_decide_as_fractions_do(compiled):
    policies = [Saturation(), *(Saturation("slowdown", limit) for limit in (None, F(3, 4), F(1, 2)))]
    for seed in range(60):
        instance, plan = random_plan(seed, policies[seed % 4])
        if not instance.slot:
            instance = instance.with_slot(F(3, 4))
        exact, ticks, _ = both(instance, plan, seed % 3 == 0, compiled)
        assert ticks == exact


def test_instances_without_ticks():
    instance, plan = even(0, jobs=5)
    assert tick_execution(instance, PlanOrder(instance, plan)) is not None
    thin = [Cluster(one.id, one.groups, F(1, 1000)) for one in instance.clusters]
    fine = CoallocationInstance(thin, instance.jobs, F(1, 10**13), "slowdown")  # jobs may last a thousand times longer
    heavy = [Cluster(one.id, one.groups, F(one.bandwidth, 10**20) + one.bandwidth) for one in instance.clusters]
    for other in (
        instance.with_slot(0),
        instance.with_saturation({"policy": "slowdown", "sharing": "max-min"}),
        fine,
        CoallocationInstance(heavy, instance.jobs, 1, "slowdown"),
    ):
        assert tick_execution(other, PlanOrder(other, plan)) is None
    free = instance.with_saturation("forbid").with_slot(0)
    late = Schedule([Placement(one.job, one.start + F(1, 7), one.end + 1, one.nodes) for one in plan.placements])
    assert tick_execution(free, PlanOrder(free, late, keep_starts=True)) is None


def test_many_jobs_take_the_compiled_loop(monkeypatch):
    instance, plan = even(3, jobs=60)
    few = execute(instance, plan)
    monkeypatch.setattr(execution, "ON_TICKS_FROM", 60)
    assert execute(instance, plan) == few
