"""What a Gantt chart of co-allocation shows: node powers, and jobs over several clusters hatched and joined."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.patches import Patch

from oas.plots.coallocation.connectors import connectors
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.palette import HATCH, INK, SEPARATOR, job_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes
    from oas.problems.coallocation.instance import Cluster, CoallocationInstance


@dataclass(frozen=True)
class CoallocationLook:
    """How `instance` is drawn; see `oas.plots.gantt_chart.Look`."""

    instance: CoallocationInstance
    margin = 0.0

    def horizon(self, end: Fraction) -> Fraction:
        """Nothing lies beyond the schedule."""
        return end

    def colour(self, job: int) -> str:
        """Each job has its own."""
        return job_colour(job)

    def label(self, cluster: int, points: float) -> str:
        """Name and Γ of a cluster."""
        return _cluster_label(self.instance.clusters[cluster], points)

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], _schedule: Schedule, _points: float) -> None:
        """Lines where Γ changes, and connectors."""
        for index, cluster in enumerate(self.instance.clusters):
            for node in _first_of_groups(cluster):
                place = lanes.top(index, node)
                ax.axhline(place, color=SEPARATOR, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0.7)
        for x, top, bottom in connectors(lanes, boxes):
            ax.plot([x, x], [top, bottom], color="white", linewidth=1.9, zorder=2.9, solid_capstyle="butt")
            ax.plot([x, x], [top, bottom], color=INK, linewidth=0.9, marker="o", markersize=1.9, zorder=3)

    def keys(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Explain the hatching, if something is hatched."""
        if all(len(placement.nodes) <= 1 for schedule in schedules for placement in schedule.placements):
            return []
        with rc_context({"hatch.linewidth": 0.6}):
            return [Patch(facecolor="#dddddd", edgecolor="#666666", hatch=HATCH, label="co-allocated over clusters")]


def _first_of_groups(cluster: Cluster) -> list[int]:
    """Nodes at which Γ changes."""
    powers = cluster.node_powers
    return [node for node in range(1, cluster.size) if powers[node] != powers[node - 1]]


def _cluster_label(cluster: Cluster, points: float) -> str:
    """Name and Γ of a cluster, in as many lines as a band of `points` has room for."""
    edges = [0, *_first_of_groups(cluster), cluster.size]
    sizes = [after - before for before, after in pairwise(edges)]
    values = [f"{float(cluster.node_powers[node]):.3g}" for node in edges[:-1]]
    if len(values) == 1:
        powers = [f"Γ = {values[0]}"]
    elif len(values) <= 4:
        powers = [f"{size} × Γ = {value}" for size, value in zip(sizes, values, strict=True)]
    else:
        powers = [f"Γ = {float(min(cluster.node_powers)):.3g} … {float(max(cluster.node_powers)):.3g}"]
    name, line = drawable(cluster.id, NAME_LENGTH), 11.0
    if points >= line * (1 + len(powers)):
        return "\n".join([name, *powers])
    return f"{name}  {powers[0]}" if len(powers) == 1 else name
