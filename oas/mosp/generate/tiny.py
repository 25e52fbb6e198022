"""Tiny random MOSP instances with every feature, small enough for brute force; seeded.

Clusters equal or not, jobs wider than some clusters, releases, reservations, identical jobs, rational times,
organizations without jobs, localities none, 1 and above, local schedules by policy or given.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS, local_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCALITIES = (None, F(1), F(1), F(5, 4), F(3, 2))
UNITS = (F(1), F(1), F(1), F(1, 2), F(1, 3))


def draw_tiny(
    rng: Random,
    *,
    max_jobs: int = 5,
    max_clusters: int = 3,
    max_processors: int = 4,
    max_time: int = 6,
    releases: bool | None = None,
    reservations: bool | None = None,
    equal: bool | None = None,
    costly: bool | None = None,
    localities: Sequence[F | None] = LOCALITIES,
    name: str = "",
) -> MospInstance:
    """Draw an instance. A feature of None occurs at random, a requested one almost always.

    `equal`: all clusters have the same size. `costly`: locality increases the optimum. At random this happens in one
    instance of a hundred; if `costly` is None, and releases and reservations are not requested, one instance of five is
    designed for it.
    """
    if costly is None and max_jobs >= 4 and max_clusters >= 3 and not releases and not reservations:
        costly = rng.random() < 0.2
    if costly:
        return _costly(rng, max_jobs, max_processors, max_time, localities, name)
    releases = rng.random() < 0.4 if releases is None else releases
    reservations = rng.random() < 0.4 if reservations is None else reservations
    equal = rng.random() < 0.5 if equal is None else equal
    unit = rng.choice(UNITS)
    clusters, size = rng.randint(1, max_clusters), rng.randint(1, max_processors)
    sizes = [size if equal else rng.randint(1, max_processors) for _ in range(clusters)]
    owners = [rng.randrange(clusters) for _ in range(rng.randint(min(2, max_jobs), max_jobs))]
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    shapes: list[tuple[F, int, F]] = []
    for number, owner in enumerate(owners):
        release = rng.randint(0, 4) * unit if releases and rng.random() < 0.6 else F(0)
        shape = (rng.randint(1, max_time) * unit, rng.randint(1, sizes[owner]), release)
        alike = [shape for shape in shapes if shape[1] <= sizes[owner]]
        if alike and rng.random() < 0.3:
            shape = rng.choice(alike)
        shapes.append(shape)
        jobs[owner].append(RigidJob(f"J{number}", *shape))
    organizations = [
        Organization(f"O{k}", size, own, _reservations(rng, size, unit) if reservations else ())
        for k, (size, own) in enumerate(zip(sizes, jobs, strict=True))
    ]
    if rng.random() < 0.3 and len({organization.processors for organization in organizations}) == 1:
        shared = organizations[0].reservations
        organizations = [replace(organization, reservations=shared) for organization in organizations]
    locality = rng.choice(localities)
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
    blocked: list[Reservation] = []
    for _ in range(rng.randint(0, 3)):
        start = rng.randint(0, 7)
        new = Reservation(start, start + rng.randint(1, 4), rng.randint(1, processors))
        taken = [earlier.processors for earlier in blocked if earlier.start < new.end and new.start < earlier.end]
        if sum(taken) + new.processors <= processors:
            blocked.append(new)
    return MospInstance([Organization("O", processors, jobs, blocked)], None, name=f"alone, seed {seed}")


def _costly(
    rng: Random, max_jobs: int, max_processors: int, max_time: int, localities: Sequence[F | None], name: str
) -> MospInstance:
    """Draw two organizations with a short job each and one with two long jobs.

    An optimum without locality runs the short jobs in sequence. Any two of these four jobs are too wide for one
    cluster; further jobs, if any, are arbitrary.
    """
    size, first = rng.randint(1, max_processors), rng.randint(1, max_time // 2)
    second = rng.randint(1, max_time // 2)

    def job(number: int, time: int) -> RigidJob:
        return RigidJob(f"J{number}", time, rng.randint(size // 2 + 1, size))

    jobs = [[job(0, first)], [job(1, second)], [job(2, first + second), job(3, first + second)]]
    for number in range(4, rng.randint(4, max_jobs)):
        jobs[rng.randrange(3)].append(RigidJob(f"J{number}", rng.randint(1, max_time), rng.randint(1, size)))
    organizations = [Organization(f"O{k}", size, owned) for k, owned in enumerate(jobs)]
    return MospInstance(organizations, rng.choice(localities), "LPT", name=name)


def _reservations(rng: Random, size: int, unit: F) -> list[Reservation]:
    """Draw up to two reservations that follow one another."""
    drawn: list[Reservation] = []
    moment = 0
    for _ in range(rng.randint(0, 2)):
        start = moment + rng.randint(0, 4)
        moment = start + rng.randint(1, 4)
        drawn.append(Reservation(start * unit, moment * unit, rng.randint(1, size)))
    return drawn


def _local(rng: Random, organizations: Sequence[Organization], unit: F) -> str | dict[str, F]:
    """Return a policy, or the starts of a list schedule, delayed for organizations without reservations."""
    policy = rng.choice(list(LOCAL_ORDERS))
    if rng.random() < 0.8:
        return policy
    later = rng.randint(0, 2) * unit
    return {
        job.id: start if organization.reservations else start + later
        for organization in organizations
        for job, start in zip(organization.jobs, local_starts(organization, policy), strict=True)
    }
