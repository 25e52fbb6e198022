"""The event beam on one cluster: feasible, deterministic, and what ruin and recreate makes of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from heuristics.mosp.search import filling, filling_kernels, ruin_recreate
from heuristics.mosp.search.filling import EventBeam
from heuristics.mosp.search.ruin_recreate import RuinSearch
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


def test_jobs_keep_clear_of_reservations_to_come() -> None:
    """Three ticks on two processors do not fit before the reservation at 2; one tick less does, up to its start."""
    assert ended(one_cluster([3], [2], [0], [(2, 5, 3)]), 20).starts == [5]
    assert ended(one_cluster([2], [2], [0], [(2, 5, 3)]), 20).starts == [0]


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
