"""Style of the Gantt charts of co-allocation: node powers, and jobs over several clusters hatched and joined."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.lanes import frame_of
from oas.plots.palette import SEPARATOR
from oas.plots.plain_look import PlainLook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes
    from oas.problems.coallocation.instance import Cluster, CoallocationInstance


class CoallocationLook(PlainLook):
    """The drawing style of `instance`; see `oas.plots.plain_look.Look`."""

    def __init__(self, instance: CoallocationInstance) -> None:
        super().__init__(frame_of(instance))
        object.__setattr__(self, "_clusters", instance.clusters)

    _clusters: tuple[Cluster, ...]

    def label(self, cluster: int, points: float) -> str:
        """Name and Γ of a cluster."""
        return _cluster_label(self._clusters[cluster], points)

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Lines where Γ changes, and connectors."""
        for index, cluster in enumerate(self._clusters):
            for node in _first_of_groups(cluster):
                place = lanes.top(index, node)
                ax.axhline(place, color=SEPARATOR, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0.7)
        super().draw(ax, lanes, boxes, schedule, points)


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
