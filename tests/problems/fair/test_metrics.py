from __future__ import annotations

from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import InputError
from oas.problems.fair.metrics import distance, mean_wait, released_work, unjustified_delay, utilisation
from oas.problems.fair.ticks import NOT_STARTED, FairTicks
from oas.problems.fair.utilities import strategy_proof
from tests.problems.fair.instances import fair

STARTS = [0, 0, 0, 3, 3, 4, 6, 9, 10, 9]


def test_utilisation_and_wait_of_figure_1() -> None:
    ticks = oas.load_example("fair").scaled()
    assert utilisation(ticks, STARTS) == F(40, 42)
    assert mean_wait(ticks, STARTS) == F(44, 10)
    assert mean_wait(ticks, [NOT_STARTED] * 10) is None and utilisation(ticks, [NOT_STARTED] * 10) == 0


def test_what_runs_beyond_the_horizon_does_not_count() -> None:
    ticks = fair((2, [(9, 0, 2), (1,)]), horizon=4).scaled()
    assert utilisation(ticks, [0, NOT_STARTED]) == 1
    assert utilisation(ticks, [3, NOT_STARTED]) == F(1, 4)


def test_released_work() -> None:
    instance = fair((2, [(9, 0, 2), (1, 3), (5, 4)]), (1, [(2, 1)]), horizon=4)
    assert released_work(instance) == [(19, F(19, 8)), (2, F(2, 4))]


def test_mean_wait_of_long_waits() -> None:
    ticks = FairTicks([8], [0] * 8, [0] * 8, [1] * 8, [1] * 8, 2**62 - 1)
    assert mean_wait(ticks, [2**62 - 1] * 8) == 2**62 - 1


def test_distance_from_the_fair_schedule() -> None:
    """Per unit of work that is over in the fair schedule, not per job (section 6.3)."""
    ticks = fair((1, [(3,), (1,)]), (1, [(2,)]), horizon=6).scaled()
    ideal, other = [0, 2, 0], [0, 3, 0]
    values, reference = strategy_proof(ticks, other), strategy_proof(ticks, ideal)
    assert (values, reference) == ([6 + 5 + 4 + 3, 6 + 5], [6 + 5 + 4 + 4, 6 + 5])
    assert distance(values, reference) == 1 == distance(reference, values)
    assert unjustified_delay(ticks, values, reference, ideal) == F(1, 6)
    assert distance([3, 9], [5, 4]) == 7
    with pytest.raises(InputError, match="no job has run"):
        unjustified_delay(ticks, [0, 0], [0, 0], [NOT_STARTED] * 3)
