"""The event beam on several clusters: every rule kept, deterministic, its own books right; its rounds of ruin."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING

import pytest

from heuristics.mosp.search import pool_beam, pool_beam_kernels, ruin_recreate
from heuristics.mosp.search.pool_beam import PoolBeam, takes
from heuristics.mosp.search.ruin_recreate import MANY, RULE, RuinSearch
from heuristics.mosp.search.ruin_recreate_arrays import MANY_JOBS
from oas.core.verifier import check
from oas.generate.mosp.uni import uni
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.problems.mosp.ticks import ScaledMosp
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.mosp.search.pool_beam_kernels import PoolMemory, PoolProblem
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


def test_the_beam_keeps_what_is_least() -> None:
    """Of rows with values 5, 3, 4, 1 a beam of two keeps 3 and 1; of the same jobs the better schedule is kept."""
    beam = PoolBeam(clusters([1], [1]), compiled=False)
    sizes = list(beam._problem.sizes)
    sizes[pool_beam_kernels.WIDTH] = 2
    problem, memory = beam._problem._replace(sizes=sizes), beam._memory
    kept = 0
    for value in (5.0, 3.0, 4.0, 1.0):
        pool_beam_kernels.begin.function(problem, memory)
        memory.value[0], memory.name[0] = value, int(value)
        kept = pool_beam_kernels.enter(problem, memory, 0, 10, kept)
    assert kept == 2
    assert sorted(memory.value[10:12]) == [1.0, 3.0]
    for value, left in ((3.5, [1.0, 3.0]), (2.0, [1.0, 2.0])):
        memory.value[0], memory.name[0] = value, 3
        assert pool_beam_kernels.enter(problem, memory, 0, 10, 2) == 2
        assert sorted(memory.value[10:12]) == left


def with_waste(*wasted: float) -> tuple[PoolProblem, PoolMemory]:
    """Row 0 of an instance of two clusters whose jobs take 10 clusters × ticks in each measure."""
    beam = PoolBeam(clusters([10, 10], [2, 4]), compiled=False)
    problem = beam._problem._replace(
        sizes=[*beam._problem.sizes[: pool_beam_kernels.MEASURES], len(wasted), *beam._problem.sizes[4:]],
        least=[10.0] * len(wasted),
        shares=[share for measure in range(len(wasted)) for share in (measure / 10, 1.0)],
    )
    beam._memory.waste[: len(wasted)] = wasted
    return problem, beam._memory


@pytest.mark.parametrize("wasted", [(4.0,), (4.0, 4.0), (6.0, 4.0, 2.0), (9.0, 0.0, 8.0, 8.0)])
def test_schedules_are_kept_by_the_softened_greatest_bound(wasted: tuple[float, ...]) -> None:
    """θ · ln Σ exp(bound / θ), about."""
    problem, memory = with_waste(*wasted)
    bounds = [(10.0 + one) / 2 for one in wasted]
    for theta in (0.5, 2.0):
        exact = theta * log(sum(exp(one / theta) for one in bounds))
        assert pool_beam_kernels.softened(problem, memory, 0, theta) == pytest.approx(exact, abs=0.1 * theta)


def test_prices_are_those_of_the_measures_that_come_closest() -> None:
    """Measures with equal bounds are averaged; one that is twenty times θ behind counts for next to nothing."""
    problem, memory = with_waste(8.0, 8.0, 0.0)
    pool_beam_kernels.set_prices(problem, memory, 0, 0.2)
    assert memory.price == pytest.approx([0.05, 1.0], abs=1e-4)


def test_processors_idle_for_a_wide_job_to_come() -> None:
    """Beside what runs nothing is started that no measure counts, so that the wide job finds the cluster empty."""
    beam = PoolBeam(clusters([9, 1], [3, 1]), compiled=False)
    problem, memory = beam._problem, beam._memory
    beam.begin(20)
    pool_beam_kernels.place_job(problem, memory, 0, 1, 0)
    memory.price[:] = [0.0, 1.0]
    beam._tuning[pool_beam_kernels.NOISE] = 0.0
    pool_beam_kernels.fill(problem, memory, beam._state, 0, 0, 1000, beam._tuning)
    assert memory.left[0] == 1
    memory.price[:] = [0.1, 0.9]
    pool_beam_kernels.fill(problem, memory, beam._state, 0, 0, 1000, beam._tuning)
    assert memory.left[0] == 0


def test_deadlines_before_the_goal_are_kept() -> None:
    """Two wide jobs of the owner whose deadline is 3 stand first on the two clusters, though others end there too."""
    scaled = clusters([3, 3, 5, 5], [4, 4, 4, 4], (3, None), [0, 0, 1, 1])
    runs = ended(scaled, 8).runs
    assert sorted(runs[:2]) == [(0, 0), (1, 0)]
    assert sorted(runs[2:]) == [(0, 3), (1, 3)]


def test_jobs_that_do_not_fit_before_the_goal_are_left() -> None:
    runs = ended(clusters([3, 3, 3], [4, 4, 4]), 4).runs
    assert [cluster for cluster, _ in runs].count(2) == 1
    assert all(start == 1 for cluster, start in runs if cluster < 2)


def test_weights_are_a_measure_of_their_own() -> None:
    """Jobs of width 3 weigh 2, of width 1 nothing: 2 is the most that fits on four processors."""
    scaled = clusters([5, 5, 5], [3, 1, 3])
    with_weights, without = (PoolBeam(scaled, weights=one, compiled=False)._problem for one in ([2, 0, 2], ()))
    measures = pool_beam_kernels.MEASURES
    assert with_weights.sizes[measures] == without.sizes[measures] + 1
    assert list(with_weights.shares[-3:]) == [0.0, 1.0, 1.0]
    assert with_weights.least[-1] == 10.0
    assert PoolBeam(scaled, weights=[0, 0, 0], compiled=False)._problem.sizes[measures] == without.sizes[measures]


def test_shares_of_jobs_that_fit_together_are_at_most_one() -> None:
    scaled = drawn(2, 30).scaled()
    problem = PoolBeam(scaled, weights=scaled.widths, compiled=False)._problem
    jobs = scaled.job_count
    for first in range(0, len(problem.shares), jobs):
        row = problem.shares[first : first + jobs]
        for one in range(jobs):
            for two in range(one):
                if problem.widths[one] + problem.widths[two] <= 16:
                    assert row[one] + row[two] <= 1


def test_it_takes_clusters_of_one_size_without_releases_and_reservations() -> None:
    plain = clusters([1, 2], [1, 1])
    assert takes(plain)
    assert not takes(replace(plain, processors=(4, 5)))
    assert not takes(replace(plain, processors=(4,)))
    assert not takes(replace(plain, releases=(0, 1)))
    assert not takes(replace(plain, reservations=((0, 1, 2, 1),)))


@pytest.fixture
def narrow_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam that plain loops can carry, short rounds, and many jobs are few."""
    monkeypatch.setattr(pool_beam, "WIDTH", 6)
    monkeypatch.setattr(pool_beam, "KIDS", 2)
    monkeypatch.setattr(ruin_recreate, "ROUND", 60)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)
    monkeypatch.setattr(ruin_recreate, "MANY_JOBS", 10)


def test_many_jobs_on_clusters_of_one_size_have_rounds_of_the_beam() -> None:
    many, few = (uni(seed=1, jobs=jobs, organizations=2).scaled() for jobs in (MANY_JOBS, MANY_JOBS - 1))
    assert RuinSearch(many, compiled=False)._kinds == MANY
    assert RuinSearch(few, compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, processors=(128, 64)), compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, times=(9 * max(many.times), *many.times[1:])), compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, releases=(3, *many.releases[1:])), compiled=False)._kinds == RULE


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


def test_goals_lie_halfway_to_the_highest_one_missed(narrow_rounds: None) -> None:
    """All are missed: the goals come up to the best schedule, then begin anew, with rounds twice as long."""
    scaled = uni(seed=2, jobs=30, organizations=2, processors=16).scaled()
    search = RuinSearch(scaled, compiled=False)
    makespan, target = search.makespan, search.makespan - 20
    goals, lengths = [], []
    for _ in range(8):
        search._start_round(target)
        goals.append(search._goal)
        lengths.append(search._left)
        search.tried += 1
        search._give_up()
    assert goals == [makespan - one for one in (15, 7, 3, 1, 10, 5, 2, 1)]
    assert lengths == [60] * 4 + [120] * 4
