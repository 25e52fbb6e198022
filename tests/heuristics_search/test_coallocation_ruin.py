"""Ruin and recreate of co-allocated jobs: feasible, deterministic, better than its start and annealing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from heuristics.registry import own_methods
from heuristics.search import coallocation_ruin_kernels as kernels
from heuristics.search.coallocation import CoallocationSearch
from heuristics.search.coallocation_ruin import RuinSearch, job_weights, make_memory
from heuristics.search.problem import make_problem
from oas.core.schedule import runs_from_schedule
from oas.exact.brute_force import brute_force
from oas.generate.paper_section4 import section4
from oas.generate.tiny_instances import tiny
from tests.heuristics_search.test_coallocation import checked, several_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.coallocation import CoallocationInstance
    from oas.core.scaled import ScaledCoallocation
    from oas.core.schedule import Run


def worst_list(instance: CoallocationInstance) -> list[Run]:
    schedule = max((method(instance) for method in own_methods()), key=lambda schedule: schedule.makespan)
    return runs_from_schedule(instance, instance.scaled(), schedule)


def by_tasks(scaled: ScaledCoallocation) -> list[list[int]]:
    return [[tasks] * len(scaled.powers) for tasks in scaled.tasks]


def search_of(instance: CoallocationInstance, seed: int = 0, *, compiled: bool | None = None) -> RuinSearch:
    scaled = instance.scaled()
    return RuinSearch(scaled, worst_list(instance), by_tasks(scaled), seed, compiled=compiled)


def makespan(runs: Sequence[Run]) -> int:
    return max(run.end for run in runs)


@pytest.mark.parametrize("seed", range(20))
def test_tiny_instances_are_solved_to_the_optimum(seed: int) -> None:
    instance = tiny(seed=seed)
    best, _ = brute_force(instance)
    target = int(best / instance.scaled().tick)
    assert checked(instance, search_of(instance, seed).improve(target, 20_000)).makespan == best


@pytest.mark.parametrize("seed", range(40))
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


@pytest.mark.parametrize("seed", range(20))
def test_profile_and_jobs_stay_in_step(seed: int) -> None:
    """After any number of steps, taken back or not, the profile is the one that the placed jobs make."""
    scaled = several_classes(seed).scaled()
    problem = make_problem(scaled)
    assert problem is not None
    memory = make_memory(scaled, problem, job_weights(scaled, by_tasks(scaled)))
    own, width = kernels.job_width(problem), kernels.row_width(problem)
    for job in range(scaled.job_count):
        memory.jobs[job * own + kernels.START] = -1
    horizon = sum(times[-1] for times in scaled.durations) // 3 + 1
    kernels.rebuild(problem, memory, horizon)
    state, heat = [seed + 1, seed + 2], [1.0]
    for _ in range(5):
        kernels.anneal(problem, memory, state, [0.1, 1.0, 5.0], 8, heat, 0.9)
        rows = memory.rows[0]
        found = (memory.profile[: (rows - 1) * width], memory.uses[:rows])
        kernels.rebuild(problem, memory, horizon)
        assert memory.rows[0] == rows
        assert (memory.profile[: (rows - 1) * width], memory.uses[:rows]) == found


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
    good = CoallocationSearch(scaled, 1).improve(0, 20_000)
    assert good is not None
    search = search_of(instance)
    assert search.improve(makespan(good), 0, good) == good
    assert search.improve(makespan(good), 10**9) == good
    assert search.improve(0, 0, worst_list(instance)) == good


def test_many_jobs_come_closer_than_by_annealing() -> None:
    instance = section4(seed=2, jobs=64, clusters=6, nodes=20, slot_percent=10)
    scaled = instance.scaled()
    annealed = CoallocationSearch(scaled, 1).improve(0, 3_000)
    assert annealed is not None
    search = RuinSearch(scaled, annealed, by_tasks(scaled), 1)
    found = checked(instance, search.improve(makespan(annealed) * 98 // 100, 6_000))
    assert found.makespan < makespan(annealed) * scaled.tick


def test_importing_compiles_and_loads_nothing() -> None:
    code = "import sys, heuristics.search.coallocation_ruin; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
