"""Tiny random MOSP instances with every feature, small enough for brute force; seeded.

Clusters equal or not, jobs wider than some clusters, releases, reservations, identical jobs, rational times,
organizations without jobs, localities none, 1 and above, local schedules by policy or given.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.local import LOCAL_ORDERS, local_starts
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCALITIES = (None, F(1), F(1), F(5, 4), F(3, 2))
UNITS = (F(1), F(1), F(1), F(1, 2), F(1, 3))


@dataclass(frozen=True, kw_only=True)
class TinyLimits:
    """Options of the random values; a feature of None occurs at random, a requested one occurs almost always."""

    max_jobs: int = 5
    max_clusters: int = 3
    max_processors: int = 4
    max_time: int = 6
    releases: bool | None = None
    reservations: bool | None = None
    equal: bool | None = None  # clusters of one size
    costly: bool | None = None  # locality that costs something
    localities: Sequence[F | None] = LOCALITIES


def draw_tiny(rng: Random, *, name: str = "", **given: Any) -> MospInstance:
    """Draw an instance within the `TinyLimits` given.

    By chance alone locality costs something in one instance of a hundred; where `costly` is left open, and releases and
    reservations may be missing, one in five is drawn to make it cost.
    """
    limits = TinyLimits(**given)
    releases, reservations, costly = limits.releases, limits.reservations, limits.costly
    if costly is None and limits.max_jobs >= 4 and limits.max_clusters >= 3 and not releases and not reservations:
        costly = rng.random() < 0.2
    if costly:
        return _costly(rng, limits, name)
    releases = rng.random() < 0.4 if releases is None else releases
    reservations = rng.random() < 0.4 if reservations is None else reservations
    equal = rng.random() < 0.5 if limits.equal is None else limits.equal
    unit = rng.choice(UNITS)
    clusters, size = rng.randint(1, limits.max_clusters), rng.randint(1, limits.max_processors)
    sizes = [size if equal else rng.randint(1, limits.max_processors) for _ in range(clusters)]
    owners = [rng.randrange(clusters) for _ in range(rng.randint(min(2, limits.max_jobs), limits.max_jobs))]
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    shapes: list[tuple[F, int, F]] = []
    for number, owner in enumerate(owners):
        release = rng.randint(0, 4) * unit if releases and rng.random() < 0.6 else F(0)
        shape = (rng.randint(1, limits.max_time) * unit, rng.randint(1, sizes[owner]), release)
        alike = [other for other in shapes if other[1] <= sizes[owner]]
        if alike and rng.random() < 0.3:
            shape = rng.choice(alike)
        shapes.append(shape)
        jobs[owner].append(RigidJob(f"J{number}", *shape))
    organizations = [
        Organization(f"O{k}", size, own, _reservations(rng, size, unit) if reservations else ())
        for k, (size, own) in enumerate(zip(sizes, jobs, strict=True))
    ]
    if rng.random() < 0.3 and len({one.processors for one in organizations}) == 1:
        shared = organizations[0].reservations
        organizations = [Organization(one.id, one.processors, one.jobs, shared) for one in organizations]
    locality = rng.choice(limits.localities)
    return MospInstance(organizations, locality, _local(rng, organizations, unit), rng.randint(0, 99), name)


def random_instance(seed: int, **limits: Any) -> MospInstance:
    """Return the instance that `draw_tiny` makes from this seed."""
    return draw_tiny(Random(seed), name=f"random, seed {seed}", **limits)


def alone(seed: int) -> MospInstance:
    """Return an organization alone, without locality: RESASCHEDULING with releases, reservations of any class.

    3 to 5 jobs of at most 4 units of time on 2 to 5 processors, up to three reservations, which may hold the whole
    cluster. Releases, and reservations, may be missing by chance.
    """
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
    return MospInstance([Organization("O", processors, jobs, held)], None, name=f"alone, seed {seed}")


def _costly(rng: Random, limits: TinyLimits, name: str) -> MospInstance:
    """Two organizations with a short job each, behind one another in an optimum were there no locality; two long jobs.

    Any two of these jobs are too wide for one cluster; more jobs, if any, are drawn freely.
    """
    size, first = rng.randint(1, limits.max_processors), rng.randint(1, limits.max_time // 2)
    second = rng.randint(1, limits.max_time // 2)

    def job(number: int, time: int) -> RigidJob:
        return RigidJob(f"J{number}", time, rng.randint(size // 2 + 1, size))

    jobs = [[job(0, first)], [job(1, second)], [job(2, first + second), job(3, first + second)]]
    for number in range(4, rng.randint(4, limits.max_jobs)):
        jobs[rng.randrange(3)].append(RigidJob(f"J{number}", rng.randint(1, limits.max_time), rng.randint(1, size)))
    organizations = [Organization(f"O{k}", size, own) for k, own in enumerate(jobs)]
    return MospInstance(organizations, rng.choice(limits.localities), "LPT", name=name)


def _reservations(rng: Random, size: int, unit: F) -> list[Reservation]:
    """Up to two reservations that follow one another."""
    made: list[Reservation] = []
    moment = 0
    for _ in range(rng.randint(0, 2)):
        start = moment + rng.randint(0, 4)
        moment = start + rng.randint(1, 4)
        made.append(Reservation(start * unit, moment * unit, rng.randint(1, size)))
    return made


def _local(rng: Random, organizations: Sequence[Organization], unit: F) -> str | dict[str, F]:
    """A policy, or starts given: a list schedule, put off where no reservation is in the way."""
    policy = rng.choice(list(LOCAL_ORDERS))
    if rng.random() < 0.8:
        return policy
    later = rng.randint(0, 2) * unit
    return {
        job.id: start if one.reservations else start + later
        for one in organizations
        for job, start in zip(one.jobs, local_starts(one, policy), strict=True)
    }
