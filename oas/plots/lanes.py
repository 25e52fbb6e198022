"""Where things stand in a Gantt chart: a lane for each node, a band of lanes for each cluster, boxes for runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from oas.core.instances import Instance
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


def clusters_of(instance: Instance) -> list[tuple[str, int]]:
    """Return the id and the number of nodes of each cluster."""
    if isinstance(instance, MospInstance):
        return [(organization.id, organization.processors) for organization in instance.organizations]
    return [(cluster.id, cluster.size) for cluster in instance.clusters]


def lanes_of(instance: Instance) -> Lanes:
    """Return the layout for `instance`; gaps stay visible however many lanes there are, and the lesser part."""
    sizes = tuple(size for _, size in clusters_of(instance))
    return Lanes(sizes, max(0.5, min(0.015, 0.15 / len(sizes)) * sum(sizes)))


def boxes_of(instance: Instance, schedule: Schedule) -> list[Box]:
    """Return the rectangles of `schedule`: for each job and cluster, the fewest that cover the nodes used.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have.
    """
    ids = [job.id for job in instance.jobs]
    jobs = {name: index for index, name in enumerate(ids)}
    clusters = {name: (index, size) for index, (name, size) in enumerate(clusters_of(instance))}
    boxes = []
    for placement in schedule.placements:
        if placement.job not in jobs:
            raise InputError("the schedule names a job that the instance does not have", value=placement.job)
        parts = []
        for name, numbers in placement.nodes.items():
            if name not in clusters:
                raise InputError("the schedule names a cluster that the instance does not have", value=name)
            cluster, size = clusters[name]
            if numbers[-1] >= size:
                raise InputError(f"cluster {name} has nodes 0 to {size - 1} only", value=numbers[-1])
            parts += [(cluster, first, count) for first, count in stretches(numbers)]
        shared = len(placement.nodes) > 1
        for cluster, first, count in sorted(parts):
            boxes.append(Box(jobs[placement.job], cluster, first, count, placement.start, placement.end, shared))
    return boxes


def stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the runs of consecutive numbers, as (first, count)."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and number == sum(found[-1]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found
