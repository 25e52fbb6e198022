"""Ends of runs that are given by their starts, by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.progress import StartedRun, ends_of, schedule_from_starts, starts_from_schedule
from tests.problems.coallocation.test_saturation import grid

PLACES = ("PQ", "PR", "QS", "RS")


def started(instance, starts):
    """The four jobs on their clusters, from these starts on."""
    scaled = instance.scaled()
    found = []
    for job, start in enumerate(starts):
        counts = tuple(1 if name in PLACES[job] else 0 for name in "PQRS")
        found.append(StartedRun(job, F(start), next(one for one in allocations(scaled, job) if one.counts == counts)))
    return found


def test_the_optimum_of_the_four_jobs_starts_where_nothing_ends():
    # Phases {A, D}, {A, C, D}, {B, C, D}, {B, C} of 26/3, 2, 2, 26/3: C starts at 26/3, where nothing ends.
    instance = grid("slowdown")
    runs = started(instance, [0, F(32, 3), F(26, 3), 0])
    assert ends_of(instance, runs) == [F(32, 3), F(64, 3), F(64, 3), F(38, 3)]
    schedule = schedule_from_starts(instance, runs, "by hand")
    assert schedule.makespan == F(64, 3) and starts_from_schedule(instance, schedule) == runs


def test_slots_hold_links_until_they_end():
    instance = grid("slowdown", slot=4)
    # A is done at 11 and slows C on Q until 12, where its slot ends.
    assert ends_of(instance, started(instance, [0, 12, 8, 0])) == [12, 24, 24, 12]
    assert ends_of(instance, started(instance, [0, 100, 50, 200])) == [12, 112, 64, 212]


def test_what_cannot_be():
    with pytest.raises(InputError, match=r"the link of cluster Q is asked for more .* as job C starts at 3"):
        ends_of(grid(), started(grid(), [0, 20, 3, 20]))
    with pytest.raises(InputError, match="job B finds 0 of 1 nodes free at 5"):
        schedule_from_starts(grid("slowdown"), started(grid("slowdown"), [0, 5, 20, 20]))
