"""The contents and layout of Gantt charts: a lane for each node, a band for each cluster, boxes for runs.

This module does not import matplotlib, because text charts use it too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.node_ranges import stretches
from oas.core.problem import check_variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


@dataclass(frozen=True)
class ChartStyle:
    """The style of the Gantt charts of one problem."""

    look: str = "oas.plots.plain_look:Look"  # ``package.module:function`` of ``instance -> Look``
    # ``package.module:function`` of ``(look, schedule, caption, bound) -> Figure``, for the figure of a schedule with
    # further charts; empty for the Gantt chart alone
    figure: str = ""
    # ``(instance, schedule) -> reserved boxes``, each with cluster, first, count, start and end
    reserved: Callable[[Any, Schedule], Sequence[Any]] = lambda *_: []
    variants: tuple[str, ...] = ()  # `Problem.variants` that it can draw; empty for the plain one only


def chart_style(instance: Instance) -> ChartStyle:
    """Return the style of the instance's problem, by default the plain one; refuse variants that it cannot draw."""
    style: ChartStyle = instance.problem.part("chart") if instance.problem.has("chart") else ChartStyle()
    check_variant(instance, "the Gantt chart", style.variants)
    return style


@dataclass(frozen=True)
class Box:
    """One job on neighbouring nodes of one cluster: one rectangle."""

    job: int  # index in the instance
    cluster: int  # index in the instance
    first: int  # number of the first node
    count: int  # number of nodes
    start: Fraction  # of the run
    end: Fraction  # of the run
    coallocated: bool  # whether the job holds nodes of other clusters too


@dataclass(frozen=True)
class Lanes:
    """Vertical layout, in lanes from the top: clusters in order, separated by gaps."""

    sizes: tuple[int, ...]  # nodes of each cluster
    gap: float  # between two clusters, in lanes

    def top(self, cluster: int, node: int = 0) -> float:
        """Return the upper edge of a node's lane."""
        return sum(self.sizes[:cluster]) + cluster * self.gap + node

    @property
    def height(self) -> float:
        """Lower edge of the last lane."""
        return sum(self.sizes) + (len(self.sizes) - 1) * self.gap


@dataclass(frozen=True)
class Frame:
    """The data of an instance that a Gantt chart needs."""

    clusters: tuple[tuple[str, int], ...]  # id and number of nodes of each
    jobs: tuple[str, ...]  # their ids, in order
    slot: Fraction = Fraction(0)  # the slot size, in the instance's time unit; 0 without a slot grid


def frame_of(instance: Instance) -> Frame:
    """Return the frame of charts of `instance`."""
    slot = getattr(instance, "slot", Fraction(0))
    return Frame(tuple(instance.cluster_sizes), tuple(job.id for job in instance.jobs), slot)


def frame_of_schedule(schedule: Schedule) -> Frame:
    """Return a frame of the clusters and jobs in a schedule; the last used node of a cluster counts as its last one."""
    sizes = _sizes_used([schedule])
    jobs = dict.fromkeys(placement.job for placement in schedule.placements)
    return Frame(tuple(sorted(sizes.items())), tuple(jobs))


def cropped(frame: Frame, schedules: Iterable[Schedule]) -> Frame:
    """Return the frame without the last nodes of each cluster that no schedule uses; at least one node remains."""
    used = _sizes_used(schedules)
    return replace(frame, clusters=tuple((name, min(size, used.get(name, 1))) for name, size in frame.clusters))


def _sizes_used(schedules: Iterable[Schedule]) -> dict[str, int]:
    """Return the number of nodes of each cluster up to the last one that is used."""
    sizes: dict[str, int] = {}
    for placement in (placement for schedule in schedules for placement in schedule.placements):
        for name, numbers in placement.nodes.items():
            sizes[name] = max(sizes.get(name, 0), numbers[-1] + 1)
    return sizes


def lanes_of(frame: Frame) -> Lanes:
    """Return the layout for a frame; gaps grow with the number of lanes, and take less than half of the height."""
    sizes = tuple(size for _, size in frame.clusters)
    return Lanes(sizes, max(0.5, min(0.015, 0.15 / len(sizes)) * sum(sizes)))


def boxes_of(frame: Frame, schedule: Schedule) -> list[Box]:
    """Return the rectangles of `schedule`: for each job and cluster, the fewest that cover the nodes used.

    A schedule that names a job, cluster or node that the instance does not have is refused.
    """
    jobs = {name: index for index, name in enumerate(frame.jobs)}
    clusters = {name: (index, size) for index, (name, size) in enumerate(frame.clusters)}
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
            parts += [(cluster, one.start, len(one)) for one in stretches(dict.fromkeys(numbers))]
        shared = len(placement.nodes) > 1
        for cluster, first, count in sorted(parts):
            boxes.append(Box(jobs[placement.job], cluster, first, count, placement.start, placement.end, shared))
    return boxes
