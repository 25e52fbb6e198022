"""MOSP's configuration bound: between the volume bounds and the optimum, priced again, never fooled."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import combinations
from math import ceil
from random import Random

import pytest

from oas.bounds.lower_bound import best_bound
from oas.bounds.mosp.configurations import configuration_bound
from oas.bounds.mosp.knapsack import EXACT, heaviest_by_capacity, heaviest_sets
from oas.bounds.mosp.simple import area, dual_feasible, high_jobs
from oas.core.result import Termination
from oas.exact.bound_check import recheck
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.bounds.redirected import redirect
from tests.problems.mosp.instances import random_instance

FAR = F(10**12)
# Any two of the jobs fit on a cluster of ten, no three; the area bound is 4.
THREE = MospInstance([Organization("O", 10, [RigidJob(f"J{n}", 5, 4) for n in range(3)])])


def heaviest(weights: list[int], widths: list[int], capacity: int) -> int:
    """By trying every set."""
    return max(
        sum(weights[job] for job in jobs)
        for size in range(len(widths) + 1)
        for jobs in combinations(range(len(widths)), size)
        if sum(widths[job] for job in jobs) <= capacity
    )


@pytest.mark.parametrize("largest", [9, 2 * EXACT])
def test_knapsacks(largest: int) -> None:
    draw = Random(5)
    for _ in range(60):
        count, capacity = draw.randint(1, 8), draw.randint(1, 12)
        widths = [draw.randint(1, 14) for _ in range(count)]
        weights = [draw.choice((0, draw.randint(1, largest))) for _ in range(count)]
        most = heaviest_by_capacity(weights, widths, capacity)
        assert most == [heaviest(weights, widths, c) for c in range(capacity + 1)]
        assert all(type(one) is int for one in most)
        wanted = [capacity, draw.randint(0, capacity)]
        for c, (weight, jobs) in zip(wanted, heaviest_sets(weights, widths, wanted), strict=True):
            assert weight == most[c] == sum(weights[job] for job in jobs)
            assert sum(widths[job] for job in jobs) <= c and len(set(jobs)) == len(jobs)


def test_by_hand() -> None:
    found = configuration_bound(THREE, FAR)
    assert (found.bound.value, found.termination) == (8, Termination.FINISHED)  # 15 in pairs
    assert heaviest(list(found.weights), [4] * 3, 10) * F(15, 2) <= 5 * sum(found.weights)
    twice = MospInstance(
        [
            Organization("A", 10, [RigidJob(f"J{n}", 5, 4) for n in range(3)]),
            Organization("B", 4, [RigidJob("K", 6, 4)], [Reservation(0, 4, 1)]),
        ]
    )
    # 21 to be worked off, 2 at a time on A, 1 on B from 4 on: until 25/3
    assert configuration_bound(twice, FAR).bound.value == 9


def test_no_job_runs_beside_itself() -> None:
    instance = MospInstance([Organization("O", 2, [RigidJob("A", 10, 1), RigidJob("B", 1, 1), RigidJob("C", 1, 1)])])
    assert configuration_bound(instance, FAR).bound.value == 10


def test_between_the_volume_bounds_and_the_optimum() -> None:
    met = raised = 0
    for seed in range(150):
        instance = random_instance(seed, max_processors=4 if seed < 75 else 16)
        optimum = brute_force(instance)[0]
        found = configuration_bound(instance, optimum if seed % 2 else FAR)
        assert found.termination is Termination.FINISHED, found.message
        assert found.bound.value <= optimum, seed
        assert recheck(instance, found.bound)
        scaled = instance.scaled()
        if seed % 2 == 0 and not scaled.reservations and not any(scaled.releases):
            volumes = max(bound(instance) for bound in (area, high_jobs, dual_feasible))
            assert ceil(volumes / scaled.tick) * scaled.tick <= found.bound.value, seed
        met += found.bound.value == optimum
        raised += found.bound.value > best_bound(instance).value
    assert met > 50 and raised >= 2, (met, raised)


def test_more_than_the_volume_bounds_on_the_papers_workload() -> None:
    instance = uni(seed=0, jobs=100, organizations=2, processors=128)
    seen: list[F] = []
    found = configuration_bound(instance, FAR, on_progress=seen.append)
    assert (best_bound(instance).value, found.bound.value) == (648, 653)
    assert seen == sorted(seen) and seen[-1] == 653
    assert configuration_bound(instance, F(650)).bound.value in range(650, 654)


def test_a_limit_keeps_what_was_found() -> None:
    instance = uni(seed=1, jobs=100, organizations=2, processors=128)
    hurried = configuration_bound(instance, FAR, seconds=0.05)
    assert hurried.bound.value <= configuration_bound(instance, FAR).bound.value
    assert recheck(instance, hurried.bound)


def test_a_lying_linear_program_cannot_make_a_wrong_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    redirect(monkeypatch, "tests.bounds.mosp.worker_side:lying_weights")
    weaker = 0
    for seed in range(40):
        instance = random_instance(seed)
        optimum = brute_force(instance)[0]
        found = configuration_bound(instance, FAR)
        assert found.bound.value <= optimum
        assert recheck(instance, found.bound)
        weaker += found.bound.value < optimum
    assert weaker > 5


def test_what_was_found_before_a_crash_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    redirect(monkeypatch, "tests.bounds.mosp.worker_side:broken_weights")
    found = configuration_bound(THREE, FAR)
    assert (found.termination, found.bound.value) == (Termination.ERROR, 8)
    assert "ZeroDivisionError" in found.message
