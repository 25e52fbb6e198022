"""Bounds on the objectives of fair sharing: by hand, moment by moment, and never passed."""

from fractions import Fraction as F

import pytest

from oas.fair.bounds import least_flow, least_makespan, most_utility, objective_bound
from oas.fair.exact.brute_force import brute_force
from oas.fair.objectives import Objective, ScheduleClass, earliest_starts
from oas.fair.ticks import FairTicks
from tests.fair.instances import case, fair, random_instance
from tests.slow import mostly_slow


def test_by_hand():
    """Two processors, three jobs of 2 from 0 on: by 1, 2, 3 and 4 at most 2, 4, 6 and 6 units are done."""
    ticks = fair((1, [(2,), (2,)]), (1, [(2,)]), horizon=4).scaled()
    assert most_utility(ticks) == 2 + 4 + 6 + 6
    assert least_makespan(ticks) == 3
    assert least_flow(ticks) == 2 + 2 + 2
    assert objective_bound(ticks, Objective.MAKESPAN).value == F(3)


def naive_work(ticks, until):
    """The most work done by each moment up to `until`, by the recurrence that the pieces sum up."""
    jobs = list(zip(earliest_starts(ticks), ticks.time.tolist(), ticks.width.tolist(), strict=True))
    done = [0]
    for now in range(1, until + 1):
        supply = sum(width * min(time, max(0, now - start)) for start, time, width in jobs)
        done.append(min(done[-1] + ticks.total, supply))
    return done


@pytest.mark.parametrize("seed", range(120))
def test_pieces_are_what_moments_give(seed):
    ticks = random_instance(seed).scaled()
    assert most_utility(ticks) == sum(naive_work(ticks, ticks.horizon))
    whole = int((ticks.time * ticks.width).sum())
    makespan = least_makespan(ticks)
    work = naive_work(ticks, makespan)
    assert work[makespan] == whole and work[makespan - 1] < whole


def test_large_horizons_take_no_longer():
    day = FairTicks([5], [0, 0], [0, 10**12], [10**15, 7], [5, 1], 10**17)
    assert most_utility(day) > 10**32
    assert least_makespan(day) == 10**15 + 7


@pytest.mark.parametrize("seed", mostly_slow(range(20), quick=range(5)))
def test_no_schedule_passes_them(seed):
    instance = case(seed)
    for objective in Objective:
        found = brute_force(instance, objective, ScheduleClass.ANY)
        bound = int(objective_bound(instance.scaled(), objective).value)
        assert found is None or objective.sign * bound <= objective.sign * found[0]


def test_they_are_met_as_often_as_not():
    met = dict.fromkeys(Objective, 0)
    for seed in range(12):
        for objective in Objective:
            found = brute_force(case(seed), objective, ScheduleClass.ANY)
            met[objective] += found is not None and found[0] == objective_bound(case(seed).scaled(), objective).value
    assert met[Objective.STRATEGY_PROOF] >= 5 and met[Objective.MAKESPAN] >= 4 and met[Objective.FLOW] >= 1, met
