"""Constraints that the configuration bound implies: CP-SAT refutes no makespan that has a schedule, and all others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oas.bounds.coallocation.configurations.bound import configuration_bound
from oas.bounds.coallocation.configurations.packing import Packing
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological.search import Weights
from oas.exact.coallocation.implied import CAPACITY, implied
from oas.exact.decision import decide
from oas.generate import tiny
from oas.models.coallocation.counts_cpsat import FORMULATION, prepare
from oas.problems.coallocation.allocations import fastest_level
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.ticks import coarsened
from oas.solvers.task import CPSAT, Limits, Settings
from tests.slow import every_fourth_quick

pytest.importorskip("ortools")


def strengthened(instance, upper):
    """What the exact search does with a specification, and what it adds."""
    found = configuration_bound(instance, upper, alternatives=3)
    duals = [Weights(found.weights, found.capacity)]
    duals += [Weights(one.weights, one.capacity) for one in found.alternatives]
    packing = Packing(instance.scaled())
    return lambda spec: replace(spec, implied=implied(spec, duals, packing))


@pytest.mark.parametrize("seed", every_fourth_quick(range(40)))
def test_it_decides_as_brute_force_does(seed):
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    strengthen = strengthened(instance, instance.scaled().to_time(optimum))
    _, unit = coarsened(scaled)
    longest = max(row[fastest_level(scaled, job) or 0] for job, row in enumerate(scaled.durations))
    for ticks in (optimum, optimum - unit):
        if ticks >= longest:
            found = decide(instance, FORMULATION, Settings(CPSAT), ticks, Limits(60), strengthen)
            assert found.refuted == (ticks < optimum) and (found.runs is None) == found.refuted


def test_what_is_added():
    """Two jobs that need all of the fast nodes, and a third that fits beside either of them."""
    cluster = Cluster("a", [NodeGroup(2, 1), NodeGroup(2, "1/2")], 100)
    instance = CoallocationInstance([cluster], [Job("x", 3, 4), Job("y", 3, 6), Job("z", 1, 2)], 1)
    spec = prepare(instance, instance.scaled(), 40, 1)
    third = Weights(((1, 1), (1, 1), (2, 2)), 3)
    found = implied(spec, [third], Packing(instance.scaled()))
    assert found.apart == ((0, 1),)
    assert found.weightings == ((((333_333,) * 2, (333_333,) * 2, (666_666,) * 2), CAPACITY),)
    assert found.reversible == 1
    twins = CoallocationInstance([cluster], [Job("x", 3, 4), Job("y", 3, 4)], 1)
    assert implied(prepare(twins, twins.scaled(), 40, 1), [], Packing(twins.scaled())).reversible is None
