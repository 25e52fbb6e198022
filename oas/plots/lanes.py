"""Where things stand in a Gantt chart: a lane for each node, a band of lanes for each cluster, boxes for runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule


@dataclass(frozen=True)
class Box:
    """One job on neighbouring nodes of one cluster: one rectangle.

    Attributes
    ----------
    job, cluster
        Indices in the instance.
    first, count
        The nodes: `count` of them from number `first`.
    start, end
        Of the run.
    coallocated
        Whether the job holds nodes of other clusters too.
    """

    job: int
    cluster: int
    first: int
    count: int
    start: Fraction
    end: Fraction
    coallocated: bool


@dataclass(frozen=True)
class Lanes:
    """Vertical layout, in lanes from the top: clusters in order, a gap between two.

    Attributes
    ----------
    sizes
        Nodes of each cluster.
    gap
        Between two clusters, in lanes.
    """

    sizes: tuple[int, ...]
    gap: float

    def top(self, cluster: int, node: int = 0) -> float:
        """Return the upper edge of a node's lane."""
        return sum(self.sizes[:cluster]) + cluster * self.gap + node

    @property
    def height(self) -> float:
        """Lower edge of the last lane."""
        return sum(self.sizes) + (len(self.sizes) - 1) * self.gap


def lanes_of(instance: CoallocationInstance) -> Lanes:
    """Return the layout for `instance`; gaps stay visible however many lanes there are."""
    return Lanes(tuple(cluster.size for cluster in instance.clusters), max(0.5, 0.015 * instance.node_count))


def boxes_of(instance: CoallocationInstance, schedule: Schedule) -> list[Box]:
    """Return the rectangles of `schedule`: for each job and cluster, the fewest that cover the nodes used.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have.
    """
    jobs = {job.id: index for index, job in enumerate(instance.jobs)}
    clusters = {cluster.id: index for index, cluster in enumerate(instance.clusters)}
    boxes = []
    for placement in schedule.placements:
        if placement.job not in jobs:
            raise InputError("the schedule names a job that the instance does not have", value=placement.job)
        parts = []
        for name, numbers in placement.nodes.items():
            if name not in clusters:
                raise InputError("the schedule names a cluster that the instance does not have", value=name)
            size = instance.clusters[clusters[name]].size
            if numbers[-1] >= size:
                raise InputError(f"cluster {name} has nodes 0 to {size - 1} only", value=numbers[-1])
            parts += [(clusters[name], first, count) for first, count in _stretches(numbers)]
        shared = len(placement.nodes) > 1
        for cluster, first, count in sorted(parts):
            boxes.append(Box(jobs[placement.job], cluster, first, count, placement.start, placement.end, shared))
    return boxes


def _stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, count)."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and number == sum(found[-1]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found
