"""Charts of any problem: queue and utilisation of a schedule, course of a solve, gaps of methods, relaxations."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import isnan
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.core.instances import check_instance
from oas.core.schedule_metrics import metrics
from oas.plots.axes import (
    BANDS,
    BOUND,
    FAINT,
    INK,
    STEPS,
    accent,
    axis_power,
    bare,
    dark,
    format_number,
    job_colour,
    label_last_only,
    layered_width,
    new_figure,
    number_axis,
    tick_formatter,
    time_axis,
    title,
    value_grid,
)
from oas.plots.gantt_chart import build_look
from oas.plots.labels import NAME_LENGTH, drawable, legend_name, literal
from oas.plots.lanes import lanes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.result import Trace
    from oas.core.schedule import Schedule
    from oas.core.schedule_metrics import Load

_HEIGHT = 1.9  # inches, of a chart
HEIGHT = 3.0  # inches


@literal
def queue_chart(
    instance: Instance, schedules: Schedule | Mapping[str, Schedule], ax: Axes | None = None, *, unit: str = ""
) -> Axes:
    """Draw the number of waiting jobs over time: released, but not started.

    Parameters
    ----------
    instance
        The instance of the schedules.
    schedules
        One schedule, or several by name; each is drawn as a line.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        For the same reasons as in `oas.metrics`.
    """
    ax = _steps(instance, schedules, ax, unit, lambda one: one.queue)
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    title(ax, _heading(instance, "jobs that wait"))
    return ax


@literal
def utilisation_chart(
    instance: Instance, schedules: Schedule | Mapping[str, Schedule], ax: Axes | None = None, *, unit: str = ""
) -> Axes:
    """Draw the share of nodes that jobs or reservations use over time.

    Parameters
    ----------
    instance, schedules, ax, unit
        See `queue_chart`.
    """
    ax = _steps(instance, schedules, ax, unit, lambda one: 100 * one.utilisation)
    ax.set_ylim(0, 105)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g} %"))
    title(ax, _heading(instance, "utilisation of the nodes"))
    return ax


@literal
def load_figure(instance: Instance, schedules: Schedule | Mapping[str, Schedule], *, unit: str = "") -> Figure:
    """Draw the queue above the utilisation, with a common time axis.

    Parameters
    ----------
    instance, schedules, unit
        See `queue_chart`.
    """
    figure = new_figure(2 * _HEIGHT + 0.6)
    above, below = figure.subplots(2, 1, sharex=True)
    queue_chart(instance, schedules, above, unit=unit)
    utilisation_chart(instance, schedules, below, unit=unit)
    label_last_only([above, below])
    title(below, "utilisation of the nodes")
    if legend := below.get_legend():
        legend.remove()
    return figure


def _heading(instance: Instance, quantity: str) -> str:
    return f"{drawable(instance.name, 90)}: {quantity}" if instance.name else quantity


def _steps(
    instance: Instance,
    schedules: Schedule | Mapping[str, Schedule],
    ax: Axes | None,
    unit: str,
    height: Callable[[Load], Fraction | int],
) -> Axes:
    named = schedules if isinstance(schedules, Mapping) else {"": schedules}
    measured = {name: metrics(instance, one) for name, one in named.items()}
    ax = ax or new_figure(_HEIGHT + 0.5).subplots()
    for index, (name, one) in enumerate(measured.items()):
        times, heights = [float(step.time) for step in one.load], [float(height(step)) for step in one.load]
        look: dict[str, Any] = {"color": dark(job_colour(index)), "label": legend_name(name) or " "}
        ax.step(times, heights, where="post", linewidth=1.3 + layered_width(index, len(measured)), **look)
    time_axis(ax, Fraction(0), max((one.makespan for one in measured.values()), default=Fraction(0)), unit)
    ax.set_ylim(bottom=0)
    value_grid(ax)
    if len(measured) > 1:
        ax.legend(fontsize=8.5, frameon=False, ncols=min(len(measured), 6))
    return ax


@literal
def trace_chart(trace: Trace, ax: Axes | None = None, *, heading: str = "", unit: str = "") -> Axes:
    """Draw the best bound and the best makespan of a solve over wall time, and the gap between them.

    Parameters
    ----------
    trace
        Recorded by ``oas.solve(instance, on_progress=trace)``.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading, unit
        Text above the chart; name of the instance's time unit, for the axis.
    """
    ax = ax or new_figure(HEIGHT).subplots()
    end = max(trace.seconds, 1e-3)
    times = [*(one.seconds for one in trace.points), end]
    bounds = _drawn([one.lower_bound for one in trace.points])
    makespans = _drawn([one.objective for one in trace.points])
    ax.fill_between(times, bounds, makespans, step="post", color=FAINT, alpha=0.5, linewidth=0, zorder=1)
    last = (trace.points[-1].objective, trace.points[-1].lower_bound) if trace.points else (None, None)
    _draw(ax, times, makespans, INK, "makespan", last[0])
    _draw(ax, times, bounds, BOUND, "lower bound", last[1])
    ax.set_xlim(0, 1.01 * end)
    values = [value for value in (*bounds, *makespans) if not isnan(value)] or [0.0, 1.0]
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or 0.02 * abs(high) or 1.0
    ax.set_ylim(low - margin, high + margin)  # need not begin at 0
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=STEPS))
    number_axis(ax.yaxis, axis_power(high), "makespan", unit)
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    ax.tick_params(axis="y", length=0)
    value_grid(ax)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8, frameon=False, borderpad=0)
    title(ax, heading)
    return ax


def _drawn(values: Sequence[Fraction | None]) -> list[float]:
    """Return values as floats, the last one twice for the end of the axis; NaN, for None, is not drawn."""
    floats = [float("nan") if value is None else float(value) for value in values]
    return [*floats, floats[-1] if floats else float("nan")]


def _draw(
    ax: Axes, times: Sequence[float], values: Sequence[float], colour: str, name: str, last: Fraction | None
) -> None:
    label = name if last is None else f"{name} {format_number(last)}"
    more = 1.6 * (name == "makespan")  # keeps it visible behind an equal bound
    ax.step(times, values, where="post", color=colour, linewidth=1.8 + more, label=label, zorder=3)
    ax.plot(times[-1:], values[-1:], "o", color=colour, markersize=4.5 + more, zorder=3.1)


MOST_DOTS = 60  # per method; a chart of more gaps has only box and whiskers
_ROW, _FRAME = 0.4, 0.95  # inches
_BOX = 0.56  # height as a share of a row
_DOT = 0.005  # width of a dot as a share of the axis
_STACKED = 0.16  # distance of stacked dots as a share of a row


@literal
def gap_chart(gaps: Mapping[str, Sequence[float]], ax: Axes | None = None, *, label: str, heading: str = "") -> Axes:
    """Draw for each method the range, quartiles (box) and median of its gaps, and each gap if there are few.

    Dots of equal gaps are stacked.

    Parameters
    ----------
    gaps
        Gaps as ratios, by method, in order from top to bottom.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    label
        Label of the axis, which states the reference of the gaps.
    heading
        Text above the chart.
    """
    ax = ax or new_figure(_FRAME + _ROW * max(1, len(gaps))).subplots()
    values = [100 * gap for own in gaps.values() for gap in own]
    near = (max(values) - min(values)) * _DOT if values else 0.0
    for row, own in enumerate(gaps.values()):
        if own:
            _draw_gaps(ax, row, [100 * gap for gap in own], near)
    ax.set_yticks(range(len(gaps)), [f"{drawable(name, NAME_LENGTH)}  ({len(own)})" for name, own in gaps.items()])
    ax.set_ylim(len(gaps) - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(9))
    ax.xaxis.set_major_formatter(tick_formatter(lambda value: f"{value:,.6g} %"))
    ax.set_xlabel(label, fontsize=9, color=INK)
    ax.tick_params(axis="y", length=0)
    value_grid(ax, "x")
    title(ax, heading)
    return ax


def _draw_gaps(ax: Axes, row: int, gaps: Sequence[float], near: float) -> None:
    colour = dark(job_colour(0))
    low, high = min(gaps), max(gaps)
    ax.plot([low, high], [row, row], color=colour, linewidth=1.0, zorder=2)
    if len(gaps) > 1:
        first, _, third = quantiles(gaps, n=4, method="inclusive")
        ax.add_patch(Rectangle((first, row - _BOX / 2), third - first, _BOX, facecolor=job_colour(0), zorder=2.2))
    middle = median(gaps)
    ax.plot([middle, middle], [row - _BOX / 2, row + _BOX / 2], color=INK, linewidth=1.8, zorder=2.6)
    if len(gaps) <= MOST_DOTS:
        ax.plot(*_swarm(sorted(gaps), row, near), "o", color=colour, markersize=3.2, markeredgecolor="white",
                markeredgewidth=0.4, zorder=2.8)  # fmt: skip


def _swarm(gaps: Sequence[float], row: int, near: float) -> tuple[list[float], list[float]]:
    """Return the coordinates of dots; overlapping dots are stacked within the height of the row."""
    stacks: dict[float, list[float]] = {}
    for gap in gaps:
        first = next(reversed(stacks), gap)
        stacks.setdefault(first if gap - first <= near else gap, []).append(gap)
    heights: list[float] = []
    for count in map(len, stacks.values()):
        apart = min(_STACKED, 0.9 / count)
        heights += [row + apart * (place - (count - 1) / 2) for place in range(count)]
    return list(gaps), heights


_LANE = 0.3  # inches, of a node in a relaxation
_MOST_NAMES = 24  # jobs in the legend of a relaxation


@literal
def relaxation_chart(
    instance: Instance, solution: pandas.DataFrame, ax: Axes | None = None, *, heading: str = "", unit: str = ""
) -> Axes:
    """Draw the solution of a linear relaxation as a Gantt chart of fractions: the nodes of each cluster that jobs use.

    A job that starts to the fraction 1/3 on two nodes uses 2/3 of a node while it runs. The use of a cluster is stacked
    by job, so that a full lane is a full cluster.

    Parameters
    ----------
    instance
        The instance of the model.
    solution
        ``model.relaxation().solution``. Rows with nodes, start and end are drawn; models of phases or of fair sharing
        have none.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading, unit
        Text above the chart; name of the instance's time unit, for the axis.

    Raises
    ------
    InputError
        If no row can be drawn.
    """
    check_instance(instance)
    rows = [row for row in solution.itertuples() if row.nodes and row.start < row.end]  # NaN is not less
    if not rows:
        raise InputError("no variable stands for nodes from a start to an end", field="solution")
    look = build_look(instance)
    lanes, numbers = lanes_of(look.frame), {job: index for index, job in enumerate(look.frame.jobs)}
    ax = ax or new_figure(_FRAME + _LANE * lanes.height).subplots()
    moments = sorted({moment for row in rows for moment in (row.start, row.end)})
    widths = [after - before for before, after in pairwise(moments)]
    for cluster, (name, size) in enumerate(look.frame.clusters):
        top = lanes.top(cluster)
        ax.axhspan(top, top + size, facecolor=BANDS[cluster % 2], zorder=0.5)
        level = [top + float(size)] * len(widths)
        for job, number in numbers.items():
            own = [row for row in rows if row.job == job and name in row.nodes]
            used = [sum(row.nodes[name] * row.value for row in own if row.start <= at < row.end) for at in moments[:-1]]
            level = [edge - more for edge, more in zip(level, used, strict=True)]
            colour = look.colour(number)
            ax.bar(
                moments[:-1], used, widths, level, align="edge", color=colour, edgecolor=accent(colour), linewidth=0.4
            )
    time_axis(ax, look.frame.slot, Fraction(moments[-1]), unit)
    middles = [lanes.top(index) + size / 2 for index, size in enumerate(lanes.sizes)]
    ax.set_yticks(middles, [look.label(index, 72 * _LANE * size) for index, size in enumerate(lanes.sizes)])
    ax.set_ylim(lanes.height, 0)
    ax.tick_params(axis="y", length=0, labelsize=8.5)
    if len(numbers) <= _MOST_NAMES:
        names = [Patch(facecolor=look.colour(number), label=legend_name(job)) for job, number in numbers.items()]
        ax.legend(handles=names, fontsize=8.5, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    bare(ax)
    title(ax, heading)
    return ax
