"""What a job of co-allocation can take on an empty grid: numbers of nodes of each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance


@dataclass(frozen=True, eq=False)
class NodeChoice:
    """Nodes of each class, Γ of the slowest, what is asked of each link that is loaded, and the shortest run so.

    Two choices are equal only if they are the same object.
    """

    counts: tuple[int, ...]
    power: Fraction
    loads: dict[int, Fraction]
    shortest: Fraction


def node_choices(instance: CoallocationInstance) -> list[list[NodeChoice]]:
    """Return the choices of each job that no link forbids on an empty grid."""
    ticks = instance.scaled()
    found = []
    for job in instance.jobs:
        own = []
        for counts in compositions(job.tasks, [len(one.nodes) for one in ticks.classes]):
            inside: dict[int, int] = {}
            for one, count in zip(ticks.classes, counts, strict=True):
                if count:
                    inside[one.cluster] = inside.get(one.cluster, 0) + count
            loads = {cluster: job.link_load(count) for cluster, count in inside.items()}
            limits = {cluster: instance.saturation.limit(instance.clusters[cluster].bandwidth) for cluster in inside}
            if any(limit is not None and loads[cluster] > limit for cluster, limit in limits.items()):
                continue
            power = min(ticks.powers[one.level] for one, count in zip(ticks.classes, counts, strict=True) if count)
            used = {cluster: load for cluster, load in loads.items() if load}
            own.append(NodeChoice(counts, power, used, job.duration(power, Fraction(0))))
        found.append(own)
    return found


def compositions(total: int, limits: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every list of whole numbers that add up to `total`, each at most its limit."""
    if not limits:
        if not total:
            yield ()
        return
    rest = sum(limits[1:])
    for first in range(max(0, total - rest), min(limits[0], total) + 1):
        for others in compositions(total - first, limits[1:]):
            yield (first, *others)
