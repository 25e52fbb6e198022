"""Reductions of the model of fair sharing: right by hand, and no greedy schedule is lost."""

from __future__ import annotations

from random import Random

import pytest

from oas.core.errors import TooLargeError
from oas.models.fair.reductions import alike, canonical_starts, latest_starts, start_moments
from oas.problems.fair.objectives import ScheduleClass, class_violations
from oas.problems.fair.runs import schedule_from_starts
from tests.problems.fair.instances import array_of, fair, random_instance, random_starts


def test_moments_by_hand() -> None:
    ticks = fair((1, [(2,), (5,)]), (1, [(4, 3)]), horizon=12).scaled()
    from_0, from_3 = {0, 2, 5, 7, 4, 6, 9, 11}, {3, 5, 8, 10, 7, 9, 12, 14}
    assert start_moments(ticks, 12) == sorted(moment for moment in from_0 | from_3 if moment < 12)
    assert start_moments(ticks, 4) == [0, 2, 3]
    with pytest.raises(TooLargeError, match="horizon is 1,000,001"):
        start_moments(ticks, 1_000_001)


def test_latest_starts_by_hand() -> None:
    """Two processors. a2 waits for 3 + 4 units at most: b1 and a1, on two processors, so until 3."""
    ticks = fair((1, [(3,), (2,)]), (1, [(4,)]), horizon=9).scaled()
    assert latest_starts(ticks) == [4 // 2, (3 + 4) // 2, (3 + 2) // 2]  # a1, a2, b1
    later = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=9).scaled()
    assert latest_starts(later) == [2, 3, 1 + 5 // 2]
    soon = fair((1, [(3,)]), (1, [(4, 8)]), horizon=9).scaled()  # b1 comes when a1 has started
    assert latest_starts(soon) == [0, 8 + 3 // 2]


def test_wide_jobs_wait_while_fewer_processors_are_idle_than_they_need() -> None:
    """Three processors: while a2 waits at least 3 - 1 are busy; a1, before it, needs one."""
    ticks = fair((2, [(3,), (2, 0, 2)]), (1, [(4,)]), horizon=9).scaled()
    assert latest_starts(ticks) == [(4 // 3), (3 + 4) // 2, (3 + 4) // 3]


@pytest.mark.parametrize("seed", range(150))
def test_every_greedy_schedule_keeps_its_place(seed: int) -> None:
    instance = random_instance(seed)
    ticks = instance.scaled()
    moments, latest = start_moments(ticks, instance.horizon), latest_starts(ticks)
    for lot in range(4):
        starts = array_of(instance, random_starts(instance, lot)).tolist()
        for start, last in zip(starts, latest, strict=True):
            assert (start == -1 and last >= instance.horizon) or (start in moments and 0 <= start <= last)


def test_identical_organizations() -> None:
    ticks = fair((1, [(2,), (3, 1)]), (2, [(2,), (3, 1)]), (1, [(2,)]), (9, [(2,), (3, 1)]), horizon=9).scaled()
    assert ticks.owner.tolist() == [0, 1, 2, 3, 0, 1, 3]
    assert alike(ticks) == (((0, 1), (4, 5)), ((1, 3), (5, 6)))
    assert canonical_starts(alike(ticks), [7, 5, 0, 1, 7, 9, 8]) == [1, 5, 0, 7, 7, 8, 9]
    assert alike(fair((1, [(2,)]), (1, [(2, 1)]), (1, [(2, 0, 1), (1,)]), horizon=3).scaled()) == ()


@pytest.mark.parametrize("seed", range(40))
def test_exchanged_starts_are_as_greedy(seed: int) -> None:
    """Three copies of one organization, and schedules by lot."""
    rng = Random(seed)
    jobs = [(rng.randint(1, 4), release) for release in sorted(rng.randint(0, 4) for _ in range(3))]
    instance = fair((1, jobs), (1, jobs), (1, jobs), (1, [(2,), (3, 1)]), horizon=rng.randint(5, 14))
    pairs = alike(instance.scaled())
    starts = array_of(instance, random_starts(instance, seed)).tolist()
    never = instance.horizon
    moved = canonical_starts(pairs, [never if start == -1 else start for start in starts])
    assert all(moved[first] <= moved[second] for group in pairs for first, second in group)
    schedule = schedule_from_starts(instance, [-1 if start == never else start for start in moved])
    assert class_violations(instance, schedule, ScheduleClass.GREEDY) == []
