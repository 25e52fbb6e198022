"""Small MOSP instances for the checks of certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


def clusters_of(draw: Random, sizes: Sequence[int], count: int, *, late: bool, locality: Any = None) -> MospInstance:
    """Clusters of these sizes and so many jobs, with releases or without."""
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    for n in range(count):
        k = draw.randrange(len(sizes))
        release = draw.randint(0, 4) if late else 0
        jobs[k].append(RigidJob(f"J{n}", draw.randint(1, 6), draw.randint(1, sizes[k]), release))
    own = [Organization(f"O{k}", size, mine) for k, (size, mine) in enumerate(zip(sizes, jobs, strict=True))]
    return MospInstance(own, locality)


def areas_of(instance: MospInstance) -> list[int]:
    """Processors times ticks of each job."""
    scaled = instance.scaled()
    return [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]


# Two clusters of four; three jobs that want a cluster each for five ticks, and two that fit beside them. Optimum 10.
THREE = MospInstance(
    [
        Organization("A", 4, [RigidJob("J0", 5, 3), RigidJob("J1", 5, 3)]),
        Organization("B", 4, [RigidJob("J2", 5, 3), RigidJob("J3", 5, 1), RigidJob("J4", 5, 1)]),
    ],
    None,
)
