"""Windows of a log compared with their optima, and figures of simulated policies."""

import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heuristics
import oas
from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.logs import appraisal as study
from oas.logs import simulation, window_appraisal
from oas.logs.logged import LoggedJob
from oas.logs.simulation import measured
from oas.logs.window_appraisal import pulled_forward
from oas.queueing.stream import no_reservations
from oas.solving.brute_force import brute_force
from tests.logs.log_writers import busy_cluster, scheduled
from tests.logs.test_slices import log_of_jobs
from tests.streams import POLICIES, stream_of


def test_an_idle_machine_and_a_queue(at_once):
    """Head of line blocks: first a long narrow job, then a wide one that waits, then a narrow one that need not."""
    log = log_of_jobs([LoggedJob("a", 0, 0, 10, 2), LoggedJob("b", 0, 10, 20, 4), LoggedJob("c", 1, 20, 28, 2)])
    found = oas.appraise(log, time_limit=300, heuristics=["FCFS", "MOCCA"])
    (row,) = found.rows
    assert row.observed is not None and row.best is not None and row.result is not None
    assert (row.observed.makespan, row.best.makespan, row.proven) == (28, 20, True)
    assert row.at_least(row.observed) == row.at_most(row.observed) == F(2, 5)
    assert (row.observed.mean_wait, row.observed.utilisation) == (F(10 + 19, 3), F(20 + 40 + 16, 4 * 28))
    assert row.observed.bounded_slowdown == (1 + F(20, 10) + F(27, 10)) / 3
    assert not oas.verify(row.window.instance, row.result.schedule)
    assert [one.method for one in row.heuristics] == ["FCFS"] and row.heuristics[0].makespan == 20
    assert row.notes[0].startswith("MOCCA: ")  # which knows no releases
    frame = found.to_frame()
    assert frame["method"].to_list() == ["observed", "best", "FCFS"]
    assert frame["above_optimum_most"].to_list() == [0.4, 0.0, 0.0]


@pytest.fixture
def at_once(monkeypatch):
    """Pass windows that bounds do not prove within 0.05 s to CP-SAT."""
    monkeypatch.setattr(window_appraisal, "FIRST_SECONDS", 0.05)


@pytest.mark.parametrize("seed", range(4))
def test_optima_are_those_of_enumeration(seed, at_once):
    """Also among the processors that other jobs hold; and no heuristic ends before."""
    instance = busy_cluster(seed, 8, 4, F(1, 20))
    jobs = [
        LoggedJob(job.id, job.release, run.start, run.end, job.processors)
        for job in instance.jobs
        for run in [scheduled(instance, "SJF")[job.id]]
    ]
    found = oas.appraise(log_of_jobs(jobs), jobs=3, windows=2, skip=1, time_limit=300, heuristics=["FCFS", "LPT"])
    assert len(found.rows) == 2 and not found.skipped and not found.violated
    for row in found.rows:
        assert row.proven and row.window.instance is not None and row.best is not None
        least, _ = brute_force(row.window.instance)
        assert row.best.makespan == least
        assert all(one.makespan >= least for one in row.schedules)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 10), st.sampled_from(["LPT", "conservative"]))
def test_pulled_forward_nobody_is_later(seed, jobs, method):
    instance = busy_cluster(seed, jobs, 6)
    schedule = scheduled(instance, method)
    late = Schedule([later(run, 50) for run in schedule.placements])
    moved = pulled_forward(instance, late)
    assert not oas.verify(instance, moved)
    assert all(moved[run.job].start <= run.start - 50 for run in late.placements)


def later(run, by):
    return Placement(run.job, run.start + by, run.end + by, run.nodes)


def test_a_log_that_holds_too_much_is_compared_with_nothing():
    log = log_of_jobs([LoggedJob("a", 0, 0, 10, 3), LoggedJob("b", 0, 5, 20, 2), LoggedJob("c", 30, 30, 31, 1)])
    found = oas.appraise(log, jobs=2, time_limit=20)
    assert found.violated and found.rows[0].result is None and not found.rows[0].schedules
    assert found.rows[1].proven
    assert not oas.appraise(log, jobs=2, processors=5, time_limit=20).violated


def test_time_and_interruption_leave_windows(monkeypatch):
    log = log_of_jobs([LoggedJob(str(k), k, k, k + 1, 1) for k in range(6)])
    assert oas.appraise(log, jobs=2, total_limit=1e-9).skipped == 3
    calls = []

    def second_is_interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    original = study.appraise_window
    monkeypatch.setattr(study, "appraise_window", second_is_interrupted)
    found = oas.appraise(log, jobs=2, time_limit=20)
    assert (len(found.rows), found.skipped, found.interrupted) == (1, 2, True)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"heuristics": ["best"]}, "heuristic"),
        ({"processors": 0}, "processors"),
        ({"others": "none"}, "others"),
        ({"threshold": 0}, "threshold"),
        ({"busy": 0}, "busy"),
        ({"skip": 9}, "window"),
        ({"formulation": "counts"}, "formulation"),
    ],
)
def test_bad_options_are_named(options, field):
    with pytest.raises(oas.InputError) as caught:
        oas.appraise(log_of_jobs([LoggedJob("a", 0, 0, 10, 3)]), **options)
    assert caught.value.field == field


def test_figures_by_hand():
    """Two jobs in sequence on two processors, one of them reserved until 6; 10 ticks per second."""
    stream = stream_of((20, 50, 1), (30, 200, 2), second=10).started([20, 70])
    found = measured("X", stream, 2, np.array([(0, 60, 1)]), F(10))
    assert found.makespan == 25  # from 2 s to 27 s
    assert found.utilisation == F(50 + 400, 2 * 250 - 40)
    assert (found.wait.mean, found.wait.median, found.wait.percentile95, found.wait.most) == (2.0, 2.0, 4.0, 4.0)
    assert found.bounded_slowdown.most == 24 / 20 and found.bounded_slowdown.mean == 1.1


def test_promises_are_held_against_the_policy_of_their_name(monkeypatch):
    """EASY's schedule is no conservative one: who mixes them up is found out."""
    stream = stream_of((0, 10, 2), (1, 10, 3), (1, 10, 4), (3, 20, 1))
    easy = simulation.find_policy("EASY")
    monkeypatch.setattr(simulation, "find_policy", lambda _: replace(easy, name="conservative"))
    found = oas.simulate(stream, "conservative", processors=4)
    assert [one.rule for one in found.rows[0].violations] == ["promise"]


def test_times_beyond_what_can_be_counted():
    with pytest.raises(InputError, match=r"time: all running times, \d+ ticks in all, after 2 reach 2\^62 ticks"):
        oas.simulate(stream_of((0, 2**61, 1), (2, 2**61, 1)), processors=1)
    with pytest.raises(InputError, match=r"reach 2\^62 ticks"):
        oas.simulate(stream_of((0, 2**61, 1)), processors=1, reservations=[(2**61, 2**61 + 5, 1)])
    longest = 2**62 - 10
    for policy in POLICIES:
        found = oas.simulate(stream_of((0, longest, 1), (3, 2, 1)), policy, processors=1)
        assert not found.violated and found.rows[0].makespan in (longest + 2, longest + 5)
    assert math.isfinite(found.to_frame()["bounded_slowdown_most"].max())


def test_large_areas_are_exact():
    stream = stream_of((0, 2**40, 10**9), (0, 2**40 + 1, 10**9)).started([0, 2**40])
    found = measured("X", stream, 10**9, no_reservations(), F(10))
    assert found.utilisation == 1


def test_a_function_is_a_heuristic():
    def mine(instance, *, seed=0):
        return heuristics.FCFS(instance)

    appraisal = oas.appraise(oas.example_path("batsim-jobs.csv"), processors=16, jobs=3, windows=1, heuristics=[mine])
    assert [row.method for row in appraisal.rows[0].heuristics] == ["mine"] and not appraisal.violated
