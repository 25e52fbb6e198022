"""Random instances of one cluster with reservations and releases, and their optima: seeded, tiny."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.instance import MospInstance, Organization, Reservation, RigidJob
from oas.problems.mosp.ticks import coarsened

if TYPE_CHECKING:
    from fractions import Fraction as F


def alone(seed: int) -> MospInstance:
    """Up to five jobs on a cluster of up to five processors, with releases and reservations."""
    rng = Random(seed)
    processors = rng.randint(2, 5)
    jobs = [
        RigidJob(f"J{k}", rng.randint(1, 4), rng.randint(1, processors), rng.choice((0, 0, rng.randint(0, 5))))
        for k in range(rng.randint(3, 5))
    ]
    held: list[Reservation] = []
    for _ in range(rng.randint(0, 3)):
        start = rng.randint(0, 7)
        one = Reservation(start, start + rng.randint(1, 4), rng.randint(1, processors))
        taken = [other.processors for other in held if other.start < one.end and one.start < other.end]
        if sum(taken) + one.processors <= processors:
            held.append(one)
    return MospInstance([Organization("O", processors, jobs, held)], locality=None)


@cache
def optimum(seed: int) -> int:
    """In units."""
    found = brute_force(alone(seed))[0] / unit(seed)
    assert found.denominator == 1
    return int(found)


def unit(seed: int) -> F:
    return coarsened(alone(seed).scaled())[0].tick
