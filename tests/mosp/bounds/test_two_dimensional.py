"""The two-dimensional bound: valid for any weights, at least what it begins with, never fooled."""

from fractions import Fraction as F
from itertools import combinations
from random import Random

import pytest

from oas.core.result import Bound, Termination
from oas.core.rigid import Organization, RigidJob
from oas.mosp.bounds import knapsack
from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.bounds.knapsack import heaviest_chain
from oas.mosp.bounds.scales import Scales
from oas.mosp.bounds.two_dimensional import two_dimensional_bound
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck
from tests.mosp.instances import random_instance
from tests.slow import at_least, draws


def owners(*clusters, locality=1):
    """Clusters with jobs (p, q) of their owners."""
    return MospInstance(
        [
            Organization(f"O{k}", size, [RigidJob(f"J{k}.{n}", *job) for n, job in enumerate(jobs)])
            for k, (size, jobs) in enumerate(clusters)
        ],
        locality,
    )


# B's job must end by 2, beside A's jobs of 3 and 3 processors: three jobs that want the first two ticks.
URGENT = owners((4, [(2, 3), (2, 3), (2, 3)]), (4, [(2, 3)]))


def heaviest(weights, times, deadlines):
    """By trying every set, in the order of deadlines."""
    best = 0
    for size in range(len(times) + 1):
        for jobs in combinations(sorted(range(len(times)), key=lambda job: deadlines[job]), size):
            ends = [sum(times[one] for one in jobs[: index + 1]) for index in range(size)]
            if all(end <= deadlines[job] for end, job in zip(ends, jobs, strict=True)):
                best = max(best, sum(weights[job] for job in jobs))
    return best


@pytest.mark.parametrize("largest", [9, 2**70])
def test_chains(largest):
    draw = Random(1)
    for _ in range(150):
        count = draw.randint(1, 7)
        times = [draw.randint(1, 9) for _ in range(count)]
        deadlines = [draw.randint(-2, 25) for _ in range(count)]
        weights = [draw.choice((0, draw.randint(1, largest))) for _ in range(count)]
        weight, jobs = heaviest_chain(weights, times, deadlines)
        assert weight == heaviest(weights, times, deadlines) == sum(weights[job] for job in jobs)
        assert type(weight) is int and len(set(jobs)) == len(jobs)
        only = [[one[job] for job in jobs] for one in (weights, times, deadlines)]
        assert heaviest(*only) == weight


def test_in_coarser_time_no_chain_is_lost(monkeypatch):
    draw = Random(4)
    more = 0
    for _ in range(150):
        count = draw.randint(1, 7)
        times = [draw.randint(1, 9) for _ in range(count)]
        deadlines = [draw.randint(1, 30) for _ in range(count)]
        weights = [draw.randint(0, 9) for _ in range(count)]
        exact = heaviest_chain(weights, times, deadlines)[0]
        monkeypatch.setattr(knapsack, "MAX_CHAIN_CELLS", draw.randint(1, 60))
        weight, jobs = heaviest_chain(weights, times, deadlines)
        monkeypatch.undo()
        assert weight >= exact and weight == sum(weights[job] for job in jobs)
        more += weight > exact
    assert more


def test_by_hand():
    # Any two of the jobs side by side need a cluster each; one after another two of them end by 4, none by 3.
    found = two_dimensional_bound(URGENT, F(3), F(5))
    assert found.bound is not None and found.bound.value == 4
    short, long = Scales(URGENT.scaled(), 3), Scales(URGENT.scaled(), 4)
    assert (short.longest([1] * 4), long.longest([1] * 4), short.highest([1] * 4)) == ([1], [2], [1])
    assert short.room([1], [1]) == 2  # on both clusters
    uneven = owners((4, [(3, 3), (3, 3)]), (2, [(3, 2), (3, 1), (3, 2)]), locality=None)
    scales = Scales(uneven.scaled(), 5)
    assert (scales.sizes, scales.longest([1, 1, 0, 0, 0])) == ([2, 4], [0, 1])  # none fits on the smaller cluster
    assert scales.highest([1, 1, 0, 1, 0]) == [1, 2]


def test_between_the_bound_it_begins_with_and_the_optimum():
    raised = []
    for seed in range(draws(60)):
        instance = random_instance(seed, max_processors=4 if seed % 2 else 16)
        optimum, lower = brute_force(instance)[0], best_bound(instance).value
        found = two_dimensional_bound(instance, lower, optimum if seed % 2 else 2 * optimum)
        assert found.termination is Termination.FINISHED, found.message
        if found.bound is not None:
            assert lower < found.bound.value <= optimum
            assert recheck(instance, found.bound)
            assert not recheck(instance, Bound(found.bound.name, found.bound.value + 1, found.bound.certificate))
            raised.append(seed)
    assert len(raised) >= at_least(2), raised


@pytest.mark.slow
def test_above_every_other_bound_on_the_papers_workload():
    instance = uni(seed=0, jobs=10, organizations=2, processors=128)
    first = configuration_bound(instance, F(0), F(99)).bound
    assert first is not None and first.certificate is not None
    heights = first.certificate["weights"]
    found = two_dimensional_bound(instance, first.value, F(99), heights=heights).bound
    assert found is not None and recheck(instance, found)
    assert (first.value, found.value) == (84, 89)  # the optimum is 91


def test_time_runs_backwards_where_that_proves_more():
    """One processor, jobs of 4 and 3 released at 2 and 1: both take 7 in all, but nothing runs before 1."""
    instance = MospInstance([Organization("O", 1, [RigidJob("A", 4, 1, 2), RigidJob("B", 3, 1, 1)])], None)
    found = two_dimensional_bound(instance, F(7), F(8))
    assert found.bound is not None and found.bound.value == 8
