"""Beam search of co-allocated jobs: feasible, deterministic, and what its measures and buckets promise."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction as F
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heuristics.coallocation.search import beam, beam_kernels
from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.beam import BeamSearch, make_guide, make_states, most_running
from heuristics.coallocation.search.beam_kernels import HORIZON, LIVE, Manner
from oas.exact.coallocation import search
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.allocations import make_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.heuristics.coallocation.search.test_annealing import checked, several_classes
from tests.heuristics.coallocation.search.test_ruin_recreate import by_tasks, exact_search_of, makespan, worst_list

if TYPE_CHECKING:
    from heuristics.coallocation.search.beam_kernels import Guide, States
    from oas.problems.coallocation.ticks import ScaledCoallocation


def nodes_of(scaled: ScaledCoallocation) -> int:
    return sum(len(one.nodes) for one in scaled.classes)


def duals_of(scaled: ScaledCoallocation) -> list[tuple[list[list[int]], int]]:
    """Nodes alone: valid for every instance."""
    return [(by_tasks(scaled), nodes_of(scaled))]


def search_of(instance: CoallocationInstance, seed: int = 0, *, compiled: bool = False) -> BeamSearch:
    scaled = instance.scaled()
    return BeamSearch(scaled, worst_list(instance), duals_of(scaled), seed, compiled=compiled)


def states_of(search: BeamSearch) -> list[int]:
    """Rows of the states that wait to be expanded, but for the bucket at hand."""
    progress = search._progress
    if progress is None:
        return []
    now = progress.at[0] % len(progress.filled)
    return [
        bucket * search._manner.width + entry
        for bucket, filled in enumerate(progress.filled)
        for entry in range(filled)
        if bucket != now
    ]


@pytest.fixture
def narrow(monkeypatch):
    """Few children and states, so that plain loops are quick."""
    monkeypatch.setattr(beam, "WIDTH", 3)
    monkeypatch.setattr(beam, "CHILDREN", 4)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("narrow")
def test_plain_and_compiled_loops_agree_and_are_feasible(seed: int) -> None:
    instance = several_classes(seed)
    plain, compiled = (search_of(instance, seed, compiled=value) for value in (False, True))
    last = plain.makespan
    for steps in (1, 40, 40):
        runs = plain.improve(0, steps)
        assert runs == compiled.improve(0, steps)
        assert (plain.tried, plain.beams) == (compiled.tried, compiled.beams)
        assert makespan(runs) == plain.makespan <= last
        checked(instance, runs)
        last = makespan(runs)


@pytest.mark.parametrize("seed", range(8))
def test_tiny_instances_are_solved_to_the_optimum(seed: int) -> None:
    instance = tiny(seed=seed)
    best, _ = brute_force(instance)
    target = int(best / instance.scaled().tick)
    search = search_of(instance, seed, compiled=True)
    assert checked(instance, search.improve(target, 4_000)).makespan == best


@pytest.mark.usefixtures("narrow")
def test_calls_cut_as_they_may_find_the_same() -> None:
    instance = section4(jobs=12, slot_percent=10)
    once, often, other = (search_of(instance, seed, compiled=True) for seed in (3, 3, 4))
    whole = once.improve(0, 900)
    for steps in (1, 299, 1, 400, 199):
        found = often.improve(0, steps)
    assert found == whole and once.beams == often.beams > 2 and once.tried == often.tried
    assert list(once._state) == list(often._state)
    other.improve(0, 900)
    assert list(once._state) != list(other._state)


def test_a_better_start_is_taken_and_the_target_ends_it() -> None:
    instance = section4(jobs=12, slot_percent=10)
    good = AnnealingSearch(instance.scaled(), 1, compiled=False).improve(0, 60)
    assert good is not None
    search = search_of(instance, compiled=True)
    search.improve(0, 5)
    assert search.improve(0, 0, good) == good == search.improve(0, 0, worst_list(instance))
    tried = search.tried
    assert search.improve(makespan(good), 100) == good and search.tried == tried
    search.improve(0, 1)
    assert search._progress.at[HORIZON] < makespan(good)  # the beam at hand asks for better ones too


@pytest.mark.parametrize("seed", range(20))
def test_measures_bound_every_schedule_and_count_its_waste(seed: int) -> None:
    """What is needed and what was wasted up to the last end make up the makespan, by each measure."""
    instance = several_classes(seed)
    scaled = instance.scaled()
    guide = make_guide(scaled, duals_of(scaled))
    runs = AnnealingSearch(scaled, seed, compiled=False).improve(0, 5)
    assert runs is not None
    level = [slowest(scaled, run.allocation.counts) for run in runs]
    moments = sorted({0} | {run.start for run in runs} | {run.end for run in runs})
    for measure, needed in enumerate(guide.needs):
        wasted = sum(guide.extra[measure, run.job, level[run.job]] for run in runs)
        for now, then in pairwise(moments):
            running = [run for run in runs if run.start <= now < run.end]
            idle = 1 - sum(guide.weights[measure, run.job, level[run.job]] for run in running)
            assert idle >= -1e-9
            wasted += idle * (then - now)
        assert needed + wasted == pytest.approx(makespan(runs))


def slowest(scaled: ScaledCoallocation, counts: tuple[int, ...]) -> int:
    return max(one.level for one, count in zip(scaled.classes, counts, strict=True) if count)


@pytest.mark.parametrize("seed", range(6))
def test_the_beam_counts_the_waste_as_a_schedule_shows_it(seed: int) -> None:
    """Each state's waste is recounted from its own runs, up to its own moment."""
    instance = several_classes(seed)
    scaled = instance.scaled()
    search = search_of(instance, seed)
    search.improve(0, 6)
    for row in states_of(search):
        assert list(search._states.wasted[row]) == pytest.approx(recounted(scaled, search._guide, search._states, row))


@pytest.mark.parametrize("seed", range(6))
def test_a_state_holds_what_its_jobs_leave(seed: int) -> None:
    """Nodes and links by their definitions, and the jobs that still run, just before its moment."""
    scaled = several_classes(seed).scaled()
    search = search_of(several_classes(seed), seed)
    search.improve(0, 6)
    states = search._states
    for row in states_of(search):
        now = states.time[row]
        free, load = [len(one.nodes) for one in scaled.classes], [0] * scaled.cluster_count
        running = set()
        for job in begun_jobs(states, row):
            allocation = make_allocation(scaled, job, [int(one) for one in states.nodes[row, job]])
            if states.start[row, job] + allocation.duration >= now:
                running.add(job)
                free = [left - one for left, one in zip(free, allocation.counts, strict=True)]
                load = [sum(pair) for pair in zip(load, allocation.loads, strict=True)]
        assert list(states.free[row]) == free and min(free) >= 0
        assert {int(job) for job in states.job[row, : states.count[row]]} == running
        assert all(total <= most for total, most in zip(load, scaled.link_capacity, strict=True))
        assert states.left[row] == sum(states.waiting[row]) == scaled.job_count - len(begun_jobs(states, row))


def begun_jobs(states: States, row: int) -> list[int]:
    return [job for job, waits in enumerate(states.waiting[row]) if not waits]


def recounted(scaled: ScaledCoallocation, guide: Guide, states: States, row: int) -> list[float]:
    runs = [
        (job, int(states.start[row, job]), make_allocation(scaled, job, [int(one) for one in states.nodes[row, job]]))
        for job in begun_jobs(states, row)
    ]
    now = int(states.time[row])
    found = []
    for measure in range(len(guide.needs)):
        wasted = float(now)
        for job, start, allocation in runs:
            level = slowest(scaled, allocation.counts)
            passed = min(now, start + allocation.duration) - start
            wasted += guide.extra[measure, job, level] - guide.weights[measure, job, level] * passed
        found.append(wasted)
    return found


def test_a_state_without_hope_gets_no_score_and_more_waste_a_worse_one() -> None:
    scaled = section4(jobs=8, slot_percent=25).scaled()
    guide = make_guide(scaled, duals_of(scaled))
    states = make_states(scaled, len(guide.needs), 2)
    horizon = int(max(guide.needs)) + 10
    scores = []
    for wasted in (0.0, 1.0, 5.0):
        states.wasted[1] = wasted
        scores.append(beam_kernels.score_of(guide, states, 1, horizon, 4))
    assert 0 < scores[0] < scores[1] < scores[2]
    states.wasted[1, 0] = horizon
    assert beam_kernels.score_of(guide, states, 1, horizon, 4) == -1


def test_a_bucket_keeps_the_best_and_no_equals() -> None:
    """Three of them from bucket 3 on, one before; buckets 1 and 3 share their rows, one after the other."""
    scaled = section4(jobs=8, slot_percent=25).scaled()
    manner = Manner(width=3, early=1, turn=3, children=1, ticks=1, doublings=1, noise=0.0, pauses=0)
    children = ((5.0, 1), (4.0, 2), (3.0, 1), (6.0, 2), (2.0, 3), (7.0, 4), (1.0, 4))
    kept = {3: ([3, 4, 3, -1, 5, -1, 4], [1.0, 2.0, 3.0]), 1: ([3, 3, 3, -1, 3, -1, 3], [1.0])}
    for bucket, (taken, scores) in kept.items():
        states = make_states(scaled, 1, 7)
        progress = beam.make_progress(scaled, 2, 100, np.zeros(1))
        rows = []
        for score, code in children:
            rows.append(row := beam_kernels.place_in(states, progress, manner, bucket, score, code))
            if row >= 0:
                states.score[row], states.code[row] = score, code
        assert rows == taken and sorted(states.score[3 : 3 + len(scores)]) == scores
        assert progress.filled[1] == len(scores) and progress.at[LIVE] == 1 + len(scores)  # with the empty schedule


def test_what_cannot_be_split_waits() -> None:
    """Two jobs that ask for all of a link cannot run side by side, though nodes are free for both."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 1) for name in "ab"]
    jobs = [Job("x", 3, 5, 1, 1), Job("y", 3, 5, 1, 1), Job("z", 1, 5, 0, 1)]
    instance = CoallocationInstance(clusters, jobs, slot=1)
    runs = search_of(instance).improve(10, 200)
    assert checked(instance, runs).makespan == 10


def test_most_running_is_by_the_narrowest() -> None:
    clusters = [Cluster("a", [NodeGroup(5, 1)], 1)]
    for tasks, most in (((1, 2, 3), 2), ((5, 5), 1), ((1, 1, 1), 3), ((2, 2, 1, 4), 3)):
        jobs = [Job(f"J{index}", one, 1) for index, one in enumerate(tasks)]
        assert most_running(CoallocationInstance(clusters, jobs, slot=1).scaled()) == most


def test_in_continuous_time_too() -> None:
    instance = section4(jobs=10, slot_percent=0)
    search = search_of(instance, compiled=True)
    first = search.makespan
    assert checked(instance, search.improve(0, 2_000)).makespan < F(first) * instance.scaled().tick


def test_many_jobs_come_closer_than_a_list() -> None:
    instance = section4(seed=2, jobs=40, clusters=6, nodes=20, slot_percent=50)
    search = search_of(instance, compiled=True)
    first = search.makespan
    checked(instance, search.improve(first * 8 // 10, 6_000))
    assert search.makespan <= first * 8 // 10


def test_a_long_job_makes_buckets_coarse_and_narrow(monkeypatch) -> None:
    """The room for states is limited, whatever the durations; what is found stays feasible."""
    monkeypatch.setattr(beam, "MOST_CELLS", 2_000)
    jobs = [Job("long", 1, 1000), *(Job(f"J{index}", 2, 3 + index) for index in range(9))]
    instance = CoallocationInstance([Cluster("a", [NodeGroup(3, 1)], 1)], jobs, slot=1)
    search = search_of(instance)
    search.improve(0, 30)
    checked(instance, search.best)
    assert search._manner.width == beam.LEAST_WIDTH and search._manner.ticks > 10
    assert search._states.nodes.size + 2 * search._states.start.size <= 2_000 + 30


class PlainBeam(BeamSearch):
    """Never compiled, so that a test of what drives it is quick."""

    def __init__(self, *asked: Any) -> None:
        super().__init__(*asked, compiled=False)


@pytest.fixture
def beam_alone(monkeypatch):
    """Few jobs are put into beams too, and nothing else finds anything."""
    monkeypatch.setattr(search, "LEAST_JOBS", 2)
    monkeypatch.setattr(search, "BeamSearch", PlainBeam)
    monkeypatch.setattr(AnnealingSearch, "improve", lambda _, target, steps, start: start)


@pytest.mark.usefixtures("beam_alone")
def test_the_exact_search_offers_what_beams_find_and_tells_them_what_others_find(monkeypatch) -> None:
    improved = 0
    for seed in range(4):
        instance = tiny(seed=seed)
        best, schedule = brute_force(instance)
        if makespan(worst_list(instance)) * instance.scaled().tick == best:
            continue
        exact = exact_search_of(instance, best)
        exact._search_locally(100)
        assert exact.evidence.makespan == best
        told = exact_search_of(instance, F(0))
        told.duals, weights = [], told.duals
        told._search_locally(1)
        assert told.beam is None  # there are no weights yet
        told.duals = weights
        with monkeypatch.context() as slow:
            slow.setattr(PlainBeam, "pace", 1)  # finds nothing by itself
            told._search_locally(1)
            first = told.beam
            assert first.makespan == told.upper > exact.upper
            assert told.evidence.offer(schedule, "told") is None
            told._search_locally(1)
            assert told.beam is first and first.makespan == told.upper == exact.upper
        improved += 1
    assert improved > 1


@pytest.mark.usefixtures("beam_alone")
def test_fewer_jobs_are_not_put_into_beams(monkeypatch) -> None:
    instance = tiny(seed=0)
    monkeypatch.setattr(search, "LEAST_JOBS", len(instance.jobs) + 1)
    exact = exact_search_of(instance, F(0))
    exact._search_locally(3)
    assert exact.beam is None


def test_all_numbers_are_of_one_kind() -> None:
    """Plain loops count in numpy's integers as compiled ones do."""
    search = search_of(several_classes(3))
    assert all(one.dtype == np.int64 for one in search._problem)


def test_importing_compiles_and_loads_nothing() -> None:
    code = "import sys, heuristics.coallocation.search.beam; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
