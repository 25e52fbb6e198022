"""The Gantt chart: a lane for each node, grouped by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from oas.core.instances import check_instance, check_schedule
from oas.core.numbers import Exact, exact
from oas.core.problem import import_object
from oas.plots.axes import (
    BANDS,
    BOUND_LINE,
    HATCH,
    INK,
    LIMIT,
    SEPARATOR,
    accent,
    bare,
    bound_entry,
    edge_share,
    format_number,
    legend_columns,
    legend_rows,
    legend_width,
    new_figure,
    time_axis,
)
from oas.plots.labels import LEAST_BOX, BoxLabels, drawable, literal
from oas.plots.lanes import Frame, Lanes, boxes_of, chart_style, lanes_of
from oas.plots.plain_look import Look, marks_coallocation

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from matplotlib.axes import Axes

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box

_TITLE_ROW = 15.0  # points from the axes to the title, which is above the makespan's label
_LEGEND_ROW = 14.0  # points
_BESIDE_TITLE = 272.0  # points for a legend next to the title; a wider one is above it
_NODE_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def build_look(instance: Instance) -> Look:
    """Return the drawing style of charts of `instance`."""
    look: Look = import_object(chart_style(instance).look)(instance)
    return look


@dataclass(frozen=True)
class Caption:
    """The texts of a Gantt chart; see the arguments of `gantt`."""

    title: str | None = None
    unit: str = ""
    note: str = ""
    claimed: bool = False  # whether solvers claim the lower bound without a certificate


@literal
def gantt(
    instance: Instance,
    schedule: Schedule,
    ax: Axes | None = None,
    *,
    title: str | None = None,
    unit: str = "",
    horizon: Fraction | None = None,
    note: str = "",
    legend: bool = True,
    lower_bound: Exact | None = None,
) -> Axes:
    """Draw `schedule` with a lane for each node, grouped by cluster.

    Neighbouring nodes of a job are one box.

    Co-allocation: each job has one colour in all figures of its instance. The parts of a job on several clusters are
    hatched, outlined and connected, unless there are too many such jobs.

    Organizations: jobs and the left edges of clusters have the colour of their owner, so that jobs on other owners'
    clusters are visible. Reservations are hatched; as they refer to no particular processors, they are drawn on
    processors without jobs. A marked line across each cluster is the deadline of its organization's jobs.

    Parameters
    ----------
    instance
        The instance of the schedule.
    schedule
        The schedule to draw; it need not be feasible.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    title
        Title of the chart; by default the name of the instance or, without a name, the method of the schedule.
    unit
        Name of the time unit, for the axis.
    horizon
        End of the time axis, if later than the makespan; for comparing charts.
    note
        Text added to the makespan's label.
    legend
        Whether to explain colours, hatching and lines above the chart, if necessary.
    lower_bound
        Lower bound on the makespan, in the instance's time unit; drawn as a dashed line.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have, or an argument is of a wrong type.
    """
    check_instance(instance)
    check_schedule(schedule)
    bound = None if lower_bound is None else exact(lower_bound, "lower_bound")
    look, caption = build_look(instance), Caption(title, unit, note)
    return draw_gantt(look, schedule, ax, caption, horizon=horizon, legend=legend, bound=bound)


@literal
def draw_gantt(
    look: Look,
    schedule: Schedule,
    ax: Axes | None,
    caption: Caption,
    *,
    horizon: Fraction | None = None,
    legend: bool = True,
    bound: Fraction | None = None,
    outlined: Collection[str] = (),
) -> Axes:
    """Draw `schedule` as `gantt` does, in the frame of `look`, with an outline around the jobs in `outlined`.

    Reservations and deadlines beyond the frame are cut off.
    """
    frame = look.frame
    lanes, boxes = lanes_of(frame), boxes_of(frame, schedule)
    entries = (
        [*look.legend([schedule]), *([] if bound is None else [bound_entry(bound, caption.claimed)])] if legend else []
    )
    beside = not entries or legend_width(entries, len(entries)) <= _BESIDE_TITLE
    if ax is None:
        rows = 0 if beside else legend_rows(entries)
        ax = new_figure(frame_height(frame, most=8.0) + 1.0 + rows * _LEGEND_ROW / 72).subplots()
    lane_points = ax.get_window_extent().height / ax.figure.dpi * 72 / lanes.height
    end = max(schedule.makespan, horizon or Fraction(0), bound or Fraction(0))
    time_axis(ax, frame.slot, look.horizon(end), caption.unit)
    _draw_bands(ax, look, lanes, lane_points)
    _draw_boxes(ax, look, lanes, boxes, lane_points, marks_coallocation(schedule))
    for box in boxes:
        if frame.jobs[box.job] in outlined:
            ax.add_patch(_rectangle(lanes, box, zorder=3.2, **OUTLINE))
    look.draw(ax, lanes, boxes, schedule, lane_points)
    ax.set_ylim(lanes.height, 0)
    _draw_makespan(ax, schedule, caption.note)
    if bound is not None:
        ax.axvline(float(bound), zorder=3.6, **BOUND_LINE)
    named = getattr(look.instance, "name", "") or schedule.method
    title = named if caption.title is None else caption.title
    ax.set_title(drawable(title, 70), loc="left", pad=_TITLE_ROW, **_HEADING)
    if entries:  # next to the title, or above it
        up = _TITLE_ROW if beside else _TITLE_ROW + _LEGEND_ROW
        place: dict[str, Any] = {
            "loc": "lower right" if beside else "lower left",
            "bbox_to_anchor": (1, 1) if beside else (0, 1),
            "bbox_transform": ax.transAxes + ScaledTranslation(0, up / 72, ax.figure.dpi_scale_trans),
            "ncols": legend_columns(entries),
        }
        ax.legend(handles=entries, fontsize=8, frameon=False, borderpad=0, borderaxespad=0, **place)
    return ax


OUTLINE: dict[str, Any] = {"facecolor": "none", "edgecolor": LIMIT, "linewidth": 2.2}
_CLEAR = {"facecolor": "white", "edgecolor": "none", "boxstyle": "square,pad=0.1"}
_HEADING: dict[str, Any] = {"fontsize": 10, "fontweight": "bold", "color": INK}


def frame_height(frame: Frame, most: float, lane: float = 0.25, cluster: float = 3.0) -> float:
    """Return the height of a frame in inches: `lane` per lane, at most `cluster` per cluster and `most` in total."""
    lanes = lanes_of(frame)
    return min(most, cluster * len(lanes.sizes), max(0.7, lane * lanes.height))


def _draw_bands(ax: Axes, look: Look, lanes: Lanes, lane_points: float) -> None:
    """Draw backgrounds, lane lines and separators, and label clusters and nodes."""
    numbers: list[tuple[float, str]] = []
    step = next((step for step in _NODE_STEPS if step * lane_points >= 9), 1000)
    for index, size in enumerate(lanes.sizes):
        top = lanes.top(index)
        ax.axhspan(top, top + size, facecolor=BANDS[index % 2], linewidth=0, zorder=0.2)
        if lane_points >= 4:
            edges = [top + node for node in range(1, size)]
            ax.hlines(edges, 0, 1, transform=ax.get_yaxis_transform(), color="white", linewidth=0.6, zorder=0.4)
        if index:
            ax.axhline(top - lanes.gap / 2, color=SEPARATOR, linewidth=0.7, zorder=0.7)
        if step == 1 or 2 * step <= size:
            numbers += [
                (top + node + 0.5, str(node)) for node in range(0, size, step) if step == 1 or 2 * (size - node) > step
            ]
    centres = [lanes.top(index) + size / 2 for index, size in enumerate(lanes.sizes)]
    ax.yaxis.remove_overlapping_locs = False  # the middle of a cluster may be the middle of a node
    ax.set_yticks([place for place, _ in numbers], [text for _, text in numbers], minor=True)
    ax.set_yticks(centres, [look.label(index, size * lane_points) for index, size in enumerate(lanes.sizes)])
    room = (min(lanes.sizes) + lanes.gap) * lane_points
    pad = {"length": 0, "pad": 2 + look.margin}
    ax.tick_params(axis="y", which="minor", labelsize=min(7.0, lane_points * step), colors="#666666", **pad)
    pad["pad"] += 16 if numbers else 2
    ax.tick_params(axis="y", which="major", labelsize=min(8.5, max(1.0, room)), colors=INK, **pad)
    bare(ax)


def _draw_boxes(ax: Axes, look: Look, lanes: Lanes, boxes: Sequence[Box], lane_points: float, marks: bool) -> None:
    labels = BoxLabels(ax)
    for box in boxes:
        colour, points = look.colour(box.job), box.count * lane_points
        thin = edge_share(ax, float(box.end - box.start), points)
        edge: dict[str, Any] = {"linewidth": 0.5 * thin, "zorder": 2.0}
        marked = box.coallocated and marks
        if marked:
            edge = {"linewidth": max(0.5, 1.3 * thin), "zorder": 2.1, "hatch": HATCH}
        with rc_context({"hatch.linewidth": 0.45}):
            drawn = _rectangle(lanes, box, facecolor=colour, edgecolor=accent(colour), **edge)
        ax.add_patch(drawn)
        if points >= LEAST_BOX:
            labels.add(drawn, look.frame.jobs[box.job], backed=marked)


def _rectangle(lanes: Lanes, box: Box, **style: Any) -> Rectangle:
    place = (float(box.start), lanes.top(box.cluster, box.first))
    return Rectangle(place, float(box.end - box.start), box.count, **style)


def _draw_makespan(ax: Axes, schedule: Schedule, note: str) -> None:
    makespan = float(schedule.makespan)
    ax.axvline(makespan, color=INK, linewidth=1.2, zorder=3.5, clip_on=False)
    text = f"makespan {format_number(schedule.makespan)}{note}"
    side = "right" if makespan > 0.45 * ax.get_xlim()[1] else "left"
    place: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False, "ha": side, "va": "bottom"}
    style: dict[str, Any] = {"fontsize": 8.5, "color": INK, "bbox": _CLEAR}
    ax.annotate(text, (makespan, 1), (0, 3), xycoords=ax.get_xaxis_transform(), **place, **style)
