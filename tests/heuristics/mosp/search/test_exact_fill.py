"""The beam that fills a cluster exactly: rectangles cut to pieces are put together again."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from heuristics.mosp.search import exact_fill, exact_fill_kernels
from heuristics.mosp.search.exact_fill import ExactFill, area_free, fills_exactly
from heuristics.mosp.search.exact_fill_kernels import ExactMemory, choose_set
from heuristics.mosp.search.filling import fill_problem
from oas.core.verifier import verify
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import schedule_from_cluster_runs
from oas.problems.rigid import Organization, Reservation, RigidJob

GOAL, SIZE = 30, 20


def cut(seed: int, pieces: int, *, release: bool = False) -> MospInstance:
    """A rectangle of `GOAL` × `SIZE` cut to pieces, each of which is a job."""
    random = Random(seed)
    parts = [(0, GOAL, SIZE)]
    while len(parts) < pieces:
        part = max(parts, key=lambda one: one[1] * one[2] * random.random())
        start, time, width = part
        if time < 2 and width < 2:
            continue
        parts.remove(part)
        if width < 2 or (time > 1 and random.random() < time / (time + width)):
            at = random.randrange(1, time)
            parts += [(start, at, width), (start + at, time - at, width)]
        else:
            at = random.randrange(1, width)
            parts += [(start, time, at), (start, time, width - at)]
    jobs = [
        RigidJob(f"J{index}", time, width, start // 2 if release else 0)
        for index, (start, time, width) in enumerate(parts)
    ]
    return MospInstance([Organization("O", SIZE, jobs)], None)


def found(instance: MospInstance, seed: int, sweeps: int, *, compiled: bool) -> ExactFill:
    fill = ExactFill(instance.scaled(), GOAL, seed, compiled=compiled)
    for _ in range(sweeps):
        if fill.runs is None:
            fill.sweep()
    return fill


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setattr(exact_fill, "WIDTHS", (5, 12))
    monkeypatch.setattr(exact_fill, "CHILDREN", (2, 4))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("release", [False, True])
def test_pieces_make_the_rectangle_again(seed: int, release: bool) -> None:
    instance = cut(seed, 24, release=release)
    assert area_free(instance.scaled(), GOAL) == 0
    assert fills_exactly(instance.scaled(), GOAL)
    fill = found(instance, seed, 2_000, compiled=True)
    assert fill.runs is not None
    schedule = schedule_from_cluster_runs(instance, instance.scaled(), fill.runs)
    assert verify(instance, schedule) == []
    assert schedule.makespan == GOAL


@pytest.mark.usefixtures("narrow")
def test_the_same_is_found_compiled_or_not() -> None:
    several = 0
    for seed in range(4):
        instance = cut(seed, 12)
        plain, fast = (found(instance, seed, 40, compiled=compiled) for compiled in (False, True))
        assert plain.runs == fast.runs
        assert list(plain._state) == list(fast._state)
        several += plain.runs is not None
    assert several >= 2


@pytest.mark.usefixtures("narrow")
def test_what_cannot_be_filled_is_not_found() -> None:
    """Three jobs of 2 × 11 on 20 processors cannot run side by side, though a goal of 4 has the area."""
    jobs = [RigidJob(f"J{index}", 2, 11) for index in range(3)]
    instance = MospInstance([Organization("O", 20, jobs)], None)
    fill = ExactFill(instance.scaled(), 4, compiled=False)
    for _ in range(30):
        fill.sweep()
    assert fill.runs is None


@pytest.mark.usefixtures("narrow")
def test_no_job_ends_after_the_goal() -> None:
    """Both jobs fit side by side at once, but one is longer than the goal, whose area they have."""
    instance = MospInstance([Organization("O", 2, [RigidJob("A", 3, 1), RigidJob("B", 5, 1)])], None)
    fill = ExactFill(instance.scaled(), 4, compiled=False)
    for _ in range(10):
        fill.sweep()
    assert fill.runs is None


def test_a_set_takes_as_many_processors_as_any() -> None:
    random = Random(0)
    for _ in range(200):
        widths = [random.randrange(1, 15) for _ in range(random.randrange(1, 9))]
        free = random.randrange(1, 30)
        jobs = [RigidJob(f"J{index}", 1, width) for index, width in enumerate(widths)]
        scaled = MospInstance([Organization("O", 30, jobs)], None).scaled()
        problem = fill_problem(scaled, Random(0), 1, 1)
        fitting = [job for job in range(len(widths)) if widths[job] <= free]
        exact = ExactMemory(fitting + [0] * len(widths), [0.0] * len(widths), [0] * (65 * 31))
        taken = choose_set(problem, exact, [random.randrange(1, 1000), 5], len(fitting), free)
        chosen = exact.chosen[:taken]
        sums = {0}
        for job in fitting:
            sums |= {total + widths[job] for total in sums}
        assert len(set(chosen)) == taken
        assert sum(widths[job] for job in chosen) == max(total for total in sums if total <= free)


def test_many_candidates_are_drawn_by_lot() -> None:
    jobs = [RigidJob(f"J{index}", 1, 1) for index in range(100)]
    instance = MospInstance([Organization("O", 100, jobs)], None)
    fill = ExactFill(instance.scaled(), 1, compiled=False)
    fill._begin()
    count = exact_fill_kernels.candidates(fill._problem, fill._memory, fill._exact, fill._state, 0, 1)
    assert count == exact_fill_kernels.CANDIDATES
    assert len(set(fill._exact.chosen[:count])) == count


def test_it_is_for_one_cluster_with_next_to_nothing_free() -> None:
    instance = cut(0, 12)
    scaled = instance.scaled()
    assert not fills_exactly(scaled, GOAL - 1)  # too little
    assert not fills_exactly(scaled, GOAL + 1)  # too much
    assert not fills_exactly(replace(scaled, deadlines=(GOAL - 1,)), GOAL)
    reserved = MospInstance([Organization("O", SIZE, instance.jobs, [Reservation(100, 101, 1)])], None)
    assert not fills_exactly(reserved.scaled(), GOAL)
    two = MospInstance([Organization("O", SIZE, instance.jobs), Organization("P", SIZE, [RigidJob("x", 30, 20)])], None)
    assert not fills_exactly(two.scaled(), GOAL)
