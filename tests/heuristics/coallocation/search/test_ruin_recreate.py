"""Ruin and recreate of co-allocated jobs: feasible, deterministic, better than its start and annealing."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction as F
from typing import TYPE_CHECKING, Any

import pytest

from heuristics.coallocation.search import ruin_recreate
from heuristics.coallocation.search import ruin_recreate_kernels as kernels
from heuristics.coallocation.search import ruin_recreate_placing as placing
from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.annealing_arrays import link_load, make_problem
from heuristics.coallocation.search.ruin_recreate import RuinSearch, job_weights, make_memory
from heuristics.registry import own_methods
from oas.core.result import Bound
from oas.exact.coallocation import search
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological.search import Weights
from oas.exact.coallocation.search import CoallocationExactSearch
from oas.exact.evidence import Evidence
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import runs_from_schedule, schedule_from_runs
from tests.heuristics.coallocation.search.test_annealing import checked, several_classes
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.coallocation.search.annealing_kernels import Problem
    from oas.problems.coallocation.runs import Run
    from oas.problems.coallocation.ticks import ScaledCoallocation

LOGS = [0.1, 1.0, 5.0]  # how many temperatures worse a step may be


def worst_list(instance: CoallocationInstance) -> list[Run]:
    schedule = max(
        (method(instance) for method in own_methods(CoallocationInstance)), key=lambda schedule: schedule.makespan
    )
    return runs_from_schedule(instance, instance.scaled(), schedule)


def by_tasks(scaled: ScaledCoallocation) -> list[list[int]]:
    return [[tasks] * len(scaled.powers) for tasks in scaled.tasks]


def search_of(instance: CoallocationInstance, seed: int = 0, *, compiled: bool | None = None) -> RuinSearch:
    scaled = instance.scaled()
    return RuinSearch(scaled, worst_list(instance), by_tasks(scaled), seed, compiled=compiled)


def makespan(runs: Sequence[Run]) -> int:
    return max(run.end for run in runs)


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_tiny_instances_are_solved_to_the_optimum(seed: int) -> None:
    instance = tiny(seed=seed)
    best, _ = brute_force(instance)
    target = int(best / instance.scaled().tick)
    assert checked(instance, search_of(instance, seed).improve(target, 20_000)).makespan == best


@pytest.mark.parametrize("seed", every_fourth_quick(range(22)))
def test_plain_and_compiled_loops_agree(seed: int) -> None:
    instance = several_classes(seed)
    plain, compiled = (search_of(instance, seed, compiled=value) for value in (False, True))
    last = plain.makespan
    for steps in (1, 60, 60):
        runs = plain.improve(last * 9 // 10, steps)
        assert runs == compiled.improve(last * 9 // 10, steps)
        assert makespan(runs) <= last
        checked(instance, runs)
        last = makespan(runs)


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


@pytest.mark.parametrize("seed", range(10))
def test_every_schedule_of_plain_loops_passes_the_verifier(seed: int) -> None:
    instance = several_classes(seed)
    search = search_of(instance, seed, compiled=False)
    last = search.makespan
    for steps in (1, 20, 30):
        runs = search.improve(last * 9 // 10, steps)
        checked(instance, runs)
        assert makespan(runs) == search.makespan <= last
        last = search.makespan


@pytest.mark.parametrize("seed", range(8))
def test_plain_loops_solve_tiny_instances(seed: int) -> None:
    instance = tiny(seed=seed)
    best, _ = brute_force(instance)
    search = search_of(instance, seed, compiled=False)
    assert checked(instance, search.improve(int(best / instance.scaled().tick), 300)).makespan == best


def test_plain_calls_cut_as_they_may_find_the_same(monkeypatch) -> None:
    monkeypatch.setattr(ruin_recreate, "ROUND", 10)
    once, often, other = (search_of(several_classes(8), seed, compiled=False) for seed in (3, 3, 4))
    once.improve(0, 60)
    for steps in (1, 14, 1, 20, 24):
        often.improve(0, steps)
    found = (once.best, *once._state, *once._heat, once._left, once._failures)
    assert found == (often.best, *often._state, *often._heat, often._left, often._failures)
    assert once._failures > 1 and 0 < once._left <= once._length
    other.improve(0, 60)
    assert list(once._memory.jobs) != list(other._memory.jobs)


def test_no_start_makes_it_worse_and_none_is_needed_at_the_target() -> None:
    instance = section4(jobs=12, slot_percent=10)
    scaled = instance.scaled()
    good = AnnealingSearch(scaled, 1, compiled=False).improve(0, 60)
    assert good is not None
    search = search_of(instance, compiled=False)
    worst = search.makespan
    search.improve(0, 5)
    assert makespan(good) <= search._goal < worst  # the round at hand is for what is no longer wanted
    assert search.improve(0, 0, good) == good == search.improve(0, 0, worst_list(instance))
    tried = search.tried
    assert search.improve(makespan(good), 100) == good and search.tried == tried
    assert makespan(search.improve(0, 3)) <= makespan(good) and search._goal < search.makespan


class PlainRuin(RuinSearch):
    """Never compiled, so that a test of what drives it is quick."""

    def __init__(self, *asked: Any) -> None:
        super().__init__(*asked, compiled=False)


@pytest.fixture
def ruin_of_few(monkeypatch):
    """Few jobs are ruined and recreated too."""
    monkeypatch.setattr(search, "MANY_JOBS", 2)
    monkeypatch.setattr(search, "RuinSearch", PlainRuin)


def exact_search_of(instance: CoallocationInstance, target: F) -> CoallocationExactSearch:
    """The worst schedule of a list, `target` for a bound, and weights that differ from job to job."""
    scaled = instance.scaled()
    evidence = Evidence(instance)
    assert evidence.offer(schedule_from_runs(instance, scaled, worst_list(instance)), "list") is None
    evidence.bound = Bound("told", target, {})
    exact = CoallocationExactSearch(evidence, 0, lambda: None, lambda: None)
    weights = tuple((job + 1,) * len(scaled.powers) for job in range(scaled.job_count))
    exact.duals = [Weights(weights, 10**6), Weights(weights[::-1], 10**6)]
    return exact


@pytest.mark.usefixtures("ruin_of_few")
def test_the_exact_search_ruins_and_recreates_once_there_are_weights() -> None:
    instance = several_classes(8)
    exact = exact_search_of(instance, F(0))
    weights, exact.duals = exact.duals, []
    exact._search_locally(5)
    assert isinstance(exact.local, AnnealingSearch)
    exact.duals = weights
    exact._search_locally(5)
    search = exact.local
    assert isinstance(search, RuinSearch)
    assert list(search._memory.weights) == job_weights(exact.scaled, weights[0].weights)
    exact._search_locally(5)
    assert exact.local is search and search.tried == 10
    assert exact.upper == search.makespan


@pytest.mark.usefixtures("ruin_of_few")
def test_the_exact_search_offers_what_ruin_finds_and_tells_it_what_others_find() -> None:
    improved = 0
    for seed in range(8):
        instance = tiny(seed=seed)
        best, schedule = brute_force(instance)
        if makespan(worst_list(instance)) * instance.scaled().tick == best:
            continue
        exact = exact_search_of(instance, best)
        exact._search_locally(300)
        assert exact.evidence.makespan == best and exact.evidence.schedule.method == "local search"
        told = exact_search_of(instance, F(0))
        told._search_locally(1)
        assert told.evidence.offer(schedule, "told") is None
        told._search_locally(1)
        assert told.local.makespan == told.upper
        improved += 1
    assert improved > 2


@pytest.mark.usefixtures("ruin_of_few")
def test_fewer_jobs_are_annealed(monkeypatch) -> None:
    instance = several_classes(8)
    monkeypatch.setattr(search, "MANY_JOBS", len(instance.jobs) + 1)
    exact = exact_search_of(instance, F(0))
    exact._search_locally(1)
    assert isinstance(exact.local, AnnealingSearch)


def test_calls_cut_as_they_may_find_the_same() -> None:
    instance = section4(jobs=16, slot_percent=10)
    once, often = (search_of(instance, 3) for _ in range(2))
    whole = once.improve(0, 3_000)
    for steps in (1, 999, 1, 1_200, 799):
        found = often.improve(0, steps)
    assert found == whole
    assert search_of(instance, 4).improve(0, 3_000) != whole


def test_a_better_start_is_taken_and_the_target_ends_it() -> None:
    instance = section4(jobs=16, slot_percent=10)
    scaled = instance.scaled()
    good = AnnealingSearch(scaled, 1).improve(0, 20_000)
    assert good is not None
    search = search_of(instance)
    assert search.improve(makespan(good), 0, good) == good
    assert search.improve(makespan(good), 10**9) == good
    assert search.improve(0, 0, worst_list(instance)) == good


def test_many_jobs_come_closer_than_by_annealing() -> None:
    instance = section4(seed=2, jobs=64, clusters=6, nodes=20, slot_percent=10)
    scaled = instance.scaled()
    annealed = AnnealingSearch(scaled, 1).improve(0, 3_000)
    assert annealed is not None
    search = RuinSearch(scaled, annealed, by_tasks(scaled), 1)
    found = checked(instance, search.improve(makespan(annealed) * 98 // 100, 6_000))
    assert found.makespan < makespan(annealed) * scaled.tick


def test_importing_compiles_and_loads_nothing() -> None:
    code = "import sys, heuristics.coallocation.search.ruin_recreate; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
