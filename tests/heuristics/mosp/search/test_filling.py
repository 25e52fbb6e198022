"""The event beam on one cluster: feasible, deterministic, and what ruin and recreate makes of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from heuristics.mosp.search import filling, filling_kernels, ruin_recreate
from heuristics.mosp.search.filling import EventBeam
from heuristics.mosp.search.ruin_recreate import ALONE, FILLED, RuinSearch
from heuristics.mosp.search.ruin_recreate_arrays import MANY_JOBS, fills_alone, weights
from oas.core.verifier import check
from oas.generate.mosp.reservations import reservations
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.problems.mosp.ticks import ScaledMosp
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.generate.mosp.reservations import Availability
    from oas.problems.mosp.instance import MospInstance

CLASSES: tuple[Availability, ...] = ("alpha", "non-increasing", "general")


def drawn(seed: int, jobs: int = 20) -> MospInstance:
    """The three classes in turn, with releases and without."""
    return reservations(
        seed=seed, jobs=jobs, processors=16, availability=CLASSES[seed % 3], releases=seed // 3 % 2 == 1
    )


def one_cluster(
    times: Sequence[int],
    widths: Sequence[int],
    releases: Sequence[int],
    held: Sequence[tuple[int, int, int]] = (),
    processors: int = 4,
) -> ScaledMosp:
    return ScaledMosp(
        Fraction(1),
        (processors,),
        tuple(times),
        tuple(widths),
        tuple(releases),
        (0,) * len(times),
        tuple((0, *one) for one in held),
        (),
        (None,),
    )


def ended(scaled: ScaledMosp, goal: int, *, seed: int = 0, compiled: bool = False) -> EventBeam:
    beam = EventBeam(scaled, seed, compiled=compiled)
    beam.begin(goal)
    while not beam.finished:
        beam.sweep()
    return beam


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam that plain loops can carry, and rounds short enough to come to it."""
    monkeypatch.setattr(filling, "WIDTH", 6)
    monkeypatch.setattr(filling, "KIDS", 3)
    monkeypatch.setattr(ruin_recreate, "ROUND", 100)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_complete_schedules_pass_the_verifier(narrow: None, seed: int) -> None:
    instance = drawn(seed)
    starts = ended(instance.scaled(), 10**6, seed=seed).starts
    check(
        instance,
        schedule_from_cluster_runs(
            instance, instance.scaled(), [ClusterRun(job, 0, start) for job, start in enumerate(starts)]
        ),
    )


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_plain_and_compiled_loops_agree(narrow: None, seed: int) -> None:
    scaled = drawn(seed).scaled()
    plain, compiled = (EventBeam(scaled, seed, compiled=one) for one in (False, True))
    for goal in (10**6, 200):
        plain.begin(goal)
        compiled.begin(goal)
        while not plain.finished:
            assert plain.sweep() == compiled.sweep()
            assert [list(row) for row in plain._memory] == [list(row) for row in compiled._memory]
        assert compiled.finished
        assert plain.starts == compiled.starts


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_each_schedule_knows_its_waste_and_what_is_left(narrow: None, seed: int) -> None:
    """What is idle before the event of a row, tick by tick, is its waste; its profile is what is free from there on."""
    scaled = drawn(seed).scaled()
    beam = EventBeam(scaled, seed, compiled=False)
    beam.begin(10**6)
    memory, jobs, steps = beam._memory, scaled.job_count, beam._problem.sizes[filling_kernels.STEPS]
    while not beam.finished:
        beam.sweep()
        seen = set()
        for row in range(beam._first, beam._first + beam._kept):
            starts = list(memory.start[row * jobs : (row + 1) * jobs])
            blocks = [held[1:] for held in scaled.reservations]
            blocks += [
                (start, start + scaled.times[job], scaled.widths[job]) for job, start in enumerate(starts) if start >= 0
            ]
            free = [scaled.processors[0]] * (max(end for _, end, _ in blocks) + 1)
            for start, end, width in blocks:
                for moment in range(start, end):
                    free[moment] -= width
            assert min(free) >= 0
            profile = range(row * steps, row * steps + memory.count[row])
            event = memory.moments[profile[0]]
            assert memory.waste[row] == sum(free[:event]) + scaled.processors[0] * max(0, event - len(free))
            for step in profile:
                moment = memory.moments[step]
                assert memory.free[step] == (free[moment] if moment < len(free) else scaled.processors[0])
            assert memory.left[row] == starts.count(-1)
            placed = [job for job, start in enumerate(starts) if start >= 0]
            assert memory.name[row] == sum(beam._problem.names[job] for job in placed)
            assert memory.hard[row] == pytest.approx(sum(beam._problem.hardness[job] for job in placed))
            seen.add((memory.name[row], memory.waste[row]))
        assert len(seen) == beam._kept <= filling.WIDTH


def test_the_beam_keeps_what_is_least() -> None:
    """Of rows with values 5, 3, 4, 1 a beam of two keeps 3 and 1; the same jobs with the same waste are kept once."""
    beam = EventBeam(one_cluster([1], [1], [0]), compiled=False)
    problem = beam._problem._replace(sizes=[1, beam._problem.sizes[1], 2, 1])
    kept = 0
    for value in (5.0, 3.0, 4.0, 1.0):
        filling_kernels.begin.function(problem, beam._memory)
        beam._memory.value[0], beam._memory.name[0] = value, int(value)
        kept = filling_kernels.enter(problem, beam._memory, 0, 10, kept)
    assert kept == 2
    assert sorted(beam._memory.value[10:12]) == [1.0, 3.0]
    beam._memory.value[0], beam._memory.name[0] = 0.5, 3
    assert filling_kernels.enter(problem, beam._memory, 0, 10, 2) == 2
    assert sorted(beam._memory.value[10:12]) == [1.0, 3.0]


def test_a_job_waits_for_its_release_and_starts_then() -> None:
    """Nothing else is to be done: the event is the release, although nothing ends there."""
    assert ended(one_cluster([3], [4], [7]), 20).starts == [7]
    assert ended(one_cluster([9, 3], [2, 2], [0, 4]), 20).starts == [0, 4]


def test_jobs_keep_clear_of_reservations_to_come() -> None:
    """Three ticks on two processors do not fit before the reservation at 2; one tick less does, up to its start."""
    assert ended(one_cluster([3], [2], [0], [(2, 5, 3)]), 20).starts == [5]
    assert ended(one_cluster([2], [2], [0], [(2, 5, 3)]), 20).starts == [0]


def test_jobs_that_leave_nothing_idle_are_found_together() -> None:
    """Widths that fill eight processors in pairs, and in few other ways; no time is lost in any of four rows."""
    scaled = one_cluster([2] * 8, [7, 6, 5, 4, 4, 3, 2, 1], [0] * 8, processors=8)
    starts = ended(scaled, 8).starts
    assert min(starts) == 0
    assert max(starts) == 6


def test_what_is_undone_at_the_goal_decides() -> None:
    """Row 0 places both jobs, the one of area 6 from 1 to 4; row 1 only that one, by 3: at goal 3 it leaves less."""
    beam = EventBeam(one_cluster([2, 3], [2, 2], [0, 0]), compiled=False)
    jobs = 2
    beam._memory.start[: 2 * jobs] = [0, 1, -1, 0]
    assert filling_kernels.best_row.function(beam._problem, beam._memory, 0, 2, 3) == 1
    assert filling_kernels.best_row.function(beam._problem, beam._memory, 0, 2, 4) == 0


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_of_all_schedules_the_one_with_least_undone_is_returned(narrow: None, seed: int) -> None:
    scaled = drawn(seed).scaled()
    goal = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True)) // 16
    beam = ended(scaled, goal, seed=seed)

    def undone(starts: Sequence[int]) -> int:
        runs = zip(starts, scaled.times, scaled.widths, strict=True)
        return sum(time * width for start, time, width in runs if start < 0 or start + time > goal)

    rows = range(beam._first, beam._first + beam._kept)
    found = [undone(beam._memory.start[row * scaled.job_count : (row + 1) * scaled.job_count]) for row in rows]
    assert len(set(found)) > 1
    assert undone(beam.starts) == min(found)


def test_schedules_are_kept_by_waste_less_what_hardness_makes_up_for(narrow: None) -> None:
    beam = EventBeam(drawn(1).scaled(), compiled=False)
    beam.begin(10**6)
    beam._greed, beam._noise = 0.25, 0.0
    memory = beam._memory
    while not beam.finished:
        beam.sweep()
        for row in range(beam._first, beam._first + beam._kept):
            assert memory.value[row] == memory.waste[row] - 0.25 * memory.hard[row]


def test_one_cluster_with_few_narrow_jobs_has_rounds_of_the_beam() -> None:
    alone, more = drawn(3).scaled(), drawn(3, jobs=MANY_JOBS).scaled()
    wide = one_cluster([1, 1], [2, 3], [0, 0])
    several = replace(alone, processors=(16, 16))
    assert fills_alone(alone)
    assert not fills_alone(more)
    assert not fills_alone(several)
    assert not fills_alone(wide)
    assert fills_alone(one_cluster([1, 1], [2, 2], [0, 0]))
    assert RuinSearch(alone)._kinds == ALONE
    assert FILLED not in RuinSearch(more)._kinds + RuinSearch(several)._kinds
    areas = [time * width for time, width in zip(alone.times, alone.widths, strict=True)]
    shares = {weight / area for weight, area in zip(weights(alone), areas, strict=True)}
    assert max(shares) == pytest.approx(min(shares))


@pytest.mark.parametrize("seed", every_fourth_quick(range(6)))
@pytest.mark.parametrize("compiled", [False, True])
def test_rounds_of_the_beam_find_the_same_however_calls_are_cut(narrow: None, seed: int, compiled: bool) -> None:
    """No call finds a worse schedule; each passes the verifier; plain and compiled search agree at the end."""
    instance = drawn(3 * seed, jobs=30)
    scaled = instance.scaled()
    once = RuinSearch(scaled, seed, compiled=compiled)
    once.improve(0, 1_200)
    often = RuinSearch(scaled, seed, compiled=False)
    last = often.makespan
    for steps in (1, 99, 1, 150, 3, 346, 250, 350):
        runs = often.improve(0, steps)
        found = check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan
        assert found == often.makespan * scaled.tick
        assert often.makespan <= last
        last = often.makespan
    assert often._beam is not None
    assert often.best == once.best
    assert often.tried == once.tried
    assert often._owed == once._owed


def test_a_schedule_that_the_beam_completes_is_kept(narrow: None) -> None:
    """Where the first round has nothing left to ruin in, the beam's schedule within the goal becomes the best one."""
    scaled = one_cluster([3, 3, 2, 2, 1, 1], [2, 2, 4, 4, 2, 2], [0] * 6, processors=8)
    search = RuinSearch(scaled, compiled=False)
    search.best = [ClusterRun(job, 0, 3 * job) for job in range(6)]
    search._round = ALONE.index(FILLED)
    while search._goal is None or search._filling:
        search.improve(0, 1)
    assert search.makespan < 16


def test_a_better_start_ends_the_work_of_the_beam(narrow: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The goal of the beam's round is passed by a start given: it begins again with a goal below that."""
    monkeypatch.setattr(filling, "SLOTS", (0.0,))
    scaled = one_cluster([3, 3, 2, 2, 1, 1], [2, 2, 4, 4, 2, 2], [0] * 6, processors=8)
    search = RuinSearch(scaled, compiled=False)
    search.best = [ClusterRun(job, 0, 30 * job) for job in range(6)]
    search._round = ALONE.index(FILLED)
    search.improve(0, 1)
    before = search._goal
    better = [ClusterRun(job, 0, 3 * job) for job in range(6)]
    search.improve(0, 1, better)
    after = search._goal
    assert before is not None
    assert before > 16
    assert after is not None
    assert after < 16
    search.improve(0, 100)
    assert search.makespan <= 16
