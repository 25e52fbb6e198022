"""Beam search and widest first: what the measures and buckets of the one promise, and the rule of the other."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heuristics.coallocation.search import beam, beam_kernels
from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.beam import BeamSearch, make_guide, make_states
from heuristics.coallocation.search.beam_kernels import LIVE, Manner
from heuristics.coallocation.search.widest_first import WidestFirst
from oas.core.verifier import check
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import make_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import schedule_from_runs
from tests.heuristics.coallocation.search.searches import beam as beam_of
from tests.heuristics.coallocation.search.searches import checked, duals_of, makespan, several_classes

if TYPE_CHECKING:
    from heuristics.coallocation.search.beam_kernels import Guide, States
    from oas.problems.coallocation.ticks import ScaledCoallocation


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
    search = beam_of(instance, seed)
    search.improve(0, 6)
    for row in states_of(search):
        assert list(search._states.wasted[row]) == pytest.approx(recounted(scaled, search._guide, search._states, row))


@pytest.mark.parametrize("seed", range(6))
def test_a_state_holds_what_its_jobs_leave(seed: int) -> None:
    """Nodes and links by their definitions, and the jobs that still run, just before its moment."""
    scaled = several_classes(seed).scaled()
    search = beam_of(several_classes(seed), seed)
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


def test_a_long_job_makes_buckets_coarse_and_narrow(monkeypatch) -> None:
    """The room for states is limited, whatever the durations; what is found stays feasible."""
    monkeypatch.setattr(beam, "MOST_CELLS", 2_000)
    jobs = [Job("long", 1, 1000), *(Job(f"J{index}", 2, 3 + index) for index in range(9))]
    instance = CoallocationInstance([Cluster("a", [NodeGroup(3, 1)], 1)], jobs, slot=1)
    search = beam_of(instance)
    search.improve(0, 30)
    checked(instance, search.best)
    assert search._manner.width == beam.LEAST_WIDTH and search._manner.ticks > 10
    assert search._states.nodes.size + 2 * search._states.start.size <= 2_000 + 30


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_feasible_deterministic_and_the_same_compiled(bandwidth):
    instance = section4(seed=5, jobs=40, clusters=4, nodes=9, bandwidth=bandwidth, slot_percent=25)
    scaled = instance.scaled()
    searches = [WidestFirst(scaled, 3, compiled=compiled) for compiled in (False, True, True)]
    for _ in range(5):
        runs, *others = [search.build() for search in searches]
        assert runs is not None and all(other == runs for other in others)
        assert [run.job for run in runs] == list(range(40))
        check(instance, schedule_from_runs(instance, scaled, runs))


def test_the_level_at_which_a_job_begins_first_then_ends_first():
    clusters = [Cluster("fast", [NodeGroup(2, 1)], 1), Cluster("slow", [NodeGroup(2, "1/2")], 1)]
    jobs = [Job("wide", 3, 10), Job("pair", 2, 10), Job("one", 1, 2)]
    runs = WidestFirst(CoallocationInstance(clusters, jobs, slot=1).scaled(), compiled=False).build()
    assert runs is not None
    wide, pair, one = runs
    assert (wide.start, one.start) == (0, 0)  # beside the wide job a slow node is free at once
    assert pair.start == wide.end and pair.allocation.counts == (2, 0)  # both clusters are free: the fast one
