"""The executor on ticks decides as the one in Fractions, compiled or not."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest

from oas.core.compiling import kernel
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation import execution, execution_kernels
from oas.problems.coallocation.execution import _event_loop, execute
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.plan_order import PlanOrder
from oas.problems.coallocation.saturation import Saturation
from oas.problems.coallocation.tick_execution import tick_execution
from tests.problems.coallocation.test_execution import random_plan

POLICIES = [Saturation(), *(Saturation("slowdown", limit) for limit in (None, F(3, 4), F(1, 2)))]


def both(instance, plan, keep=False, compiled=False):
    """Starts and ends in Fractions and on ticks, and how many ends were decided exactly."""
    ticks = tick_execution(instance, PlanOrder(instance, plan, keep), compiled=compiled)
    return _event_loop(instance, PlanOrder(instance, plan, keep)), ticks.run(), ticks.decided


def drawn(seed):
    """An instance with slots, and a plan."""
    instance, plan = random_plan(seed, POLICIES[seed % 4])
    return (instance if instance.slot else instance.with_slot(F(3, 4))), plan


def even(seed, jobs=150):
    """Jobs of round numbers: many end exactly where a tick does."""
    rng = Random(seed)
    own = [
        Job(f"J{one}", rng.choice((1, 2, 2, 3, 4)), 10 * rng.randint(1, 20), rng.randint(0, 2), F(1, 2))
        for one in range(jobs)
    ]
    nodes = [(name, number) for name in "ABCD" for number in range(16)]
    placements = []
    for place, job in enumerate(own):
        held = {}
        for name, number in rng.sample(nodes, job.tasks):
            held.setdefault(name, []).append(number)
        placements.append(Placement(job.id, place, place + 1, held))
    policy = {"policy": "slowdown", "threshold": F(1, 2)} if seed % 2 else "slowdown"
    return CoallocationInstance([Cluster(name, [NodeGroup(16, 1)], 6) for name in "ABCD"], own, 1, policy), Schedule(
        placements
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_ticks_decide_as_fractions_do(compiled):
    for seed in range(60):
        instance, plan = drawn(seed)
        exact, ticks, _ = both(instance, plan, seed % 3 == 0, compiled)
        assert ticks == exact


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
def test_ticks_decide_as_fractions_do_on_many(compiled):
    for seed in range(1000, 1500):
        instance, plan = drawn(seed)
        exact, ticks, _ = both(instance, plan, seed % 3 == 0, compiled)
        assert ticks == exact


def test_ends_at_ticks_are_decided_exactly(monkeypatch):
    asked = 0
    for seed in range(6):
        exact, ticks, decided = both(*even(seed))
        assert ticks == exact
        asked += decided
    assert asked > 3
    monkeypatch.setattr(execution_kernels, "BOUND", 0.0)  # trusting floats, some end a tick too late or too soon
    monkeypatch.setattr(execution_kernels, "run", kernel(execution_kernels.run.function))
    assert any(ticks != exact for exact, ticks, _ in (both(*even(seed)) for seed in range(6)))


def test_without_saturation_the_grid_of_durations_serves():
    for seed in range(20):
        instance, plan = random_plan(seed, "forbid")
        ticks = tick_execution(instance.with_slot(0), PlanOrder(instance.with_slot(0), plan), compiled=False)
        assert ticks.run() == _event_loop(instance.with_slot(0), PlanOrder(instance.with_slot(0), plan))


def test_what_has_no_ticks():
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
