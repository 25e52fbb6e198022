"""MOSP's configuration bound: between the volume bounds and the optimum, priced again, never fooled."""

from fractions import Fraction as F
from itertools import combinations
from math import ceil
from random import Random

import pytest

from oas.core.result import Termination
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.bounds.knapsack import EXACT, heaviest_by_capacity, heaviest_sets
from oas.mosp.bounds.simple import area, dual_feasible, high_jobs
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck
from tests.mosp.instances import random_instance
from tests.slow import at_least, draws

FAR = F(10**12)
# Any two of the jobs fit on a cluster of ten, no three; the area bound is 4.
THREE = MospInstance([Organization("O", 10, [RigidJob(f"J{n}", 5, 4) for n in range(3)])])


def heaviest(weights, widths, capacity):
    """By trying every set."""
    return max(
        sum(weights[job] for job in jobs)
        for size in range(len(widths) + 1)
        for jobs in combinations(range(len(widths)), size)
        if sum(widths[job] for job in jobs) <= capacity
    )


@pytest.mark.parametrize("largest", [9, 2 * EXACT])
def test_knapsacks(largest):
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


def bound_of(instance, upper=FAR, seconds=None):
    """What the search proves, which the checker confirms."""
    found = configuration_bound(instance, F(0), upper, seconds=seconds)
    assert found.bound is not None and recheck(instance, found.bound)
    assert seconds is not None or found.termination is Termination.FINISHED, found.message
    return found.bound


def test_by_hand():
    assert bound_of(THREE).value == 8  # 15 in pairs
    twice = MospInstance(
        [
            Organization("A", 10, [RigidJob(f"J{n}", 5, 4) for n in range(3)]),
            Organization("B", 4, [RigidJob("K", 6, 4)], [Reservation(0, 4, 1)]),
        ]
    )
    # 21 to be worked off, 2 at a time on A, 1 on B from 4 on: until 25/3
    assert bound_of(twice).value == 9


def test_no_job_runs_beside_itself():
    instance = MospInstance([Organization("O", 2, [RigidJob("A", 10, 1), RigidJob("B", 1, 1), RigidJob("C", 1, 1)])])
    assert bound_of(instance).value == 10


def test_between_the_volume_bounds_and_the_optimum():
    met = raised = 0
    for seed in range(draws(150)):
        instance = random_instance(seed, max_processors=4 if seed % 4 < 2 else 16)
        optimum = brute_force(instance)[0]
        found = bound_of(instance, optimum if seed % 2 else FAR).value
        assert found <= optimum, seed
        scaled = instance.scaled()
        if seed % 2 == 0 and not scaled.reservations and not any(scaled.releases):
            volumes = max(bound(instance) for bound in (area, high_jobs, dual_feasible))
            assert ceil(volumes / scaled.tick) * scaled.tick <= found, seed
        met += found == optimum
        raised += found > best_bound(instance).value
    assert met > at_least(50) and raised >= at_least(2), (met, raised)


def test_more_than_the_volume_bounds_on_the_papers_workload():
    instance = uni(seed=0, jobs=100, organizations=2, processors=128)
    assert (best_bound(instance).value, bound_of(instance).value) == (648, 653)
    assert bound_of(instance, F(650)).value in range(650, 654)
