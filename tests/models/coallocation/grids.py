"""Small co-allocation instances that the tests of models share."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache

from oas.core.errors import TooLargeError
from oas.exact.coallocation.brute_force import brute_force
from oas.models.coallocation import literal
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.strategies import random_instance


def mixed() -> CoallocationInstance:
    """Two clusters, two Γ in one of them, a link that binds, a serial job; η divides no duration."""
    clusters = [Cluster("A", [NodeGroup(1, 1), NodeGroup(1, F(1, 2))], 2), Cluster("B", [NodeGroup(1, F(3, 4))], 2)]
    jobs = [Job("wide", 2, 3, 2, F(7, 10)), Job("alone", 1, 5, 1, F(1, 2))]
    return CoallocationInstance(clusters, jobs, slot=2)


def continuous() -> CoallocationInstance:
    """η = 0: the tick plays the slot's part. The link of A carries one of the two wide jobs, not both."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], F(3, 2)), Cluster("B", [NodeGroup(2, 1)], 5)]
    jobs = [Job("u", 2, 1, F(3, 2)), Job("v", 3, 2, F(1, 2))]
    return CoallocationInstance(clusters, jobs)


def uniform(slot: int) -> CoallocationInstance:
    """One cluster of nodes of Γ = 1/2, durations 6 and 8: the processing slowdown is 2 wherever a job runs."""
    jobs = [Job("a", 2, 3), Job("b", 1, 4)]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, F(1, 2))], 0)], jobs, slot=slot)


def alike() -> CoallocationInstance:
    """Two clusters alike, three jobs alike, each link for one split job at a time."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], 1) for name in "AB"]
    jobs = [Job("wide", 3, 2, 1), *(Job(f"twin{index}", 2, 2, 1) for index in range(3))]
    return CoallocationInstance(clusters, jobs, slot=1)


@cache
def solved_instance(seed: int) -> tuple[CoallocationInstance, F]:
    """Return the random instance of this seed and its optimum by brute force."""
    instance = random_instance(seed)
    return instance, brute_force(instance)[0]


@cache
def literal_specs(count: int, coefficients: int) -> tuple[tuple[int, literal.LiteralSpec], ...]:
    """Return the first `count` seeds whose literal model, a slot longer than the optimum, has few coefficients."""
    found: list[tuple[int, literal.LiteralSpec]] = []
    seed = 0
    while len(found) < count:
        instance, optimum = solved_instance(seed)
        scaled = instance.scaled()
        try:
            spec = literal.prepare(instance, scaled, int(optimum / scaled.tick) + 1, 0)
        except TooLargeError:
            spec = None
        if spec is not None and spec.coefficient_count <= coefficients:
            found.append((seed, spec))
        seed += 1
    return tuple(found)
