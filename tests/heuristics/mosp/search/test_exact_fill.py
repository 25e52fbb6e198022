"""The beam that fills a cluster exactly: rectangles cut to pieces are put together again."""

from __future__ import annotations

from random import Random

import pytest

from heuristics.mosp.search import exact_fill
from heuristics.mosp.search.exact_fill import ExactFill, area_free, fills_exactly
from oas.core.verifier import verify
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import schedule_from_cluster_runs
from oas.problems.rigid import Organization, RigidJob

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
