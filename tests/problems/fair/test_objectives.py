"""Objectives of schedules of fair sharing: by hand, unit by unit, and which schedules they apply to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oas.problems.fair.earliest import earliest_starts
from oas.problems.fair.objectives import (
    Objective,
    ScheduleClass,
    class_violations,
    objective_value,
    open_at_horizon,
)
from oas.problems.fair.rules import counted_utilities
from tests.problems.fair.instances import fair, feasible, random_instance
from tests.problems.fair.naive import placed

if TYPE_CHECKING:
    from oas.core.schedule import Schedule

# Two processors; a2 must wait for a1, b1 is released at 1.
HAND = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)


def values(schedule: Schedule) -> dict[Objective, int]:
    return {one: objective_value(HAND, schedule, one) for one in Objective}


def test_by_hand() -> None:
    """Greedy, a2 starts beside a1, and b1 waits for it; with a processor kept idle at 0 everything ends sooner."""
    greedy = placed(HAND, {"a1": 0, "a2": 0, "b1": 2})
    assert class_violations(HAND, greedy, ScheduleClass.GREEDY) == []
    assert values(greedy) == {"psi_sp": (6 + 5 + 4) + (6 + 5) + (4 + 3 + 2 + 1), "flow": 3 + 2 + 5, "makespan": 6}
    idle = placed(HAND, {"a1": 0, "b1": 1, "a2": 3})
    assert class_violations(HAND, idle, ScheduleClass.ANY) == []
    assert values(idle) == {"psi_sp": (6 + 5 + 4) + (5 + 4 + 3 + 2) + (3 + 2), "flow": 3 + 4 + 5, "makespan": 5}
    assert open_at_horizon(HAND, greedy) == open_at_horizon(HAND, idle) == ""


def test_what_runs_on_or_never_starts_counts_until_the_horizon() -> None:
    short = HAND.with_horizon(3)
    schedule = placed(short, {"a1": 0, "a2": 0, "b1": 2})
    assert objective_value(short, schedule, Objective.FLOW) == 3 + 2 + 2
    assert objective_value(short, schedule, Objective.STRATEGY_PROOF) == (3 + 2 + 1) + (3 + 2) + 1
    assert open_at_horizon(short, schedule) == "job b1 ends at 6, after the horizon, 3"
    shorter = HAND.with_horizon(2)
    schedule = placed(shorter, {"a1": 0, "a2": 0})
    assert objective_value(shorter, schedule, Objective.FLOW) == 2 + 2 + 1
    assert open_at_horizon(shorter, schedule) == "job a1 ends at 3, after the horizon, 2"
    done = fair((1, [(1,)]), (1, [(1,), (1, 9)]), horizon=5)
    schedule = placed(done, {"a1": 0, "b1": 0})
    assert objective_value(done, schedule, Objective.FLOW) == 2  # b2 is released after the horizon
    assert open_at_horizon(done, schedule) == "job b2 does not start before the horizon, 5"


def test_a_wide_job_counts_its_processors_for_psi_and_once_for_the_flow() -> None:
    wide = fair((3, [(2, 0, 3), (1, 0, 1)]), horizon=4)
    schedule = placed(wide, {"a1": 0, "a2": 2})
    assert objective_value(wide, schedule, Objective.STRATEGY_PROOF) == 3 * (4 + 3) + 2
    assert objective_value(wide, schedule, Objective.FLOW) == 2 + 3


@pytest.mark.parametrize("seed", range(60))
def test_values_are_what_counting_units_gives(seed: int) -> None:
    instance, schedule = feasible(seed)
    counted = counted_utilities(instance, schedule)
    assert objective_value(instance, schedule, Objective.STRATEGY_PROOF) == sum(one.strategy_proof for one in counted)
    ends = {one.job: int(one.end) for one in schedule.placements}
    flow = 0
    for job in instance.jobs:
        for unit in range(int(job.release), instance.horizon):
            flow += unit < ends.get(job.id, instance.horizon)
    assert objective_value(instance, schedule, Objective.FLOW) == flow


def test_any_schedule_may_idle_but_keeps_the_order() -> None:
    lazy = placed(HAND, {"a1": 1, "b1": 1, "a2": 4})
    assert class_violations(HAND, lazy, ScheduleClass.ANY) == []
    assert {one.rule for one in class_violations(HAND, lazy, ScheduleClass.GREEDY)} == {"greedy"}
    assert class_violations(HAND, placed(HAND, {}), ScheduleClass.ANY) == []
    skipped = class_violations(HAND, placed(HAND, {"a2": 0}), ScheduleClass.ANY)
    assert {one.rule for one in skipped} == {"fifo"}
    early = class_violations(HAND, placed(HAND, {"b1": 0}), ScheduleClass.ANY)
    assert {one.rule for one in early} == {"start"}


def test_earliest_starts_by_hand() -> None:
    """Three processors: a2 needs two, so it starts when one of its two runs before it has ended; a3 not before it."""
    wide = fair((2, [(4, 0, 2), (3, 0, 2), (1, 0, 1)]), (1, [(9, 1), (1, 1), (1, 1), (1, 1)]), horizon=9)
    order = wide.scaled().order
    assert order is not None
    found = dict(zip((wide.jobs[place].id for place in order), earliest_starts(wide.scaled()), strict=True))
    assert found == {"a1": 0, "a2": 4, "a3": 4, "b1": 1, "b2": 1, "b3": 1, "b4": 2}


@pytest.mark.parametrize("seed", range(60))
def test_nothing_starts_before_its_earliest(seed: int) -> None:
    instance, schedule = feasible(seed)
    ticks = instance.scaled()
    assert ticks.order is not None
    earliest = dict(zip((instance.jobs[place].id for place in ticks.order), earliest_starts(ticks), strict=True))
    assert all(earliest[one.job] <= one.start for one in schedule.placements)


def test_an_organization_alone_starts_at_its_earliest() -> None:
    """Of one organization the only greedy schedule starts everything there."""
    for seed in range(40):
        many = random_instance(seed)
        alone = type(many)(many.organizations[:1], max(many.horizon, int(many.organizations[0].jobs[0].release) + 1))
        starts: dict[str, int] = {}
        running: list[tuple[int, int]] = []
        now = 0
        for job in alone.jobs:
            now = max(now, int(job.release))
            while alone.node_count - sum(width for end, width in running if end > now) < job.processors:
                now += 1
            starts[job.id] = now
            running.append((now + int(job.time), job.processors))
        assert list(starts.values()) == earliest_starts(alone.scaled())
