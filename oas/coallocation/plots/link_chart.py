"""Charts of the load of links over time: one link, a schedule with all its links, and a plan with its execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from oas.coallocation import ticks
from oas.coallocation.plots.style import SlowedLook
from oas.core.errors import InputError
from oas.core.instances import check_problem, check_schedule
from oas.core.registry import COALLOCATION
from oas.plots.axes import (
    BANDS,
    INK,
    LIMIT,
    accent,
    at_right,
    axis_power,
    bare,
    format_number,
    job_colour,
    label_last_only,
    legend_above,
    legend_rows,
    new_figure,
    raised,
    scaled_formatter,
    time_axis,
)
from oas.plots.gantt_chart import Caption, draw_gantt, frame_height
from oas.plots.labels import NAME_LENGTH, drawable, literal
from oas.plots.lanes import boxes_of, frame_of
from oas.plots.schedule_chart import LEGEND_LENGTH, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.coallocation.instance import Cluster, CoallocationInstance
    from oas.core.schedule import Schedule
    from oas.plots.plain_look import Look

FEW_STEPS = 150  # number of steps of a load above which its outline is thinner
NAME_PAD = 40.0  # points between the axes and the name of the cluster: room for the ticks
_FAR = 2.0  # times the peak: higher lines are not drawn but named at the top
_APART = 0.3  # share of the axis: closer lines have one common label


@literal
def link_load(
    instance: CoallocationInstance,
    schedule: Schedule,
    cluster: str,
    ax: Axes | None = None,
    *,
    unit: str = "",
) -> Axes:
    """Draw the load of the link of `cluster` by equation (4), stacked by job, under its limit MBW.

    If saturated links slow jobs down, the load is drawn in percent of MBW, with a line at 100 %, above which jobs are
    slowed down, and a line at the maximum that the threshold allows.

    Parameters
    ----------
    instance
        The instance of the schedule.
    schedule
        The schedule whose load is drawn; it need not be feasible.
    cluster
        Id of the cluster.
    ax
        Axes to draw on; a new figure (``ax.figure``) if None.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        If the instance has no such cluster, or the schedule names what the instance does not have.
    """
    index = next((index for index, one in enumerate(instance.clusters) if one.id == cluster), None)
    if index is None:
        raise InputError("the instance has no such cluster", field="cluster", value=cluster)
    boxes_of(frame_of(instance), schedule)  # refuses a schedule of another instance
    if ax is None:
        ax = new_figure(2.0).subplots()
    time_axis(ax, instance.slot, schedule.makespan, unit)
    return draw_link(instance, schedule, index, ax, in_percent=instance.saturation.slows)


def draw_link(instance: CoallocationInstance, schedule: Schedule, index: int, ax: Axes, *, in_percent: bool) -> Axes:
    """Draw the load of the link with this index on `ax`, whose time axis is set; all else as `link_load`."""
    own = instance.clusters[index]
    moments, layers = link_layers(instance, schedule, own.id)
    ax.set_facecolor(BANDS[index % 2])
    if in_percent and own.bandwidth:
        shares = [(job, [load and 100 * load / own.bandwidth for load in loads]) for job, loads in layers]
        draw_shares(ax, own, _draw_layers(ax, moments, shares), instance.saturation.limit(own.bandwidth))
    else:
        _draw_limit(ax, own, _draw_layers(ax, moments, layers))
    beside: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "annotation_clip": False}
    style: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": 8.5, "color": INK}
    ax.annotate(drawable(own.id, NAME_LENGTH), (0, 0.5), (-NAME_PAD, 0), **beside, **style)
    bare(ax)
    return ax


def link_layers(
    instance: CoallocationInstance, schedule: Schedule, cluster: str
) -> tuple[list[Fraction], list[tuple[int, list[Fraction]]]]:
    """Return the moments at which the load of a cluster's link changes, and the exact load of each job between them.

    Only jobs with a load, in the order of starts: index of the job, and its load from each moment to the next.
    """
    jobs = {job.id: (index, job) for index, job in enumerate(instance.jobs)}
    runs = []
    for placement in schedule.placements:
        number, job = jobs[placement.job]
        load = ticks.link_load(job, len(set(placement.nodes.get(cluster, ()))))
        if load:
            runs.append((number, placement.start, placement.end, load))
    moments = sorted({moment for _, start, end, _ in runs for moment in (start, end)})
    places = {moment: place for place, moment in enumerate(moments)}
    layers = []
    for number, start, end, load in runs:
        loads = [0 * load] * (len(moments) - 1)
        loads[places[start] : places[end]] = [load] * (places[end] - places[start])
        layers.append((number, loads))
    return moments, layers


def _draw_layers(ax: Axes, moments: list[Fraction], layers: list[tuple[int, list[Fraction]]]) -> Fraction | None:
    """Stack the layers and return the greatest total; None if there is no load."""
    if not layers:
        return None
    edges = [float(moment) for moment in moments]
    outline = 0.9 * min(1.0, FEW_STEPS / len(edges))
    totals = [layers[0][1]]
    for _, loads in layers[1:]:
        totals.append([total + load if load else total for total, load in zip(totals[-1], loads, strict=True)])
    for (job, loads), above in zip(layers, totals, strict=True):
        own = [place for place, load in enumerate(loads) if load]
        first, last = own[0], own[-1] + 1
        values = [float(value) for value in above[first:last]]
        base = [float(total - load) for total, load in zip(above[first:last], loads[first:last], strict=True)]
        colour = job_colour(job)
        drawn = ax.stairs(values, edges[first : last + 1], baseline=base, fill=True, zorder=2)
        drawn.set(facecolor=colour, edgecolor=accent(colour), linewidth=0.4)
    ax.stairs([float(value) for value in totals[-1]], edges, baseline=0, color=INK, linewidth=outline, zorder=3)
    return max(totals[-1])


def _draw_limit(ax: Axes, cluster: Cluster, peak: Fraction | None) -> None:
    """Scale the y axis and draw MBW: as a line, or named at the top if it lies far above all loads."""
    limit = float(cluster.bandwidth)
    highest = limit if peak is None else float(peak)
    visible = limit <= 4 * highest
    top = 1.2 * (max(limit, highest) if visible else highest) or 1.0
    ax.set_ylim(0, top)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=2, min_n_ticks=2))
    power = axis_power(top)
    ax.yaxis.set_major_formatter(scaled_formatter(power, f"·10{raised(power)}" if power else ""))
    ax.tick_params(axis="y", labelsize=7, length=2, pad=2, colors="#666666")
    if visible:
        ax.axhline(limit, color=LIMIT, linewidth=1.3, linestyle=(0, (5, 2)), zorder=3.5)
    text = f"limit {format_number(cluster.bandwidth)}" + ("" if visible else " ↑")
    look: dict[str, Any] = {"va": "center" if visible else "top", "fontsize": 8, "color": LIMIT}
    ax.annotate(text, (1, limit if visible else top), (4, 0), **look, **at_right(ax))


def draw_shares(ax: Axes, cluster: Cluster, peak: Fraction | None, allowed: Fraction | None) -> None:
    """Scale the y axis, shade loads above 100 % of MBW, and draw lines at 100 % and at the maximum allowed.

    The greatest load, `peak`, is in percent, `allowed` in the unit of MBW; None for no load, and for no threshold.
    """
    highest = max(100.0, float(peak or 0))
    most = None if allowed is None else float(100 * allowed / cluster.bandwidth)
    top = 1.2 * (max(most, highest) if most is not None and most <= _FAR * highest else highest)
    ax.set_ylim(0, top)
    ax.axhspan(100, top, facecolor=LIMIT, alpha=0.07, linewidth=0, zorder=0.5)
    ax.axhline(100, color=LIMIT, linewidth=1.3, linestyle=(0, (5, 2)), zorder=3.5)
    ticks = [0.0, 100.0] + ([round(highest)] if highest >= 130 else [])
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g} %" if value else "0"))
    ax.tick_params(axis="y", labelsize=7, length=2, pad=2, colors="#666666")
    text = f"MBW {format_number(cluster.bandwidth)}"
    place: dict[str, Any] = {"fontsize": 8, "color": LIMIT, **at_right(ax)}
    if most is None or most == 100:
        ax.annotate(text if most is None else f"{text}, limit", (1, 100), (4, 0), va="center", **place)
        return
    limit, upper = f"limit {most:,.4g} %{' ↑' if most > top else ''}", min(most, top)
    if most <= top:
        ax.axhline(most, color=LIMIT, linewidth=1.1, zorder=3.5)
    if (upper - 100) / top < _APART:
        ax.annotate(f"{limit}\n{text}", (1, (100 + upper) / 2), (4, 0), va="center", linespacing=1.1, **place)
        return
    ax.annotate(text, (1, 100), (4, 0), va="center", **place)
    ax.annotate(limit, (1, upper), (4, 0), va="top" if most > top else "center", **place)


def with_links(look: Look, schedule: Schedule, caption: Caption, bound: Fraction | None) -> Figure:
    """Draw the Gantt chart, and a panel for each link."""
    links = len(look.instance.clusters)
    chart, panel = frame_height(look.frame, most=7.0), max(0.4, min(0.7, 5.0 / links))
    figure = new_figure(chart + links * panel + 1.1)
    axes = figure.subplots(1 + links, 1, sharex=True, height_ratios=[chart] + [panel] * links)
    draw_gantt(look, schedule, axes[0], caption, bound=bound)
    _draw_links(look.instance, schedule, axes, schedule.makespan, caption.unit, look.instance.saturation.slows)
    label_last_only(axes)
    axes[1].set_title(_LINKS, loc="left", fontsize=9, pad=4, color=INK)
    return figure


def _draw_links(
    instance: CoallocationInstance, schedule: Schedule, axes: Sequence[Axes], end: Fraction, unit: str, in_percent: bool
) -> None:
    """Draw a panel for each link beneath the first chart, the Gantt chart; `end` is that of the time axis."""
    axes[0].tick_params(axis="y", which="major", pad=NAME_PAD)
    for index, ax in enumerate(axes[1:]):
        time_axis(ax, instance.slot, end, unit)
        draw_link(instance, schedule, index, ax, in_percent=in_percent)


_LINKS = "load of each cluster's link"


@literal
def execution_figure(
    planned: CoallocationInstance,
    plan: Schedule,
    instance: CoallocationInstance,
    executed: Schedule,
    *,
    unit: str = "",
) -> Figure:
    """Draw a plan above, its execution below, each with the load of its links in percent of MBW, on one time axis.

    Bars are shaded by slowdown in both; a dotted line in the execution marks the end of the plan.

    Parameters
    ----------
    planned
        The instance of the plan, with its saturation policy and bandwidths.
    plan
        A schedule of `planned`; it need not be feasible.
    instance
        The same clusters and jobs under the policy and bandwidths of the execution.
    executed
        A schedule of `instance`.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        If one of the instances is of another problem, their clusters and jobs differ, or a schedule contains
        others.
    """
    for own, schedule in ((planned, plan), (instance, executed)):
        check_problem(own, COALLOCATION, "only instances of co-allocation have links")
        check_schedule(schedule)
    looks = (SlowedLook(planned), SlowedLook(instance))
    if planned.cluster_sizes != instance.cluster_sizes or looks[0].frame.jobs != looks[1].frame.jobs:
        raise InputError("must have the clusters and jobs of the plan", field="instance")
    horizon = max(plan.makespan, executed.makespan)
    notes = [verdict(planned, plan, None, "plan"), verdict(instance, executed, None, "executed")]
    if plan.makespan:
        percent = 100 * float(executed.makespan / plan.makespan - 1)
        delay = f"  ({percent:+.1f} % to the plan, {format_number(plan.makespan)})".replace("-", "−")
        notes[1] += "  (as planned)" if executed.makespan == plan.makespan else delay
    words = (f"planned: {planned.saturation}", f"executed: {instance.saturation}")
    entries = looks[1].legend([executed]) if len(looks[1].legend([plan])) <= 1 else looks[1].legend([plan, executed])
    links = len(instance.clusters)
    chart, panel = frame_height(looks[1].frame, most=4.5, lane=0.2), max(0.22, min(0.5, 2.6 / links))
    one = [chart] + [panel] * links
    figure = new_figure(2 * sum(one) + 2.0 + 0.2 * legend_rows(entries) + 0.12 * links)
    axes = figure.subplots(2 * (1 + links), 1, sharex=True, height_ratios=one + one)
    blocks = (axes[: 1 + links], axes[1 + links :])
    for block, look, schedule, text, note in zip(blocks, looks, (plan, executed), words, notes, strict=True):
        draw_gantt(look, schedule, block[0], Caption(text, unit, note), horizon=horizon, legend=False)
        _draw_links(look.instance, schedule, block, horizon, unit, in_percent=True)
        block[1].set_title(_LINKS, loc="left", fontsize=8.5, pad=3, color=INK)
    style: dict[str, Any] = {"color": "#555555", "linewidth": 1.2, "linestyle": (0, (1, 1.5)), "zorder": 3.6}
    ends = [ax.axvline(float(plan.makespan), label="end of the plan", **style) for ax in blocks[1]]
    label_last_only(axes)
    legend_above(figure, [*entries, ends[0]], drawable(instance.name, LEGEND_LENGTH))
    return figure
