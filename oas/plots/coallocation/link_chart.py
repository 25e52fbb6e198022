"""The load of a cluster's link over time: alone, in percent of its bandwidth, and beneath the Gantt chart."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import axis_power, bare, format_number, new_figure, raised, scaled_formatter, time_axis
from oas.plots.gantt_chart import gantt, gantt_height
from oas.plots.labels import NAME_LENGTH, drawable, literal
from oas.plots.lanes import boxes_of, frame_of
from oas.plots.palette import BANDS, INK, LIMIT, accent, job_colour
from oas.problems.coallocation import ticks

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import Cluster, CoallocationInstance

FEW_STEPS = 150  # of a load: with more its outline is thinner
NAME_PAD = 40.0  # points between the axes and the name of the cluster; the ticks have their place there
_FAR = 2.0  # times the peak: a line further up is named at the top instead
_APART = 0.3  # of the axis: lines nearer to one another are named in one text


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

    Where saturated links slow jobs down it is drawn in percent of MBW, with a line at 100 %, above which they do, and
    one at the most that the threshold allows.

    Parameters
    ----------
    instance
        What the schedule is of.
    schedule
        Whose load is meant; it need not be feasible.
    cluster
        Id of the cluster.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    unit
        Name of the time unit, for the axis.

    Returns
    -------
    Axes
        Those drawn on.

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
    """Return what each job sends over the link of `cluster`, exactly.

    Returns
    -------
    moments
        Where some load changes, ascending.
    layers
        For each job that sends anything, in the order of starts: its index and its load between each moment and the
        next.
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
    totals = list(accumulate((loads for _, loads in layers), _add))
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


def _add(one: list[Fraction], two: list[Fraction]) -> list[Fraction]:
    return [a + b if b else a for a, b in zip(one, two, strict=True)]


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
    place: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "annotation_clip": False,
    }
    ax.annotate(
        text,
        (1, limit if visible else top),
        (4, 0),
        va="center" if visible else "top",
        fontsize=8,
        color=LIMIT,
        **place,
    )


def draw_shares(ax: Axes, cluster: Cluster, peak: Fraction | None, allowed: Fraction | None) -> None:
    """Scale the y axis, shade what is above 100 %, and draw the lines at 100 % and at the most that is allowed.

    Parameters
    ----------
    ax
        On which the load is drawn, in percent of MBW.
    cluster
        Whose link it is; its MBW is above 0.
    peak
        The greatest load, in percent; None for none.
    allowed
        The most that the link may be asked for, in the unit of MBW; None for any amount.
    """
    highest = max(100.0, 0.0 if peak is None else float(peak))
    most = None if allowed is None else float(100 * allowed / cluster.bandwidth)
    top = 1.2 * (most if most is not None and most <= _FAR * highest else highest)
    top = max(top, 1.2 * highest)
    ax.set_ylim(0, top)
    ax.axhspan(100, top, facecolor=LIMIT, alpha=0.07, linewidth=0, zorder=0.5)
    ax.axhline(100, color=LIMIT, linewidth=1.3, linestyle=(0, (5, 2)), zorder=3.5)
    ticks = [0.0, 100.0] + ([round(highest)] if highest >= 130 else [])
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g} %" if value else "0"))
    ax.tick_params(axis="y", labelsize=7, length=2, pad=2, colors="#666666")
    _name(ax, 100, top, f"MBW {format_number(cluster.bandwidth)}", most)


def _name(ax: Axes, own: float, top: float, text: str, most: float | None) -> None:
    """Draw the threshold's line where it is in reach, and name both lines."""
    place: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "annotation_clip": False,
        "fontsize": 8,
        "color": LIMIT,
    }
    if most is None or most == own:
        words = text if most is None else f"{text}, limit"
        ax.annotate(words, (1, own), (4, 0), va="center", **place)
        return
    limit = f"limit {most:,.4g} %"
    if most > top:
        limit += " ↑"
    else:
        ax.axhline(most, color=LIMIT, linewidth=1.1, zorder=3.5)
    upper = min(most, top)
    if (upper - own) / top < _APART:
        ax.annotate(f"{limit}\n{text}", (1, (own + upper) / 2), (4, 0), va="center", linespacing=1.1, **place)
        return
    ax.annotate(text, (1, own), (4, 0), va="center", **place)
    ax.annotate(limit, (1, upper), (4, 0), va="top" if most > top else "center", **place)


def with_links(instance: CoallocationInstance, schedule: Schedule, said: dict[str, Any]) -> Figure:
    """Draw the Gantt chart, to which `said` is handed on, and a panel for each link."""
    links = len(instance.clusters)
    chart, panel = gantt_height(instance, most=7.0), max(0.4, min(0.7, 5.0 / links))
    figure = new_figure(chart + links * panel + 1.1)
    ratios = [chart] + [panel] * links
    top, *rest = figure.subplots(1 + links, 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    gantt(instance, schedule, top, **said)
    top.tick_params(axis="y", which="major", pad=NAME_PAD)
    for ax, cluster in zip(rest, instance.clusters, strict=True):
        link_load(instance, schedule, cluster.id, ax, unit=said["unit"])
    for ax in (top, *rest[:-1]):
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
    rest[0].set_title("load of each cluster's link", loc="left", fontsize=9, pad=4, color=INK)
    return figure
