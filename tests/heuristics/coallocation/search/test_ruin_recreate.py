"""Ruin and recreate of co-allocated jobs: feasible, deterministic, better than its start and annealing."""

from __future__ import annotations

from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from heuristics.coallocation.search import ruin_recreate
from heuristics.coallocation.search import ruin_recreate_kernels as kernels
from heuristics.coallocation.search import ruin_recreate_placing as placing
from heuristics.coallocation.search.annealing_arrays import link_load, make_problem
from heuristics.coallocation.search.ruin_recreate import job_weights, make_memory
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.heuristics.coallocation.search.searches import by_tasks, several_classes
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from heuristics.coallocation.search.annealing_kernels import Problem
    from oas.problems.coallocation.ticks import ScaledCoallocation

LOGS = [0.1, 1.0, 5.0]  # how many temperatures worse a step may be


def ruined(scaled: ScaledCoallocation, seed: int) -> tuple[Problem, kernels.Memory, list[int]]:
    """Jobs placed within a tight horizon, none at first; what one call of the loops leaves, and the random state."""
    problem = make_problem(scaled)
    assert problem is not None
    memory = make_memory(scaled, problem, job_weights(scaled, by_tasks(scaled)))
    own = kernels.job_width(problem)
    for job in range(scaled.job_count):
        memory.jobs[job * own + kernels.START] = -1
    kernels.rebuild.function(problem, memory, horizon_of(scaled))
    state = [seed + 1, seed + 2]
    kernels.anneal.function(problem, memory, state, LOGS, 8, [1.0], 0.9)
    return problem, memory, state


def horizon_of(scaled: ScaledCoallocation) -> int:
    return sum(times[-1] for times in scaled.durations) // 3 + 1


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_profile_and_jobs_stay_in_step(seed: int) -> None:
    """After any number of steps, taken back or not, the profile is the one that the placed jobs make."""
    scaled = several_classes(seed).scaled()
    problem, memory, state = ruined(scaled, seed)
    width = kernels.row_width(problem)
    for _ in range(5):
        rows = memory.rows[0]
        found = (memory.profile[: (rows - 1) * width], memory.uses[:rows])
        kernels.rebuild.function(problem, memory, horizon_of(scaled))
        assert memory.rows[0] == rows
        assert (memory.profile[: (rows - 1) * width], memory.uses[:rows]) == found
        kernels.anneal.function(problem, memory, state, LOGS, 8, [1.0], 0.9)


@pytest.mark.parametrize("seed", range(12))
def test_a_row_of_the_profile_holds_what_running_jobs_leave(seed: int) -> None:
    """Nodes and links, by their definitions, at every moment at which a job starts or ends."""
    scaled = several_classes(seed).scaled()
    problem, memory, _ = ruined(scaled, seed)
    own, width, classes, levels = kernels.job_width(problem), kernels.row_width(problem), scaled.classes, scaled.powers
    jobs = [memory.jobs[job * own : (job + 1) * own] for job in range(scaled.job_count)]
    placed = [(job, row[kernels.START], row[kernels.TIME], row[kernels.COUNTS :]) for job, row in enumerate(jobs)]
    placed = [one for one in placed if one[1] >= 0]
    moments = {0, *(start for _, start, _, _ in placed), *(start + time for _, start, time, _ in placed)}
    rows = [memory.profile[row * width : (row + 1) * width] for row in range(memory.rows[0])]
    assert [row[0] for row in rows] == sorted(moments | {horizon_of(scaled)})
    for row in rows[:-1]:
        running = [(job, held) for job, start, time, held in placed if start <= row[0] < start + time]
        free = [len(one.nodes) - sum(held[c] for _, held in running) for c, one in enumerate(classes)]
        by_level = [
            sum(count for one, count in zip(classes, free, strict=True) if one.level <= level)
            for level in range(len(levels))
        ]
        links = [
            problem.empty[1 + len(levels) + len(classes) + k]
            - sum(link_load(scaled.link_loads[job][held[len(classes) + k]], capacity) for job, held in running)
            for k, capacity in enumerate(scaled.link_capacity)
        ]
        assert min(free + links) >= 0
        assert row[1:] == by_level + free + links


@pytest.mark.parametrize("seed", range(10))
def test_places_found_are_the_earliest_latest_and_tightest(seed: int, monkeypatch) -> None:
    """Held against every start or end at a moment of the profile, with nothing passed over."""
    monkeypatch.setattr(kernels, "BLINKS", 0)
    scaled = several_classes(seed).scaled()
    problem, memory, state = ruined(scaled, seed)
    own, width, levels = kernels.job_width(problem), kernels.row_width(problem), len(scaled.powers)
    for job in range(min(4, scaled.job_count)):
        if memory.jobs[job * own + kernels.START] >= 0:
            kernels.take_out(problem, memory, job)
        rows = memory.rows[0]
        moments = [memory.profile[row * width] for row in range(rows)]
        for level in sorted({problem.canonical[job * levels + other] for other in range(levels)}):
            time, asked = problem.times[job * levels + level], (problem, memory, job, level, 0)
            starts = {*moments[:-1], *(moment - time for moment in moments)}
            waste = {}
            for start in sorted(start for start in starts if 0 <= start <= moments[-1] - time):
                under = [r for r in range(rows - 1) if moments[r] < start + time and moments[r + 1] > start]
                if placing.split_over_rows(*asked, under[0], under[-1] + 1):
                    waste[start] = sum(
                        (memory.profile[r * width + levels] - scaled.tasks[job])
                        * (min(start + time, moments[r + 1]) - max(start, moments[r]))
                        for r in under
                    )
            at_start = [start for start in waste if start in moments]
            at_end = [start for start in waste if start + time in moments]
            assert kernels.earliest(*asked, state) == min(at_start, default=-1)
            assert kernels.latest(*asked, state) == max(at_end, default=-1)
            tightest = kernels.tightest(*asked, state)
            assert waste[tightest] == min(waste.values()) if waste else tightest == -1


def test_a_split_needs_nodes_and_links_in_every_row() -> None:
    """A job wider than either cluster, over two rows: one of them empty, in the other something is taken."""
    clusters = [Cluster(name, [NodeGroup(2, F(1))], F(10)) for name in ("A", "B")]
    scaled = CoallocationInstance(clusters, [Job("J", 3, F(4), F(1), F(7, 10))]).scaled()
    problem = make_problem(scaled)
    assert problem is not None
    memory = make_memory(scaled, problem, [1.0])
    width = kernels.row_width(problem)
    empty = list(problem.empty)
    assert empty[1:4] == [4, 2, 2] and min(empty[4:]) > 0
    for column, left, fits in ((2, 1, True), (2, 0, False), (4, 0, False), (5, 0, False)):
        other = [*empty[:column], left, *empty[column + 1 :]]
        for rows in ((empty, other), (other, empty)):
            memory.profile[: 2 * width] = [*rows[0], *rows[1]]
            assert placing.split_over_rows(problem, memory, 0, 0, 0, 0, 2) == fits
            for row in (0, 1):
                alone = placing.split_over_rows(problem, memory, 0, 0, 0, row, row + 1)
                assert alone == (fits or rows[row] is empty)


@pytest.mark.parametrize("seed", range(10))
def test_alone_a_job_starts_at_once_or_ends_with_the_horizon(seed: int, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "BLINKS", 0)
    scaled = several_classes(seed).scaled()
    problem, memory, state = ruined(scaled, seed)
    own, horizon = kernels.job_width(problem), max(times[-1] for times in scaled.durations)
    for job in range(scaled.job_count):
        for manner in (0, 1):
            for other in range(scaled.job_count):
                memory.jobs[other * own + kernels.START] = -1
            kernels.rebuild.function(problem, memory, horizon)
            assert kernels.place_job(problem, memory, job, manner, state)
            start, time = memory.jobs[job * own + kernels.START], memory.jobs[job * own + kernels.TIME]
            assert start == (horizon - time if manner else 0)


def test_a_step_is_over_when_all_are_placed() -> None:
    scaled = several_classes(1).scaled()
    problem, memory, state = ruined(scaled, 1)
    kernels.rebuild.function(problem, memory, sum(times[-1] for times in scaled.durations))
    assert kernels.anneal.function(problem, memory, state, LOGS, 200, [1.0], 1.0) < 100
    stood, own = list(state), kernels.job_width(problem)
    assert min(memory.jobs[kernels.START :: own]) >= 0
    assert kernels.anneal.function(problem, memory, state, LOGS, 10, [1.0], 1.0) == 0
    assert state == stood


@pytest.mark.parametrize("seed", range(8))
def test_without_heat_no_more_weight_is_left_unplaced(seed: int) -> None:
    scaled = several_classes(seed).scaled()
    problem, memory, state = ruined(scaled, seed)
    own = kernels.job_width(problem)

    def unplaced() -> float:
        starts = memory.jobs[kernels.START :: own]
        return sum(weight for weight, start in zip(memory.weights, starts, strict=True) if start < 0)

    last = unplaced()
    for _ in range(20):
        kernels.anneal.function(problem, memory, state, LOGS, 1, [0.0], 1.0)
        assert unplaced() <= last + 1e-9
        last = unplaced()


def test_leaving_a_job_out_costs_what_it_needs_at_its_cheapest_level() -> None:
    scaled = several_classes(3).scaled()
    levels = len(scaled.powers)
    weights = [[(job + 1) * (3 if level else 10) for level in range(levels)] for job in range(scaled.job_count)]
    problem = make_problem(scaled)
    assert problem is not None and levels > 1
    reach = [{problem.canonical[job * levels + level] for level in range(levels)} for job in range(scaled.job_count)]
    needs = [
        min(weights[job][level] * scaled.durations[job][level] for level in range(min(reach[job]), levels))
        for job in range(scaled.job_count)
    ]
    found = [one - ruin_recreate.LEAST_WEIGHT for one in job_weights(scaled, weights)]
    assert found == pytest.approx([scaled.job_count * need / sum(needs) for need in needs])
