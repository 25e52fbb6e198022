"""The event beam on several clusters: every rule kept, deterministic, its own books right; its rounds of ruin."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from heuristics.mosp.search import pool_beam, pool_beam_kernels, ruin_recreate
from heuristics.mosp.search.pool_beam import PoolBeam
from heuristics.mosp.search.ruin_recreate import RuinSearch
from oas.core.verifier import check
from oas.generate.mosp.uni import uni
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.problems.mosp.ticks import ScaledMosp
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.instance import MospInstance


def drawn(seed: int, jobs: int = 24) -> MospInstance:
    return uni(seed=seed, jobs=jobs, organizations=2 + seed % 3, processors=16)


def clusters(
    times: Sequence[int],
    widths: Sequence[int],
    deadlines: Sequence[int | None] = (None, None),
    owners: Sequence[int] | None = None,
    processors: int = 4,
) -> ScaledMosp:
    jobs = len(times)
    return ScaledMosp(
        Fraction(1),
        (processors,) * len(deadlines),
        tuple(times),
        tuple(widths),
        (0,) * jobs,
        tuple(owners or [0] * jobs),
        (),
        (),
        tuple(deadlines),
    )


def about(scaled: ScaledMosp) -> int:
    """A goal that some jobs do not fit into as a rule: what they need if no processor is ever idle."""
    area = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return max(*scaled.times, area // sum(scaled.processors))


def ended(
    scaled: ScaledMosp, goal: int, *, seed: int = 0, weights: Sequence[int] = (), compiled: bool = False
) -> PoolBeam:
    beam = PoolBeam(scaled, seed, weights=weights, compiled=compiled)
    beam.begin(goal)
    while not beam.finished:
        beam.sweep()
    return beam


def faults(scaled: ScaledMosp, runs: Sequence[tuple[int, int]], goal: int) -> list[str]:
    """What is wrong with the jobs placed, tick by tick."""
    free = [[size] * goal for size in scaled.processors]
    found = []
    for job, (cluster, start) in enumerate(runs):
        if cluster == scaled.cluster_count:
            continue
        end, deadline = start + scaled.times[job], scaled.deadlines[scaled.owners[job]]
        if start < 0 or end > goal:
            found.append(f"{job} out of the goal")
            continue
        if deadline is not None and end > deadline:
            found.append(f"{job} late")
        for moment in range(start, end):
            free[cluster][moment] -= scaled.widths[job]
    return found + [f"cluster {k} full" for k, row in enumerate(free) if min(row) < 0]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam that plain loops can carry."""
    monkeypatch.setattr(pool_beam, "WIDTH", 5)
    monkeypatch.setattr(pool_beam, "KIDS", 3)


@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_what_is_placed_keeps_goal_deadlines_and_processors(narrow: None, seed: int) -> None:
    scaled = drawn(seed).scaled()
    goal = about(scaled)
    runs = ended(scaled, goal, seed=seed).runs
    left = [cluster for cluster, _ in runs].count(scaled.cluster_count)
    assert faults(scaled, runs, goal) == []
    assert left < scaled.job_count // 3


@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_complete_schedules_pass_the_verifier(narrow: None, seed: int) -> None:
    """Without deadlines, in twice the time, all jobs find a place."""
    instance = drawn(seed).relaxed()
    scaled = instance.scaled()
    goal = 2 * about(scaled)
    runs = [ClusterRun(job, *place) for job, place in enumerate(ended(scaled, goal, seed=seed).runs)]
    assert check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan <= goal * scaled.tick


@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_plain_and_compiled_loops_agree(narrow: None, seed: int) -> None:
    scaled = drawn(seed).scaled()
    weights = [width * width for width in scaled.widths]
    plain, compiled = (PoolBeam(scaled, seed, weights=weights, compiled=one) for one in (False, True))
    for goal in (about(scaled), about(scaled) + 9):
        plain.begin(goal)
        compiled.begin(goal)
        while not plain.finished:
            assert plain.sweep() == compiled.sweep()
            assert [list(row) for row in plain._memory] == [list(row) for row in compiled._memory]
        assert compiled.finished
        assert plain.runs == compiled.runs


@pytest.mark.parametrize("seed", every_fourth_quick(range(8)))
def test_each_schedule_knows_what_is_free_and_what_was_wasted(narrow: None, seed: int) -> None:
    scaled = drawn(seed).scaled()
    goal = about(scaled)
    beam = PoolBeam(scaled, seed, compiled=False)
    beam.begin(goal)
    problem, memory = beam._problem, beam._memory
    jobs, count, measures = scaled.job_count, scaled.cluster_count, problem.sizes[pool_beam_kernels.MEASURES]
    while not beam.finished:
        beam.sweep()
        names = set()
        for row in range(beam._first, beam._first + beam._kept):
            now = memory.now[row]
            placed = {
                rank: place for rank, place in enumerate(memory.place[row * jobs : (row + 1) * jobs]) if place >= 0
            }
            ends = {rank: place // count + problem.times[rank] for rank, place in placed.items()}
            running = [rank for rank in placed if ends[rank] > now]
            for cluster in range(count):
                taken = sum(problem.widths[rank] for rank in running if placed[rank] % count == cluster)
                assert memory.free[row * count + cluster] == 16 - taken
            listed = memory.running[row * jobs : row * jobs + memory.count[row]]
            assert sorted(listed) == sorted(running)
            assert all(ends[one] >= ends[two] for one, two in pairwise(listed))
            for measure in range(measures):
                shares = problem.shares[measure * jobs : (measure + 1) * jobs]
                used = sum(shares[rank] * (min(now, ends[rank]) - place // count) for rank, place in placed.items())
                assert memory.waste[row * measures + measure] == pytest.approx(count * now - used)
            assert memory.left[row] == jobs - len(placed)
            assert memory.name[row] == sum(problem.names[rank] for rank in placed)
            names.add(memory.name[row])
        assert len(names) == beam._kept <= pool_beam.WIDTH


@pytest.fixture
def narrow_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam that plain loops can carry, short rounds, and many jobs are few."""
    monkeypatch.setattr(pool_beam, "WIDTH", 6)
    monkeypatch.setattr(pool_beam, "KIDS", 2)
    monkeypatch.setattr(ruin_recreate, "ROUND", 60)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)
    monkeypatch.setattr(ruin_recreate, "MANY_JOBS", 10)


@pytest.mark.parametrize("seed", every_fourth_quick(range(4)))
@pytest.mark.parametrize("compiled", [False, True])
def test_they_find_the_same_however_calls_are_cut(narrow_rounds: None, seed: int, compiled: bool) -> None:
    """No call finds a worse schedule; each passes the verifier; plain and compiled search agree at the end."""
    instance = uni(seed=seed, jobs=30, organizations=2 + seed % 3, processors=16)
    scaled = instance.scaled()
    once = RuinSearch(scaled, seed, compiled=compiled)
    once.improve(0, 800)
    often = RuinSearch(scaled, seed, compiled=False)
    last = often.makespan
    for steps in (1, 99, 1, 150, 3, 346, 200):
        runs = often.improve(0, steps)
        found = check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan
        assert found == often.makespan * scaled.tick
        assert often.makespan <= last
        last = often.makespan
    assert often._beam is not None
    assert often.best == once.best
    assert (often.tried, often._annealed, often._owed) == (once.tried, once._annealed, once._owed)
    assert often._annealed < often.tried
    assert often.makespan < RuinSearch(scaled, compiled=False).makespan
