"""Long queues on one cluster: the same starts, and the same processors taken, as in the loops for several clusters."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from heuristics.mosp import one_cluster
from heuristics.mosp.one_cluster import CONSERVATIVE, EASY, LIST, serves, starts_on
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, list_runs
from oas.problems.mosp.ticks import ScaledMosp

ENGINES = {LIST: list_runs, EASY: easy_runs, CONSERVATIVE: conservative_runs}


def drawn(rng: Random, jobs: int) -> ScaledMosp:
    """One cluster of 12 processors beside another; jobs released at one moment or over time, and reservations."""
    times = tuple(rng.choice((1, 2, 3, 9, 40)) for _ in range(jobs))
    widths = tuple(rng.choice((1, 2, 3, 5, 8, 12)) for _ in range(jobs))
    releases = tuple(rng.randrange(60) if rng.random() < 0.7 else 0 for _ in range(jobs))
    if rng.random() < 0.4:
        releases = (0,) * jobs
    reserved = tuple(
        (1, start, start + rng.randint(1, 9), rng.randint(1, 12)) for start in range(rng.randrange(9), 99, 20)
    )
    held = reserved if rng.random() < 0.7 else ()
    return ScaledMosp(Fraction(1), (20, 12), times, widths, releases, (1,) * jobs, held, (), (None, None))


def merged(steps):
    """Steps without those that change nothing."""
    kept = []
    for moment, free in steps:
        if not kept or kept[-1][1] != free:
            kept.append((moment, free))
    return kept


def queue_of(policy: str, scaled: ScaledMosp, rng: Random) -> list[int]:
    queue = list(range(scaled.job_count))
    rng.shuffle(queue)
    return queue if policy == LIST else sorted(queue, key=lambda job: scaled.releases[job])


@pytest.mark.parametrize("policy", ENGINES)
def test_the_outcome_is_that_of_the_loops_for_several_clusters(policy):
    for seed in range(60):
        rng = Random(seed)
        scaled = drawn(rng, rng.randint(1, 40))
        queue = queue_of(policy, scaled, rng)
        expected, found = empty_profiles(scaled, compiled=False), empty_profiles(scaled, compiled=False)
        runs = ENGINES[policy](expected, scaled, [1], queue)
        assert starts_on(found, scaled, 1, queue, policy, compiled=False) == [run.start for run in runs], seed
        assert merged(found.steps(1)) == merged(expected.steps(1)), seed
        assert list(found.steps(0)) == [(0, 20)]


@pytest.mark.parametrize("policy", ENGINES)
def test_long_queues_take_that_way(policy, monkeypatch):
    rng = Random(3)
    scaled = drawn(rng, 60)
    queue = queue_of(policy, scaled, rng)
    runs = ENGINES[policy](empty_profiles(scaled, compiled=False), scaled, [1], queue)
    monkeypatch.setattr(one_cluster, "LONG", 20)
    profiles = empty_profiles(scaled, compiled=True)
    assert serves(policy, profiles, scaled, [1], queue)
    assert ENGINES[policy](profiles, scaled, [1], queue) == runs


def test_what_it_cannot_serve_is_left_to_the_others(monkeypatch):
    scaled = replace(drawn(Random(3), 30), releases=tuple(range(30)))
    queue, profiles = list(range(30)), empty_profiles(scaled, compiled=False)
    assert not serves(LIST, profiles, scaled, [1], queue)  # too short
    monkeypatch.setattr(one_cluster, "LONG", 20)
    assert serves(LIST, profiles, scaled, [1], queue)
    assert not serves(LIST, profiles, scaled, [0, 1], queue)
    late = queue[::-1]
    assert serves(LIST, profiles, scaled, [1], late) and not serves(EASY, profiles, scaled, [1], late)
    profiles.close(200)
    assert not serves(LIST, profiles, scaled, [1], queue)  # a job that finds no place would wait for ever
