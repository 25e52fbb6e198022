"""The Gantt chart: a lane for each node, grouped by cluster."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import ScaledTranslation

from oas.plots.axes import bare, format_number, new_figure, time_axis
from oas.plots.connectors import connectors
from oas.plots.labels import PLAIN, add_box_label, drawable
from oas.plots.lanes import Lanes, boxes_of, lanes_of
from oas.plots.palette import BANDS, INK, SEPARATOR, accent, job_colour

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes

    from oas.core.coallocation import Cluster, CoallocationInstance
    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box

HATCH = "////"
_TITLE_ROW = 15.0  # points above the axes, over the makespan's label
NAME_LENGTH = 24  # letters shown of a cluster's id
_NODE_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def gantt(
    instance: CoallocationInstance,
    schedule: Schedule,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    unit: str = "",
    horizon: Fraction | None = None,
    note: str = "",
    key: bool = True,
) -> Axes:
    """Draw `schedule` with a lane for each node, grouped by cluster.

    Each job has one colour in all figures of its instance. Neighbouring nodes of a job are one box. The parts of a
    co-allocated job are hatched, outlined and joined across clusters.

    Parameters
    ----------
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    title
        In place of the schedule's method.
    unit
        Name of the time unit, for the axis.
    horizon
        End of the time axis, if later than the makespan; for figures that compare.
    note
        Added to the makespan's label.
    key
        Whether to explain the hatching above the chart, if something is hatched.

    Returns
    -------
    Axes
        Those drawn on.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have.
    """
    lanes, boxes = lanes_of(instance), boxes_of(instance, schedule)
    if ax is None:
        ax = new_figure(gantt_height(instance, most=8.0) + 1.0).subplots()
    lane_points = ax.get_window_extent().height / ax.figure.dpi * 72 / lanes.height
    time_axis(ax, instance, max(schedule.makespan, horizon or schedule.makespan), unit)
    _draw_bands(ax, instance, lanes, lane_points)
    _draw_boxes(ax, instance, lanes, boxes, lane_points)
    for x, top, bottom in connectors(lanes, boxes):
        ax.plot([x, x], [top, bottom], color="white", linewidth=1.9, zorder=2.9, solid_capstyle="butt")
        ax.plot([x, x], [top, bottom], color=INK, linewidth=0.9, marker="o", markersize=1.9, zorder=3)
    ax.set_ylim(lanes.height, 0)
    _draw_makespan(ax, schedule, note)
    ax.set_title(drawable(schedule.method if title is None else title, 70), loc="left", pad=_TITLE_ROW, **_HEADING)
    if key and any(box.coallocated for box in boxes):
        above = ax.transAxes + ScaledTranslation(0, _TITLE_ROW / 72, ax.figure.dpi_scale_trans)
        place: dict[str, Any] = {
            "loc": "lower right",
            "bbox_to_anchor": (1, 1),
            "bbox_transform": above,
            "borderaxespad": 0,
        }
        ax.legend(handles=[coallocated_key()], fontsize=8, frameon=False, borderpad=0, **place)
    return ax


_CLEAR = {"facecolor": "white", "edgecolor": "none", "boxstyle": "square,pad=0.1"}
_HEADING: dict[str, Any] = {"fontsize": 10, "fontweight": "bold", "color": INK, **PLAIN}


def gantt_height(instance: CoallocationInstance, most: float, lane: float = 0.25) -> float:
    """Return the height in inches for the lanes of `instance`: `lane` for each, but at most `most` in all."""
    return min(most, max(0.7, lane * lanes_of(instance).height))


def coallocated_key() -> Patch:
    """Return the legend entry that explains the hatching."""
    with rc_context({"hatch.linewidth": 0.6}):
        return Patch(facecolor="#dddddd", edgecolor="#666666", hatch=HATCH, label="co-allocated over clusters")


def _draw_bands(ax: Axes, instance: CoallocationInstance, lanes: Lanes, lane_points: float) -> None:
    """Backgrounds, lane lines, separators, and the names of clusters and nodes."""
    numbers: list[tuple[float, str]] = []
    step = next((step for step in _NODE_STEPS if step * lane_points >= 9), 1000)
    for index, cluster in enumerate(instance.clusters):
        top = lanes.top(index)
        ax.axhspan(top, top + cluster.size, facecolor=BANDS[index % 2], linewidth=0, zorder=0.2)
        if lane_points >= 4:
            edges = [top + node for node in range(1, cluster.size)]
            ax.hlines(edges, 0, 1, transform=ax.get_yaxis_transform(), color="white", linewidth=0.6, zorder=0.4)
        for node in _first_of_groups(cluster):
            ax.axhline(top + node, color=SEPARATOR, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0.7)
        if index:
            ax.axhline(top - lanes.gap / 2, color=SEPARATOR, linewidth=0.7, zorder=0.7)
        numbers += [(top + node + 0.5, str(node)) for node in range(0, cluster.size, step)]
    centres = [lanes.top(index) + cluster.size / 2 for index, cluster in enumerate(instance.clusters)]
    ax.yaxis.remove_overlapping_locs = False  # the middle of a cluster may be the middle of a node
    ax.set_yticks([place for place, _ in numbers], [text for _, text in numbers], minor=True)
    ax.set_yticks(centres, [_cluster_label(cluster, lane_points) for cluster in instance.clusters], **PLAIN)
    room = (min(lanes.sizes) + lanes.gap) * lane_points
    ax.tick_params(axis="y", which="minor", length=0, pad=2, labelsize=min(7.0, lane_points * step), colors="#666666")
    ax.tick_params(axis="y", which="major", length=0, pad=18, labelsize=min(8.5, max(1.0, room)), colors=INK)
    bare(ax)


def _first_of_groups(cluster: Cluster) -> list[int]:
    """Nodes at which Γ changes."""
    powers = cluster.node_powers
    return [node for node in range(1, cluster.size) if powers[node] != powers[node - 1]]


def _cluster_label(cluster: Cluster, lane_points: float) -> str:
    """Name and Γ of a cluster, in as many lines as its band has room for."""
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
    if cluster.size * lane_points >= line * (1 + len(powers)):
        return "\n".join([name, *powers])
    return f"{name}  {powers[0]}" if len(powers) == 1 else name


def _draw_boxes(
    ax: Axes, instance: CoallocationInstance, lanes: Lanes, boxes: Sequence[Box], lane_points: float
) -> None:
    thin = min(1.0, lane_points / 6)
    for box in boxes:
        colour = job_colour(box.job)
        edge: dict[str, Any] = {"linewidth": 0.5 * thin, "zorder": 2.0}
        if box.coallocated:
            edge = {"linewidth": max(0.5, 1.3 * thin), "zorder": 2.1, "hatch": HATCH}
        place = (float(box.start), lanes.top(box.cluster, box.first))
        with rc_context({"hatch.linewidth": 0.45}):
            drawn = Rectangle(
                place, float(box.end - box.start), box.count, facecolor=colour, edgecolor=accent(colour), **edge
            )
        ax.add_patch(drawn)
        add_box_label(ax, drawn, instance.jobs[box.job].id, backed=box.coallocated)


def _draw_makespan(ax: Axes, schedule: Schedule, note: str) -> None:
    makespan = float(schedule.makespan)
    ax.axvline(makespan, color=INK, linewidth=1.2, zorder=3.5, clip_on=False)
    text = f"makespan {format_number(schedule.makespan)}{note}"
    side = "right" if makespan > 0.45 * ax.get_xlim()[1] else "left"
    place: dict[str, Any] = {
        "xycoords": ax.get_xaxis_transform(),
        "textcoords": "offset points",
        "annotation_clip": False,
    }
    ax.annotate(
        text, (makespan, 1), (0, 3), ha=side, va="bottom", fontsize=8.5, color=INK, bbox=_CLEAR, **place, **PLAIN
    )
