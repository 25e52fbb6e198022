"""Guarantees, list orders and strategies: they hold on a few seeds, and violations of theorems are detected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from benchmarks.soak import guarantees, list_orders, list_theorems, strategies
from benchmarks.soak.checks import CHECKS
from benchmarks.soak.findings import AGREED, MISMATCH, Asked, examined
from benchmarks.soak.list_orders import ORDERS, lemma1
from benchmarks.soak.list_theorems import THEOREMS
from benchmarks.soak.presented import Presented, in_turn, outcome, presented
from benchmarks.soak.strategies import manipulated
from oas.core.rigid import Organization, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.fair.instance import FairInstance
from oas.mosp.availability import availability
from oas.mosp.instance import MospInstance
from oas.mosp.search.queueing import empty_profiles, list_runs
from oas.solving.method import Guarantee, Method, NotPlacedError


def findings(check: str, seeds: range) -> list[Any]:
    draws = [one for one in map(CHECKS[check].draw, seeds) if one is not None]
    return [found for one in draws for found in examined(CHECKS[check].examine, one.instance, Asked(one.seed))]


# Guarantees


def test_guarantees_are_kept() -> None:
    found = findings("guarantees", range(len(guarantees.KINDS)))
    assert {one.verdict for one in found} == {AGREED, "refused"}
    assert {one.participant for one in found} >= {"MOLBA-high", "ILBA", "MOCCA", "local", "area bound"}


def runs_at(*runs: tuple[str, int]) -> Any:
    return lambda _, seed=0: Schedule([Placement(job, F(at), F(at + 2), {"A": [0]}) for job, at in runs], "x")


def lost(instance: Any, *, seed: int = 0) -> Schedule:
    raise NotPlacedError("no room")


@pytest.mark.parametrize(
    ("run", "promise", "fault"),
    [
        (runs_at(("a", 0), ("b", 1)), None, "[capacity] node 0 of cluster A serves a and b at 1"),
        (runs_at(("a", 0), ("b", 3)), None, "[locality] organization A ends at 5, above 1 · 4"),
        (runs_at(("a", 0), ("b", 2)), F(3, 2), "makespan 4, above 3/2 times the optimum, 2"),
        (runs_at(("a", 0), ("b", 2)), F(2), ""),
        (lost, F(3), "promises a ratio, but: no room"),
        (lost, None, ""),
    ],
)
def test_a_broken_guarantee_is_noticed(monkeypatch: Any, run: Any, promise: F | None, fault: str) -> None:
    """One organization owns two jobs, the other idles: 2 together, 4 alone."""
    two = MospInstance([Organization("A", 1, [RigidJob("a", 2, 1), RigidJob("b", 2, 1)]), Organization("B", 1)])
    guarantee = None if promise is None else lambda _: Guarantee(promise, "none")
    method = Method("x", run, "", problem=MospInstance, guarantee=guarantee)
    monkeypatch.setattr(guarantees, "toolkit_methods", lambda _: [method])
    found = next(iter(guarantees.examine(two, Asked(0))))
    assert found.detail.startswith(fault) and (found.verdict == MISMATCH) == bool(fault)


# List orders


def test_no_order_breaks_a_theorem() -> None:
    found = findings("list-orders", range(2 * len(THEOREMS)))
    assert {one.verdict for one in found} == {AGREED}
    for theorem in THEOREMS:
        own = [one for one in found if one.participant.startswith(theorem.name + ",")]
        assert len(own) == 2 * ORDERS and all(one.value is None or one.value <= 1 for one in own)
    assert sum(one.participant == "lemma 1" for one in found) >= 4 * ORDERS


def test_a_false_theorem_is_noticed(monkeypatch: Any) -> None:
    names = {one.name: replace(one, ratio=lambda *_: F(1, 3)) for one in THEOREMS}
    monkeypatch.setattr(list_orders, "BY_NAME", names)
    wrong = {one.participant for one in findings("list-orders", range(len(THEOREMS))) if one.verdict == MISMATCH}
    assert len(wrong) == len(THEOREMS)


def test_lemma_1_by_its_definition() -> None:
    """Check every tick of list schedules and of schedules with gaps, most of which violate the lemma."""
    broken = 0
    for seed in range(60):
        instance: Any = list_theorems.draw(len(THEOREMS) * 2 * seed + 2).instance
        scaled, rng = instance.scaled(), Random(seed)
        free = availability(instance.organizations[0]).least_free
        runs = list_runs(empty_profiles(scaled), scaled, [0], list(range(scaled.job_count)))
        if seed % 2:
            runs = [replace(run, start=run.start + rng.randint(0, 9)) for run in runs]
        end = max(run.start + scaled.times[run.job] for run in runs)
        used = [
            sum(scaled.widths[run.job] for run in runs if run.start <= tick < run.start + scaled.times[run.job])
            for tick in range(end)
        ]
        longest = max(scaled.times)
        holds = all(used[t] + used[later] > free for t in range(end) for later in range(t + longest, end))
        assert lemma1(scaled, runs, free) == holds
        broken += not holds
    assert 5 < broken < 31


# Strategies


def own(*jobs: tuple[int, int, int]) -> Organization:
    """An organization of two processors with jobs of (time, processors, release)."""
    return Organization("A", 2, [RigidJob(f"a{n}", *job) for n, job in enumerate(jobs)])


def shown(found: Presented | None) -> list[tuple[int, int, int, int]] | None:
    if found is None:
        return None
    pairs = zip(found.jobs, found.real, strict=True)
    return [(int(job.time), job.processors, int(job.release), real) for job, real in pairs]


JOBS = own((5, 1, 0), (2, 1, 3), (4, 2, 3))


@pytest.mark.parametrize(
    ("organization", "strategy", "chosen", "expected"),
    [
        (JOBS, "split", {0}, [(2, 1, 0, 2), (3, 1, 0, 3), (2, 1, 3, 2), (4, 2, 3, 4)]),
        (JOBS, "merge", {0}, [(7, 1, 3, 7), (4, 2, 3, 4)]),
        (JOBS, "merge", {0, 1, 2}, [(7, 1, 3, 7), (4, 2, 3, 4)]),
        (JOBS, "delay", {1}, [(5, 1, 0, 5), (2, 1, 4, 2), (4, 2, 4, 4)]),
        (JOBS, "pad", {0, 2}, [(6, 1, 0, 5), (2, 1, 3, 2), (5, 2, 3, 4)]),
        (own((1, 1, 0)), "split", {0}, None),
        (JOBS, "merge", {1}, None),  # the next one is wider
        (JOBS, "merge", {2}, None),  # it is the last
    ],
)
def test_presented_jobs(organization: Organization, strategy: str, chosen: set[int], expected: Any) -> None:
    assert shown(presented(organization, strategy, chosen)) == expected


def test_the_second_piece_in_turn_comes_behind_the_jobs_presented_before() -> None:
    assert shown(in_turn(JOBS, 0, 4)) == [(2, 1, 0, 2), (2, 1, 3, 2), (4, 2, 3, 4), (3, 1, 6, 3)]
    assert shown(in_turn(JOBS, 0, 0)) == [(2, 1, 0, 2), (3, 1, 2, 3), (2, 1, 3, 2), (4, 2, 3, 4)]
    assert in_turn(JOBS, 0, -1) is None and in_turn(own((1, 1, 0)), 0, 4) is None


RUNS = [(0, 1, 3, 1), (2, 4, 2, 1)]  # release, start, time, width


@pytest.mark.parametrize(
    ("runs", "strategy", "horizon", "expected"),
    [
        (RUNS[:1], "split", 9, [[(0, 1, 1, 1), (0, 2, 2, 1)], [(0, 1, 2, 1), (0, 3, 1, 1)]]),
        (RUNS[:1], "split", 2, [[(0, 1, 1, 1)], [(0, 1, 2, 1)]]),
        (RUNS, "merge", 9, [[(0, 1, 5, 1)]]),
        ([RUNS[0], (2, 4, 2, 2)], "merge", 9, []),
        ([(1, 1, 3, 1)], "delay", 9, [[(2, 2, 3, 1)]]),
        ([(1, 1, 3, 1)], "delay", 2, [[]]),
        (RUNS[1:], "pad", 9, [[(2, 4, 3, 1)]]),
    ],
)
def test_manipulated_schedules(runs: Any, strategy: str, horizon: int, expected: Any) -> None:
    assert list(manipulated(runs, strategy, horizon)) == expected


def test_outcomes_by_hand() -> None:
    """Padding does not count; pieces of a job of four units run side by side: from 10 + 9 + 8 + 7 to 2 · (10 + 9)."""
    padded = FairInstance([own((2, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1)])], 10)
    found = outcome(padded, "FCFS", 0, presented(padded.organizations[0], "pad", {0}))
    assert found is not None and (found.value, found.starts) == (10 + 9, (0,))
    split = FairInstance([own((4, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1, 9)])], 10)
    first = split.organizations[0]
    values = [outcome(split, "REF", 0, one) for one in (None, presented(first, "split", {0}), in_turn(first, 0, 0))]
    assert [one.value for one in values if one is not None] == [34, 38, 34]
    late = FairInstance([own((1, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1, 5)])], 1)
    assert outcome(late, "REF", 0, presented(late.organizations[0], "delay", {0})) is None


@pytest.mark.slow
def test_in_a_fixed_schedule_psi_never_pays(monkeypatch: Any) -> None:
    found = findings("strategies", range(4))
    assert MISMATCH not in {one.verdict for one in found}
    split = [one.verdict for one in found if one.participant == "fixed schedule, split: ψ_sp"]
    assert set(split) == {"same"} and len(split) > 10
    assert "costs" in {one.verdict for one in found if one.participant == "fixed schedule, delay: ψ_sp"}
    monkeypatch.setattr(strategies, "utility", lambda name, runs, horizon: len(runs))
    assert "fixed schedule, split: ψ_sp" in {
        one.participant for one in findings("strategies", range(4)) if one.verdict == MISMATCH
    }
