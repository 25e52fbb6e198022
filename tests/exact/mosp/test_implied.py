"""Constraints added to questions about one makespan: schedules keep them, and CP-SAT answers as brute force does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

import pytest

from oas.core.result import Bound
from oas.exact.evidence import Evidence
from oas.exact.mosp import implied as module
from oas.exact.mosp import search
from oas.exact.mosp.brute_force import brute_force
from oas.exact.mosp.implied import CAPACITY, implied
from oas.generate.mosp.tiny import alone, random_instance
from oas.models.mosp.cumulative_cpsat import FORMULATION, CumulativeSpec, Implied, prepare
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import cluster_runs_from_schedule, local_schedule
from oas.problems.mosp.ticks import coarsened
from oas.problems.rigid import Organization, Reservation, RigidJob
from oas.solvers.isolation.client import run
from oas.solvers.task import CPSAT, Limits, Settings, Task

if TYPE_CHECKING:
    from oas.solvers.outcome import Outcome


SYMMETRIC = {"releases": False, "reservations": False, "localities": (None,)}


def drawn(seed: int) -> MospInstance:
    """Return a tiny instance of one of four kinds in turn."""
    if seed % 4 == 0:
        return alone(seed)
    if seed % 4 == 1:
        return random_instance(seed, reservations=True, equal=False)
    if seed % 4 == 2:
        return random_instance(seed, max_time=3, max_processors=3, **SYMMETRIC)  # many identical jobs
    return random_instance(seed, max_processors=7, max_time=9)


def weights_of(rng: Random, instance: MospInstance) -> list[tuple[int, ...]]:
    return [tuple(rng.choice((0, 1, 2, 5, 10**12 + 7)) for _ in instance.jobs) for _ in range(2)]


def instance_of(
    sizes: tuple[int, ...], jobs: list[tuple[int, int]], held: tuple[Reservation, ...] = ()
) -> MospInstance:
    """Return an instance whose jobs (p, q) belong to the last organization; the first has the reservations."""
    own = [RigidJob(f"J{index}", time, width) for index, (time, width) in enumerate(jobs)]
    jobs_of = [*([] for _ in sizes[1:]), own]
    held_on = [held, *(() for _ in sizes[1:])]
    parts = enumerate(zip(sizes, jobs_of, held_on, strict=True))
    return MospInstance([Organization(f"O{k}", *part) for k, part in parts], None)


def solved(spec: CumulativeSpec) -> Outcome:
    return run(Task(FORMULATION.builder, spec, None), Settings(CPSAT), Limits(60))


def question(instance: MospInstance, ticks: int):
    return prepare(instance, instance.scaled(), ticks, ticks)


@pytest.mark.parametrize("seed", range(20))
def test_every_schedule_keeps_every_budget(monkeypatch, seed) -> None:
    monkeypatch.setattr(module, "BUDGETS", 10**6)
    monkeypatch.setattr(module, "HEIGHTS", 10**6)
    instance, rng = drawn(seed), Random(seed)
    scaled = instance.scaled()
    makespan, schedule = brute_force(instance)
    spec = question(instance, int(makespan / scaled.tick))
    budgets = implied(spec, weights_of(rng, instance), weights_of(rng, instance)).budgets
    assert budgets
    runs = cluster_runs_from_schedule(instance, scaled, schedule)
    for weights, room in budgets:
        assert max(room) <= CAPACITY and all(type(one) is int for one in (*weights, *room))
        for cluster, limit in enumerate(room):
            assert sum(weights[one.job] for one in runs if one.cluster == cluster) <= limit


@pytest.mark.parametrize("seed", range(24))
def test_it_decides_as_brute_force_does(seed) -> None:
    pytest.importorskip("ortools")
    instance = drawn(1000 + seed)
    scaled, rng = instance.scaled(), Random(seed)
    optimum, unit = int(brute_force(instance)[0] / scaled.tick), coarsened(scaled)[1]
    for ticks in (optimum, optimum - unit):
        spec = question(instance, ticks)
        coarse = spec.scaled
        if any(r + p > e for r, p, e in zip(coarse.releases, coarse.times, spec.ends, strict=True)):
            continue
        given = replace(spec, implied=implied(spec, weights_of(rng, instance), weights_of(rng, instance)))
        assert solved(given).infeasible == (ticks < optimum)


def test_a_schedule_is_read_forwards_if_it_can_be_read_backwards() -> None:
    jobs = [(5, 3), (5, 3), (4, 2), (1, 1)]
    plain = instance_of((3, 3), jobs)
    assert implied(question(plain, 12)).reversible == 2  # the first two are identical: their order is fixed
    reserved = instance_of((3, 3), jobs, (Reservation(4, 6, 1),))
    assert implied(question(reserved, 12)).reversible is None
    released = MospInstance([Organization("O", 3, [RigidJob("a", 2, 1, 1), RigidJob("b", 1, 1)])], None)
    assert implied(question(released, 12)).reversible is None
    local = MospInstance([Organization("O", 3, [RigidJob("a", 2, 1), RigidJob("b", 1, 1)])], 1)
    assert implied(question(local, 12)).reversible is None
    assert implied(question(local, 2)).reversible == 0  # its deadline is the horizon


def test_the_search_passes_the_weights_of_its_bounds(monkeypatch) -> None:
    seen = []

    def noted(spec, heights, times):
        seen.append((heights, times))
        return Implied()

    monkeypatch.setattr(search, "implied", noted)
    instance = instance_of((3, 3), [(4, 2), (4, 3), (4, 2)])
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = Bound("two-dimensional", F(8), {"heights": [1, 1, 1], "times": [4, 4, 4]})
    own = search.MospExactSearch(evidence, 0, lambda: None, lambda: None)
    own.heights = (1, 2, 1)
    own.strengthened(question(instance, 8))
    assert seen == [([(1, 2, 1), (1, 1, 1)], [(4, 4, 4)])]
