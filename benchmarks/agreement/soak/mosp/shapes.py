"""Odd instances of MOSP: organizations and locality without reservations, and clusters with reservations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

from benchmarks.agreement.soak import odd_numbers as numbers
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.local import LOCAL_ORDERS, local_starts
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Reserved = list[Reservation]


def none_reserved(_rng: Random, _size: int, _one: F) -> Reserved:
    """Reserve nothing."""
    return []


def blocking(rng: Random, size: int, one: F) -> Reserved:
    """Reserve the whole cluster, at the beginning or later, perhaps twice with a gap."""
    start = rng.choice((0, 0, 1, 2)) * one
    first = Reservation(start, start + rng.randint(1, 4) * one, size)
    later = first.end + rng.randint(1, 4) * one
    return [first, *([Reservation(later, later + rng.randint(1, 3) * one, size)] if rng.random() < 0.5 else [])]


def gaps(rng: Random, size: int, one: F) -> Reserved:
    """Reserve all but a processor or none, with gaps as long as a job may be, to the letter or a hair less."""
    made, moment = [], F(0)
    for _ in range(rng.randint(1, 3)):
        start = max(F(0), moment + rng.randint(1, 4) * one - rng.choice((F(0), F(0), one / 997)))
        moment = start + rng.randint(1, 2) * one
        made.append(Reservation(start, moment, max(1, size - rng.choice((0, 1)))))
    return made


def adjoining(rng: Random, size: int, one: F) -> Reserved:
    """Reserve one time after the other, without a gap, more and fewer processors."""
    made, moment = [], rng.choice((F(0), one))
    for _ in range(rng.randint(1, 4)):
        end = moment + rng.choice((F(1, 2), F(1), F(2))) * one
        made.append(Reservation(moment, end, rng.randint(1, size)))
        moment = end
    return made


def overlapping(rng: Random, size: int, one: F) -> Reserved:
    """Reserve a processor each, at times that may overlap."""
    made = []
    for _ in range(rng.randint(1, size)):
        start = rng.randint(0, 6) * one
        made.append(Reservation(start, start + rng.randint(1, 5) * one, 1))
    return made


def late(rng: Random, size: int, one: F) -> Reserved:
    """Reserve the whole cluster for long, after what a short schedule needs or shortly before."""
    start = rng.randint(2, 9) * one
    return [Reservation(start, start + 10**6 * one, size)]


@dataclass(frozen=True)
class Shape:
    """What is drawn from; each attribute that is a sequence is a choice of equally likely values.

    Attributes
    ----------
    jobs, clusters, sizes
        How many jobs and clusters, and processors of a cluster.
    times
        ``rng -> Fraction``: times of jobs.
    alike
        Whether all clusters are, by lot.
    equal
        Whether all jobs of an organization are alike.
    widths
        ``(rng, size) -> int`` of a job.
    releases
        ``(rng, one) -> Fraction``: a release, `one` being about as long as a job.
    reserved
        ``(rng, size, one)`` -> reservations of a cluster.
    localities
        The bounds on what an organization may lose.
    owners
        Whether one organization owns all jobs.
    """

    jobs: Sequence[int] = (2, 3, 4, 5, 5)
    clusters: Sequence[int] = (1, 2, 2, 3)
    sizes: Sequence[int] = (1, 2, 2, 3, 4)
    times: Sequence[Callable[[Random], F]] = (numbers.small, numbers.simple)
    alike: Sequence[bool] = (True, False)
    equal: bool = False
    widths: Callable[[Random, int], int] = lambda rng, size: rng.randint(1, size)
    releases: Callable[[Random, F], F] = lambda rng, one: rng.choice((F(0), F(0), F(0), F(1), F(3, 2))) * one
    reserved: Sequence[Callable[[Random, int, F], Reserved]] = (none_reserved,)
    localities: Sequence[F | None] = (None, F(1), F(4, 3), F(5, 4))
    one_owner: bool = False


def draw(rng: Random, shape: Shape) -> MospInstance:
    """Return an instance of `shape`."""
    count, size, alike = rng.choice(shape.clusters), rng.choice(shape.sizes), rng.choice(shape.alike)
    sizes = [size if alike else rng.choice(shape.sizes) for _ in range(count)]
    times = rng.choice(shape.times)
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    for number in range(rng.choice(shape.jobs)):
        owner = 0 if shape.one_owner else rng.randrange(count)
        time = times(rng)
        own = jobs[owner][0] if shape.equal and jobs[owner] else None
        job = (own.time, own.processors, own.release) if own else _job(rng, shape, sizes[owner], time)
        jobs[owner].append(RigidJob(f"J{number}", *job))
    one = max(job.time for own in jobs for job in own)
    reserve = rng.choice(shape.reserved)
    organizations = [
        Organization(f"O{k}", size, own, _valid(size, reserve(rng, size, one)))
        for k, (size, own) in enumerate(zip(sizes, jobs, strict=True))
    ]
    return MospInstance(organizations, rng.choice(shape.localities), _local(rng, organizations, one), rng.randint(0, 9))


def _job(rng: Random, shape: Shape, size: int, time: F) -> tuple[F, int, F]:
    return time, shape.widths(rng, size), shape.releases(rng, time)


def _valid(size: int, reserved: Reserved) -> Reserved:
    """Leave out what would reserve more processors than there are."""
    kept: Reserved = []
    for one in reserved:
        held = sum(other.processors for other in kept if other.start < one.end and one.start < other.end)
        if held + one.processors <= size:
            kept.append(one)
    return kept


def _local(rng: Random, organizations: Sequence[Organization], one: F) -> str | dict[str, F]:
    """Draw a policy, or starts: those of a policy, put off where no reservation is in the way."""
    policy = rng.choice(sorted(LOCAL_ORDERS))
    if rng.random() < 0.8:
        return policy
    later = rng.choice((F(0), F(1, 3), F(1))) * one
    return {
        job.id: start if own.reservations else start + later
        for own in organizations
        for job, start in zip(own.jobs, local_starts(own, policy), strict=True)
    }


def unreleased(_rng: Random, _one: F) -> F:
    """Release at 0."""
    return F(0)


def scattered(rng: Random, one: F) -> F:
    """Release at 0, soon, or long after all else."""
    return rng.choice((F(0), one / 3, one, F(2) * one, F(50) * one))


_PLAIN = Shape()
_ONE_NODE = Shape(clusters=(1,), sizes=(1,), jobs=(1, 2, 3, 4, 5), times=(numbers.simple, numbers.fine))
SHAPES: dict[str, Shape] = {
    "anything": _PLAIN,
    "one processor": _ONE_NODE,
    "clusters of one processor": replace(_PLAIN, sizes=(1,), clusters=(2, 3), releases=unreleased),
    "equal jobs": replace(_PLAIN, equal=True, jobs=(4, 5, 6), releases=unreleased),
    "large denominators": replace(_PLAIN, times=(numbers.fine,)),
    "close times": replace(_PLAIN, times=(numbers.close,), releases=unreleased),
    "long times": replace(_PLAIN, times=(numbers.long,)),
    "uneven times": replace(_PLAIN, times=(numbers.uneven,)),
    "locality 1": replace(_PLAIN, localities=(F(1),), clusters=(2, 3), jobs=(4, 5)),
    "locality 4/3": replace(_PLAIN, localities=(F(4, 3),), clusters=(2, 3), jobs=(4, 5)),
    "locality of a large denominator": replace(_PLAIN, localities=(F(998, 997), F(65538, 65537)), clusters=(2, 3)),
    "wide jobs": replace(_PLAIN, widths=lambda rng, size: max(1, size - rng.choice((0, 0, 1))), sizes=(2, 3, 4, 5)),
    "narrow jobs": replace(_PLAIN, widths=lambda _rng, _size: 1, sizes=(2, 3, 4), releases=unreleased),
    "one owner": replace(_PLAIN, one_owner=True, clusters=(2, 3), localities=(F(1), F(4, 3), None)),
    "scattered releases": replace(_PLAIN, releases=scattered),
}
_RESERVED = replace(_PLAIN, reserved=(blocking, gaps, adjoining, overlapping))
_ALONE = replace(_RESERVED, clusters=(1,), sizes=(2, 3, 4, 5), localities=(None,), jobs=(3, 4, 5))
RESERVED: dict[str, Shape] = {
    "reservations": _RESERVED,
    "reservations block a cluster": replace(_RESERVED, reserved=(blocking,)),
    "gaps met to a hair": replace(_RESERVED, reserved=(gaps,)),
    "adjoining reservations": replace(_RESERVED, reserved=(adjoining,)),
    "overlapping reservations": replace(_RESERVED, reserved=(overlapping,), sizes=(2, 3, 4)),
    "a late reservation": replace(_RESERVED, reserved=(late,)),
    "one cluster, reservations": _ALONE,
    "one cluster, reservations, no releases": replace(_ALONE, releases=unreleased),
    "one cluster, scattered releases": replace(_ALONE, releases=scattered),
    "reservations, one processor": replace(_ONE_NODE, reserved=(blocking, gaps)),
    "reservations, large denominators": replace(_RESERVED, times=(numbers.fine,)),
    "reservations, equal jobs": replace(_RESERVED, equal=True, jobs=(4, 5)),
    "reservations, locality 4/3": replace(_RESERVED, localities=(F(4, 3),), clusters=(2, 3)),
}
