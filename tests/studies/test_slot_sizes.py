"""The sweep over slot sizes: optima, the split of the loss, what is carried over, limits and Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oas
from oas.core.errors import InfeasibleError, InputError, SolverError, TooLargeError
from oas.core.metrics import compaction
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.metrics import executed
from oas.studies.slot_sizes import study as module
from oas.studies.slot_sizes.bound_transfer import carry_over
from oas.studies.slot_sizes.points import Interval, loss_of
from tests.problems.mosp.instances import random_instance
from tests.slow import every_fourth_quick

PERCENTS = (30, 60, 100, 180)


def one_node(*times):
    """Serial jobs on one node."""
    jobs = [Job(f"J{index}", 1, time) for index, time in enumerate(times)]
    return CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], jobs)


# 7/5 and 3/5: mean 1, so η = 100 % is 1; they then take 2 slots and 1, and without a grid 2 in all.
WASTEFUL = one_node("7/5", "3/5")


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_every_point_is_the_optimum_and_the_split_adds_up(seed):
    instance = tiny(seed=seed)
    study = oas.slot_study(instance, PERCENTS)
    optimum = brute_force(instance.with_slot(0))[0]
    assert [point.percent for point in study.points] == [0, *PERCENTS]
    assert study.reference is study.points[0] and study.reference.makespan == optimum
    for point in study.points:
        grid = instance.with_slot(point.slot)
        assert point.slot == instance.mean_base_time * point.percent / 100
        assert point.proven and point.makespan == brute_force(grid)[0] and verify(grid, point.schedule) == []
        run = executed(instance, point.schedule)
        assert point.executed == run.makespan
        assert (point.compaction, point.executed_compaction) == (
            compaction(grid, point.schedule),
            compaction(instance, run),
        )
        loss = point.loss
        assert loss.rounding >= 0 and loss.scheduling.exact and loss.scheduling.low >= 0
        assert loss.rounding + loss.scheduling.low == loss.total.low == loss.total.high == point.makespan - optimum
        assert loss.of_the_size == loss.total


def test_where_an_optimum_is_not_proven_the_loss_is_a_range():
    # C*(0) in [9, 10], S = 14 with S* at least 12, E = 11.
    loss = loss_of(*map(F, (14, 11, 12, 9, 10)))
    assert loss.rounding == 3 and loss.scheduling == Interval(1, 2)
    assert loss.total == Interval(4, 5) and loss.of_the_size == Interval(2, 5)
    assert loss_of(*map(F, (14, 11, 8, 9, 10))).of_the_size == Interval(0, 5)  # never below 0


# Carrying


@given(st.integers(0, 11), st.integers(1, 200), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_a_schedule_runs_again_on_any_grid_and_a_finer_one_costs_nothing(seed, percent, parts):
    instance = tiny(seed=seed)
    slot = instance.mean_base_time * percent / 100
    schedule = oas.solve(instance.with_slot(slot)).schedule
    for other in (slot / parts, slot * 2, slot * F(7, 10), F(0)):
        again = executed(instance, schedule, other)
        assert verify(instance.with_slot(other), again) == []
        if other == 0 or slot % other == 0:
            assert all(again[one.job].end <= one.end for one in schedule.placements)


def results_of(instance, *slots):
    return {F(slot): oas.solve(instance.with_slot(slot)) for slot in slots}


def test_a_shorter_schedule_and_a_higher_bound_are_carried_over():
    results = results_of(WASTEFUL, 0, "1/5", 1)
    worse = oas.Schedule([oas.Placement("J0", 0, 2, {"A": [0]}), oas.Placement("J1", 9, 10, {"A": [0]})])
    results[F(1)] = replace(results[F(1)], schedule=worse, lower_bound=F(1), status=Status.FEASIBLE)
    held = carry_over(WASTEFUL, results)[F(1)]
    assert held.schedule.makespan == 3
    # 2 at η = 0 and at η = 1/5, of which 1 is a multiple: the first that says so is named.
    assert (held.lower_bound, held.bound_from) == (2, 0)


def test_a_bound_is_not_carried_to_a_grid_that_is_no_multiple():
    # One job of 1: 2 on the grid 2/3 · 3, 1 on the grid 1/2 and 4/3 on the grid 2/3; 4/3 is no bound at η = 1.
    instance = one_node(1)
    held = carry_over(instance, results_of(instance, 0, "2/3", 1))
    assert (held[F(2, 3)].lower_bound, held[F(1)].lower_bound, held[F(1)].schedule.makespan) == (F(4, 3), 1, 1)


@pytest.mark.parametrize(("wrong", "of"), [(0, "1/5"), ("1/5", 1)])
def test_points_that_contradict_one_another_are_an_error(wrong, of):
    results = results_of(WASTEFUL, 0, "1/5", 1)
    results[F(wrong)] = replace(results[F(wrong)], lower_bound=F(7, 2))
    with pytest.raises(SolverError, match=f"proven at η = {wrong} says"):
        carry_over(WASTEFUL, results)


# Advice


def study_of(*rows):
    """A study with made-up figures; a row is percent, lower bound, slotted and executed makespan."""
    real = oas.slot_study(WASTEFUL, [100])
    points = []
    for percent, bound, makespan, run in rows:
        schedule = oas.Schedule([oas.Placement("J0", 0, makespan, {"A": [0]})])
        slot = F(percent, 100)
        shown = {"percent": F(percent), "slot": slot, "schedule": schedule, "lower_bound": F(bound), "executed": F(run)}
        points.append(replace(real.points[0], **shown))
    return replace(real, points=tuple(points))


def test_advice_is_the_largest_size_within_and_says_how_sure_that_is():
    study = study_of(
        (0, 100, 100, 100), (5, 102, 102, 100), (10, 107, 107, 101), (20, 105, 105, 103), (30, 120, 120, 106)
    )
    assert (study.advice(5).percent, study.advice(5).proven) == (20, True)
    assert study.advice("4.9").percent == 5 and study.advice(0).percent == 0
    assert study.advice(5, executed=True).percent == 20 and study.advice(6, executed=True).percent == 30
    with pytest.raises(InputError, match="within: must not be negative"):
        study.advice(-1)


def test_advice_names_what_is_undecided():
    study = study_of((0, 98, 100, 100), (5, 101, 102, 100), (10, 104, 109, 101), (20, 106, 107, 107))
    advice = study.advice(5)
    assert (advice.percent, advice.proven, advice.undecided) == (5, False, (10,))
    assert study.advice(1).percent is None and study.advice(1).undecided == (0, 5)
    with pytest.raises(InputError, match="η = 0 was not reached"):
        replace(study, points=study.points[1:]).advice()


# The sweep


@pytest.fixture
def asked(monkeypatch):
    """Slot size and options of each solve."""
    solve, calls = module.solve, []

    def record(instance, **options):
        calls.append((instance.slot, options))
        return solve(instance, **options)

    monkeypatch.setattr(module, "solve", record)
    return calls


@pytest.mark.parametrize(("when", "left"), [(F(5, 2), [250]), (1, [100, 250]), (0, [0, 10, 100, 250])])
def test_ctrl_c_keeps_what_is_finished(monkeypatch, when, left):
    solve = module.solve

    def interrupted(instance, **options):
        found = solve(instance, **options)
        return replace(found, termination=Termination.INTERRUPTED) if instance.slot == when else found

    monkeypatch.setattr(module, "solve", interrupted)
    study = oas.slot_study(WASTEFUL, [10, 100, 250])
    assert study.interrupted and [point.percent for point in study.points] == left
    assert (study.reference is None) == (when != 0)
    assert all((point.loss is None) == (when != 0) for point in study.points)


def test_instances_without_an_answer():
    with pytest.raises(InputError, match="problem: only instances of co-allocation have time slots"):
        oas.slot_study(random_instance(3))
    narrow = CoallocationInstance(
        [Cluster("A", [NodeGroup(1, 1)], 1), Cluster("B", [NodeGroup(1, 1)], 1)], [Job("wide", 2, 1, bandwidth=5)]
    )
    with pytest.raises(InfeasibleError, match="no allocation exists for wide"):
        oas.slot_study(narrow)
    with pytest.raises(TooLargeError, match="coarser times are needed"):
        oas.slot_study(one_node(*(1 + F(1, prime) for prime in (100003, 100019, 100043, 100049))))
