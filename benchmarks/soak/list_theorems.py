"""Theorems of the reservations paper on list schedules of one cluster, and instances drawn to their hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from benchmarks.soak.drawing import Drawn
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.availability import availability
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL_JOBS, LARGE_JOBS = 6, 40


def non_increasing(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return reservations from 0 on, and the maximum width of a job, which may have to wait until they have ended."""
    left, found = size, []
    for _ in range(rng.randint(1, 4)):
        width = rng.randint(0, left)
        left -= width
        if width:
            found.append(Reservation(0, rng.randint(1, rng.choice((24, 120))), width))
    return found, rng.choice((size, -(-size // 3)))


def share_left(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return reservations at any time that leave αm processors, and αm, which is the maximum width of a job."""
    least = rng.randint(1, size)
    left, found = size - least, []
    while left:
        width, moment = rng.randint(1, left), 0
        left -= width
        for _ in range(rng.randint(0, 3)):  # these processors' reservations, one after the other
            moment += rng.randint(0, 12)
            found.append(Reservation(moment, moment + rng.randint(1, 12), width))
            moment = int(found[-1].end)
    return found, least


@dataclass(frozen=True)
class Theorem:
    """A theorem, and the instances to which it applies."""

    name: str  # its place in the paper
    # Draws reservations on a number of processors, and the maximum width of a job
    reservations: Callable[[Random, int], tuple[list[Reservation], int]]
    # Whether jobs have releases, and lists are scheduled in batches: then the ratio is twice that of a batch
    batches: bool
    # ``(instance, C) -> ratio`` proven for every order of a batch; C is the optimum or a lower bound on it
    ratio: Callable[[MospInstance, Fraction], Fraction]


def no_reservations(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return no reservations, and the maximum width of a job."""
    return [], size


def graham(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2 - 1/m."""
    return 2 - Fraction(1, instance.node_count)


def non_increasing_ratio(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2 - 1/m(C)."""
    return 2 - Fraction(1, availability(instance.organizations[0]).free_at(optimum))


def share_ratio(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2/α."""
    alpha = availability(instance.organizations[0]).alpha
    assert alpha is not None
    return 2 / alpha


THEOREMS = (
    Theorem("theorem 2", no_reservations, False, graham),
    Theorem("proposition 1", non_increasing, False, non_increasing_ratio),
    Theorem("proposition 3", share_left, False, share_ratio),
    Theorem("section 2.1, no reservations", no_reservations, True, graham),
    Theorem("section 2.1, non-increasing", non_increasing, True, graham),
    Theorem("section 2.1, α", share_left, True, share_ratio),
)


def draw(seed: int) -> Drawn:
    """Return the instance of `seed`: theorems in turn, small and large instances alternately."""
    turn, number = divmod(seed, len(THEOREMS))
    theorem = THEOREMS[number]
    rng = Random(f"{theorem.name} {turn}")
    size = rng.randint(2, rng.choice((4, 16)))
    held, widest = theorem.reservations(rng, size)
    jobs = rng.randint(3, SMALL_JOBS) if turn % 2 == 0 else rng.randint(SMALL_JOBS + 1, LARGE_JOBS)
    latest = rng.randint(1, 6 * jobs) if theorem.batches else 0
    times, narrow = rng.choice((2, 6, 20)), rng.choice((1, widest))
    made = [
        RigidJob(
            f"J{one}",
            rng.randint(1, times),
            rng.randint(1, rng.choice((narrow, widest))),
            rng.choice((0, rng.randint(0, latest))),
        )
        for one in range(jobs)
    ]
    instance = MospInstance([Organization("cluster", size, made, held)], None, name=theorem.name)
    return Drawn(seed, "mosp", theorem.name, instance)
