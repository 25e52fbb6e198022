"""Beam search and widest first: what the measures and buckets of the one promise, and the rule of the other."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from heuristics.coallocation.search.annealing import AnnealingSearch
from heuristics.coallocation.search.beam import BeamSearch, make_guide
from heuristics.coallocation.search.widest_first import WidestFirst
from oas.core.verifier import check
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import make_allocation
from oas.problems.coallocation.runs import schedule_from_runs
from tests.heuristics.coallocation.search.searches import beam as beam_of
from tests.heuristics.coallocation.search.searches import duals_of, makespan, several_classes

if TYPE_CHECKING:
    from heuristics.coallocation.search.beam_kernels import States
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
