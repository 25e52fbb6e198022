"""Waits, bounded slowdown and utilisation against figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.core.metrics import compaction
from oas.core.schedule import Placement, Schedule
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.metrics import mean_bounded_slowdown, mean_wait, utilisation
from oas.problems.rigid import Organization, Reservation, RigidJob

JOBS = [RigidJob("short", 2, 1, 5), RigidJob("long", 30, 2, 0)]
# Short waits 25 of 25 + 2; long waits 0.
SCHEDULE = Schedule([Placement("long", 0, 30, {"O": [0, 1]}), Placement("short", 30, 32, {"O": [0]})])


def cluster(*reservations: Reservation) -> MospInstance:
    return MospInstance([Organization("O", 4, JOBS, reservations)], locality=None)


def test_by_hand() -> None:
    assert mean_wait(cluster(), SCHEDULE) == F(25, 2)
    assert mean_bounded_slowdown(cluster(), SCHEDULE) == (F(27, 10) + 1) / 2
    assert mean_bounded_slowdown(cluster(), SCHEDULE, 1) == (F(27, 2) + 1) / 2
    assert mean_bounded_slowdown(cluster(), SCHEDULE, 100) == 1  # never below 1
    assert utilisation(cluster(), SCHEDULE) == compaction(cluster(), SCHEDULE) == F(62, 128)


def test_what_is_reserved_is_used_up_to_the_makespan() -> None:
    instance = cluster(Reservation(10, 20, 2), Reservation(31, 50, 1), Reservation(40, 50, 3))
    assert utilisation(instance, SCHEDULE) == F(62 + 20 + 1, 128)


@pytest.mark.parametrize("threshold", [0, -1])
def test_a_threshold_is_above_0(threshold: int) -> None:
    with pytest.raises(InputError, match="threshold"):
        mean_bounded_slowdown(cluster(), SCHEDULE, threshold)
