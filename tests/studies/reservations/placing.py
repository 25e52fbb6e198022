"""Tiny clusters to place a reservation on, and the optimum at every start by brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Iterable


def random_task(seed: int) -> tuple[MospInstance, dict[str, object]]:
    """Return an instance of one or two clusters, and what `oas.place_reservation` is asked for."""
    rng = Random(seed)
    size, clusters = rng.randint(1, 4), rng.choice((1, 1, 1, 2))
    organizations = []
    for k in range(clusters):
        count = rng.randint(1, 4) if k == 0 else 1
        releases = [rng.choice((0, 0, 0, 3, 5)) for _ in range(count)]
        jobs = [RigidJob(f"J{k}{i}", rng.randint(1, 7), rng.randint(1, size), r) for i, r in enumerate(releases)]
        reservations, moment = [], 0
        for _ in range(rng.choice((0, 0, 1, 2))):
            start = moment + rng.randint(0, 5)
            moment = start + rng.randint(1, 4)
            reservations.append(Reservation(start, moment, rng.randint(1, size)))
        organizations.append(Organization(f"O{k}", size, jobs, reservations))
    earliest = rng.randint(0, 4)
    asked = {
        "length": rng.randint(1, 6),
        "processors": rng.randint(1, size),
        "between": (earliest, earliest + rng.randint(0, 16)),
        "organization": f"O{rng.randrange(clusters)}",
    }
    return MospInstance(organizations, locality=None), asked


def optimum_at(instance: MospInstance, asked: dict[str, object], start: F | int) -> F | None:
    """Return the optimum with the reservation there, by brute force; None where it does not fit beside the others."""
    held = Reservation(start, start + F(asked["length"]), asked["processors"])
    try:
        own = [
            replace(one, reservations=(*one.reservations, held)) if one.id == asked["organization"] else one
            for one in instance.organizations
        ]
    except InputError:
        return None
    return brute_force(MospInstance(own, locality=None))[0]


def optima(instance: MospInstance, asked: dict[str, object], starts: Iterable[F | int]) -> dict[F, F]:
    """Return the optimum at each of the starts at which the reservation fits."""
    every = ((F(start), optimum_at(instance, asked, start)) for start in starts)
    return {start: optimum for start, optimum in every if optimum is not None}
