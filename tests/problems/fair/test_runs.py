from __future__ import annotations

import pytest

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.problems.fair.runs import schedule_from_starts, starts_from_schedule
from oas.problems.fair.ticks import NOT_STARTED
from tests.problems.fair.instances import array_of, fair, random_instance, random_starts


@pytest.mark.parametrize("seed", range(100))
def test_there_and_back(seed: int) -> None:
    instance = random_instance(seed)
    starts = random_starts(instance, seed)
    array = array_of(instance, starts)
    schedule = schedule_from_starts(instance, array, "by lot")
    assert schedule.method == "by lot"
    assert verify(instance, schedule) == []
    assert {one.job: one.start for one in schedule.placements} == starts
    assert starts_from_schedule(instance, schedule).tolist() == array.tolist()


def test_the_lowest_idle_processors_are_taken() -> None:
    instance = fair((2, [(2,), (1,), (3, 1)]), (2, [(2, 0, 2), (1, 1)]), horizon=9)
    schedule = schedule_from_starts(instance, [0, 0, 0, 1, 2])
    assert {one.job: one.nodes for one in schedule.placements} == {
        "a1": {"A": (0,)},
        "a2": {"A": (1,)},
        "b1": {"B": (0, 1)},
        "a3": {"A": (1,)},
        "b2": {"A": (0,)},
    }
    wide = fair((2, [(1,), (2, 0, 2)]), (1, [(5,)]), horizon=9)
    spanning = schedule_from_starts(wide, [0, 1, 0])
    assert spanning["b1"].nodes == {"A": (1,)}
    assert spanning["a2"].nodes == {"A": (0,), "B": (0,)}


def test_a_job_that_does_not_start_is_not_there() -> None:
    instance = fair((1, [(5,), (1,)]), horizon=3)
    schedule = schedule_from_starts(instance, [0, NOT_STARTED])
    assert [one.job for one in schedule.placements] == ["a1"]
    assert starts_from_schedule(instance, schedule).tolist() == [0, NOT_STARTED]


def test_what_is_refused() -> None:
    instance = fair((1, [(5,), (1,)]), horizon=9)
    with pytest.raises(InputError, match="starts: job a2 finds 0 of 1 processors idle at 4"):
        schedule_from_starts(instance, [0, 4])
    with pytest.raises(InputError, match="one row of 2"):
        schedule_from_starts(instance, [0])
    with pytest.raises(InputError, match=r"no job has this id.*'z'"):
        starts_from_schedule(instance, Schedule([Placement("z", 0, 1, {"A": [0]})]))
    with pytest.raises(InputError, match=r"start of a1: must be a whole number.*1/2"):
        starts_from_schedule(instance, Schedule([Placement("a1", "1/2", 1, {"A": [0]})]))
