"""Utilities, objectives and metrics of fair sharing: the paper's figures and propositions, counts unit by unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.fair.objectives import (
    Objective,
    ScheduleClass,
    class_violations,
    objective_value,
    open_at_horizon,
)
from oas.fair.ticks import NOT_STARTED, FairTicks, schedule_from_starts, starts_from_schedule
from oas.fair.utilities import (
    completed_work,
    distance,
    flow_time,
    strategy_proof,
    strategy_proof_over_time,
)
from tests.fair.instances import counted_utilities, fair, feasible, placed

FIGURE = [0, 0, 0, 3, 3, 4, 6, 9, 10]  # starts of J1, …, J9 in figure 1
OTHER = 9  # start of the other organization's job


def figure(*, without="", **starts):
    """The jobs of figure 1 and their starts, some of them changed."""
    begins = {f"J{i}": start for i, start in enumerate(FIGURE, start=1)} | {"K1": OTHER} | starts
    ticks = oas.load_example("fair").scaled()
    return ticks, [NOT_STARTED if name == without else start for name, start in begins.items()]


def one(ticks_and_starts, moment=14):
    """ψ_sp of the first organization."""
    return strategy_proof(*ticks_and_starts, moment)[0]


def test_figure_1():
    instance = oas.load_example("fair")
    ticks, starts = figure()
    schedule = schedule_from_starts(instance, starts)
    assert verify(instance, schedule) == []
    assert strategy_proof(ticks, starts, 13)[0] == 262
    assert strategy_proof(ticks, starts, 14)[0] == 297
    assert flow_time(ticks, starts, 14)[0] == 70
    assert [one.strategy_proof for one in counted_utilities(instance, schedule, 13)] == [262, 10]
    assert [one.strategy_proof for one in counted_utilities(instance, schedule)] == [297, 15]
    assert [one.flow_time for one in counted_utilities(instance, schedule)] == [70, 14]


def test_figure_1_changed():
    """Without the other's job J9 starts at 9: +4, flow −1; J6 one later: −6, flow +1; no J9: −10, flow −14.

    The print says of the second that the flow time would decrease by 1: it grows.
    """
    flow = flow_time(*figure(), 14)[0]
    earlier, later, less = figure(without="K1", J9=9), figure(J6=5), figure(without="J9")
    assert one(earlier) - one(figure()) == 4 and flow_time(*earlier, 14)[0] - flow == -1
    assert one(later) - one(figure()) == -6 and flow_time(*later, 14)[0] - flow == 1
    assert one(less) - one(figure()) == -10 and flow_time(*less, 14)[0] - flow == -14


@pytest.mark.parametrize("seed", range(30))
def test_polynomials_are_what_counting_gives(seed):
    instance, schedule = feasible(seed)
    ticks, starts = instance.scaled(), starts_from_schedule(instance, schedule)
    last = int(schedule.makespan) + 2
    curve = strategy_proof_over_time(ticks, starts, np.arange(last))
    for moment in range(last):
        counted = counted_utilities(instance, schedule, moment)
        psi = strategy_proof(ticks, starts, moment)
        assert psi == [one.strategy_proof for one in counted] == curve[:, moment].tolist()
        assert completed_work(ticks, starts, moment) == [one.completed_work for one in counted]
        assert flow_time(ticks, starts, moment) == [one.flow_time for one in counted]


jobs = st.tuples(st.integers(0, 30), st.integers(1, 12))
schedules = st.lists(jobs, max_size=5)


def psi(pieces, moment):
    """ψ_sp of jobs that run on machines of their own."""
    if not pieces:
        return 0
    starts, times = zip(*pieces, strict=True)
    count = len(pieces)
    ticks = FairTicks([count], [0] * count, [0] * count, times, [1] * count, 10**6)
    return strategy_proof(ticks, starts, moment)[0]


@given(schedules, schedules, st.integers(1, 12), st.data())
def test_tasks_are_anonymous_in_their_starting_times(one, other, time, data):
    """A job that is over pays as much for one moment less, whenever it starts and whatever else there is."""
    moment = data.draw(st.integers(time + 1, 60))
    starts = st.integers(0, moment - time - 1)
    gains = [
        psi([*rest, (start, time)], moment) - psi([*rest, (start + 1, time)], moment)
        for rest, start in ((one, data.draw(starts)), (other, data.draw(starts)))
    ]
    assert gains[0] == gains[1] == time


@given(schedules, schedules, jobs, st.integers(1, 60))
def test_tasks_are_anonymous_in_their_number(one, other, job, moment):
    """A further job pays the same whatever else there is, and more than nothing once a unit of it is over."""
    gains = [psi([*rest, job], moment) - psi(rest, moment) for rest in (one, other)]
    assert gains[0] == gains[1] and (gains[0] > 0) == (job[0] < moment)


@given(schedules, jobs, st.integers(1, 12), st.integers(0, 60))
def test_nothing_is_gained_by_splitting_or_merging(rest, job, more, moment):
    """With the print's "+" between schedules read as their union: it counts the rest twice."""
    start, time = job
    assert psi([*rest, job, (start + time, more)], moment) == psi([*rest, (start, time + more)], moment)


@given(st.integers(1, 6), st.lists(st.integers(0, 20), min_size=1, max_size=6), st.data())
def test_proposition_4_2(time, releases, data):
    """Jobs of one length that have all ended: ψ_sp = n(pt + (p² + p)/2 − …) − p·flow; the print's "− r" is "− p·r"."""
    releases = sorted(releases)
    count = len(releases)
    ticks = FairTicks([count], [0] * count, releases, [time] * count, [1] * count, 10**6)
    moment = 60
    constants = set()
    for _ in range(2):
        starts = [data.draw(st.integers(release, moment - time)) for release in releases]
        value, flow = strategy_proof(ticks, starts, moment)[0], flow_time(ticks, starts, moment)[0]
        constants.add(value + time * flow)
        assert 2 * value == count * (2 * time * moment + time * time + time) - 2 * time * (sum(releases) + flow)
    assert len(constants) == 1


def test_proposition_5_4_is_of_unit_jobs():
    instance = fair((1, [(3,)]), (1, [(1,), (2,)]), horizon=4)
    ticks, values = instance.scaled(), set()
    for starts in ([0, 0, 1], [1, 0, 0]):
        assert verify(instance, schedule_from_starts(instance, starts)) == []
        values.add(sum(strategy_proof(ticks, starts)))
    assert len(values) == 2


def test_moments_and_starts_that_are_refused():
    ticks, starts = figure()
    for utility in (strategy_proof, completed_work, flow_time):
        assert utility(ticks, starts) == utility(ticks, starts, ticks.horizon)
        for moment in (-1, 2.5, "3", True):
            with pytest.raises(InputError, match="moment"):
                utility(ticks, starts, moment)
    with pytest.raises(InputError, match=r"moments\[1\]"):
        strategy_proof_over_time(ticks, starts, [1, -1])
    for utility in (strategy_proof, completed_work, flow_time, lambda *given: strategy_proof_over_time(*given, [1])):
        for wrong in ([0] * 9, [-2] * 10, [0.5] * 10):
            with pytest.raises(InputError, match="starts"):
                utility(ticks, wrong)


@pytest.mark.parametrize("shift", [0, 1, 20, 30, 31, 32, 40, 61])
def test_nothing_wraps(shift):
    """Everything 2^shift later, looked at that much later: ψ_sp is what its formula says, in Python's integers."""
    times, widths = [3, 2**shift, 1, 2**shift + 1], [1, 2**20, 2**30, 1]
    starts = [0, 2**shift - 1, 2**shift, 2**shift // 2]
    ticks = FairTicks([2**30], [0] * 4, [0] * 4, times, widths, 2**62 - 1)
    for moment in (2**shift, 2**shift + 7, 2 ** (shift + 1), 2**62 - 1, 2**70):
        expected = work = 0
        for start, time, width in zip(starts, times, widths, strict=True):
            over = max(0, min(start + time, moment) - start)
            work += width * over
            expected += width * sum_of(moment - start - over + 1, moment - start)
        assert strategy_proof(ticks, starts, moment) == [expected]
        assert completed_work(ticks, starts, moment) == [work]
        if moment < 2**62:
            assert strategy_proof_over_time(ticks, starts, [moment]).tolist() == [[expected]]


def sum_of(first, last):
    """first + … + last; 0 where there is nothing between them."""
    return (first + last) * (last - first + 1) // 2 if first <= last else 0


# Two processors; a2 must wait for a1, b1 is released at 1.
HAND = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)


def objectives_of(schedule):
    return {one: objective_value(HAND, schedule, one) for one in Objective}


def test_objectives_by_hand():
    """Greedy, a2 starts beside a1, and b1 waits for it; with a processor kept idle at 0 everything ends sooner."""
    greedy = placed(HAND, {"a1": 0, "a2": 0, "b1": 2})
    assert class_violations(HAND, greedy, ScheduleClass.GREEDY) == []
    assert objectives_of(greedy) == {
        "psi_sp": (6 + 5 + 4) + (6 + 5) + (4 + 3 + 2 + 1),
        "flow": 3 + 2 + 5,
        "makespan": 6,
    }
    idle = placed(HAND, {"a1": 0, "b1": 1, "a2": 3})
    assert class_violations(HAND, idle, ScheduleClass.ANY) == []
    assert objectives_of(idle) == {"psi_sp": (6 + 5 + 4) + (5 + 4 + 3 + 2) + (3 + 2), "flow": 3 + 4 + 5, "makespan": 5}
    assert open_at_horizon(HAND, greedy) == open_at_horizon(HAND, idle) == ""


def test_any_schedule_may_idle_but_keeps_the_order():
    lazy = placed(HAND, {"a1": 1, "b1": 1, "a2": 4})
    assert class_violations(HAND, lazy, ScheduleClass.ANY) == []
    assert {one.rule for one in class_violations(HAND, lazy, ScheduleClass.GREEDY)} == {"greedy"}
    assert class_violations(HAND, placed(HAND, {}), ScheduleClass.ANY) == []
    skipped = class_violations(HAND, placed(HAND, {"a2": 0}), ScheduleClass.ANY)
    assert {one.rule for one in skipped} == {"fifo"}
    early = class_violations(HAND, placed(HAND, {"b1": 0}), ScheduleClass.ANY)
    assert {one.rule for one in early} == {"start"}


def test_distance_from_the_fair_schedule():
    ticks = fair((1, [(3,), (1,)]), (1, [(2,)]), horizon=6).scaled()
    ideal, other = [0, 2, 0], [0, 3, 0]
    values, reference = strategy_proof(ticks, other), strategy_proof(ticks, ideal)
    assert (values, reference) == ([6 + 5 + 4 + 3, 6 + 5], [6 + 5 + 4 + 4, 6 + 5])
    assert distance(values, reference) == 1 == distance(reference, values)
    assert distance([3, 9], [5, 4]) == 7


def test_sums_of_many_do_not_wrap():
    """Each job's ψ_sp is below 2^62, that of all is not."""
    count, moment = 1000, 2**30
    ticks = FairTicks([count], [0] * count, [0] * count, [moment] * count, [1] * count, moment)
    value = strategy_proof(ticks, [0] * count)[0]
    assert value == count * moment * (moment + 1) // 2 > 2**63
    flows = FairTicks([4], [0] * 4, [0] * 4, [2**61] * 4, [1] * 4, 2**62 - 1)
    assert flow_time(flows, [0] * 4) == [4 * 2**61]
