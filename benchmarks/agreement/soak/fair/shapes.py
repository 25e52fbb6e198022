"""Odd instances of fair sharing, few jobs and moments, so that every schedule can be enumerated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


@dataclass(frozen=True)
class Shape:
    """What is drawn from; each attribute that is a sequence is a choice of equally likely values.

    Attributes
    ----------
    organizations, sizes, jobs
        How many organizations, processors of each, and jobs of each.
    times, gaps
        Of jobs; and how long after the one before it a job is released.
    begins
        When an organization's first job is released.
    wide
        Whether jobs may take several processors: as many as there are in all.
    twins
        Whether all organizations are alike.
    horizons
        How long after the first release it ends.
    """

    organizations: Sequence[int] = (2, 2, 3)
    sizes: Sequence[int] = (1, 1, 2)
    jobs: Sequence[int] = (1, 2, 2, 3)
    times: Sequence[int] = (1, 2, 3, 4, 5)
    gaps: Sequence[int] = (0, 0, 1, 2)
    begins: Sequence[int] = (0, 0, 0, 1, 3)
    wide: Sequence[bool] = (True, False)
    twins: bool = False
    horizons: Sequence[int] = (4, 6, 8, 10, 12)


def draw(rng: Random, shape: Shape) -> FairInstance:
    """Return an instance of `shape`."""
    count, wide = rng.choice(shape.organizations), rng.choice(shape.wide)
    sizes = [rng.choice(shape.sizes) for _ in range(count)]
    queues = [_queue(rng, shape, size if wide else 1) for size in sizes]
    if shape.twins:
        sizes, queues = sizes[:1] * count, queues[:1] * count
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{place}", *job) for place, job in enumerate(queue)])
        for k, (size, queue) in enumerate(zip(sizes, queues, strict=True))
    ]
    earliest = min(queue[0][2] for queue in queues)
    return FairInstance(organizations, earliest + rng.choice(shape.horizons))


def _queue(rng: Random, shape: Shape, widest: int) -> list[tuple[int, int, int]]:
    release, queue = rng.choice(shape.begins), []
    for _ in range(rng.choice(shape.jobs)):
        queue.append((rng.choice(shape.times), rng.randint(1, widest), release))
        release += rng.choice(shape.gaps)
    return queue


_PLAIN = Shape()
SHAPES: dict[str, Shape] = {
    "anything": _PLAIN,
    "one processor": replace(_PLAIN, organizations=(1,), sizes=(1,), jobs=(1, 2, 3, 4, 5)),
    "one organization": replace(_PLAIN, organizations=(1,), sizes=(1, 2, 3), jobs=(3, 4, 5)),
    "equal organizations": replace(_PLAIN, twins=True),
    "unit jobs": replace(_PLAIN, times=(1,), jobs=(2, 3, 4)),
    "equal jobs": replace(_PLAIN, times=(3,), wide=(False,), gaps=(0,)),
    "long jobs": replace(_PLAIN, times=(1, 2, 9, 100)),
    "horizon of 1": replace(_PLAIN, horizons=(1, 2)),
    "releases after the horizon": replace(_PLAIN, begins=(0, 5, 12), gaps=(0, 4, 9)),
    "late beginnings": replace(_PLAIN, begins=(0, 30), organizations=(1,), horizons=(3, 5)),
    "wide jobs": replace(_PLAIN, sizes=(2, 3), wide=(True,)),
}
