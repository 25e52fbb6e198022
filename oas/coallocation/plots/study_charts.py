"""Charts of studies of co-allocation: makespans over the size of time slots, and the cost of forbidding saturation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from oas.core.errors import InputError
from oas.plots.axes import (
    BOUND,
    INK,
    OPEN,
    REFERENCE,
    STEPS,
    axis_power,
    draw_marks,
    format_number,
    job_colour,
    label_last_only,
    new_figure,
    number_axis,
    scaled_formatter,
    share_categories,
    tick_formatter,
    value_grid,
    value_range,
)
from oas.plots.labels import drawable, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SizePoint = Any  # `oas.coallocation.slot_sizes.points.SlotPoint`
PolicyPoint = Any  # `oas.coallocation.saturation_price.SaturationPoint`

_OPTIMUM, _EXECUTED, _HEURISTIC = "#332288", "#117733", "#117733"
_ROUNDING, _SCHEDULING = job_colour(0), job_colour(2)
_ONE_ROW = 5  # entries of the legend that fit in one row
_LEAST_SECONDS = 0.01  # smaller times are drawn there
_CROWDED = 0.06  # of the axis: labels at a smaller distance cannot be read


@literal
def slot_size_figure(points: Sequence[SizePoint], *, title: str = "", unit: str = "") -> Figure:
    """Draw a study of slot sizes: makespans above, solve times below, on one axis of slot sizes.

    Parameters
    ----------
    points
        At least one with η above 0; η = 0 is the reference line, if it is there.
    title, unit
        Above the figure; name of the time unit, for the axis.

    Raises
    ------
    InputError
        If there is no η above 0.
    """
    figure = new_figure(6.0)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.4, 1))
    draw_makespans(points, upper, unit=unit)
    _draw_seconds(points, lower)
    label_last_only([upper, lower])
    if title:
        pad = 27.0 if len(upper.get_legend().legend_handles) <= _ONE_ROW else 40.0
        upper.set_title(drawable(title, 90), loc="left", fontsize=10, fontweight="bold", color=INK, pad=pad)
    return figure


def draw_makespans(points: Sequence[SizePoint], ax: Axes, *, unit: str = "") -> None:
    """Draw slotted and executed makespans over η, with the proven band from lower bound to makespan.

    Between slotted and executed lies the rounding loss, between executed and the continuous optimum the scheduling
    loss. The axis on the right gives the distance from the shortest continuous makespan known.
    """
    sizes, reference = _parts(points)
    places = [float(one.percent) for one in sizes]
    slotted, executed = [float(one.makespan) for one in sizes], [float(one.executed) for one in sizes]
    bounds = [float(one.lower_bound) for one in sizes]
    heights = [*bounds, *executed, *slotted]
    ax.fill_between(places, executed, slotted, color=_ROUNDING, alpha=0.45, lw=0, zorder=1)
    if reference is not None:
        ends = float(reference.lower_bound), float(reference.makespan)
        heights += ends
        ax.fill_between(places, ends[1], executed, color=_SCHEDULING, alpha=0.55, lw=0, zorder=1)
        if not reference.proven:
            ax.axhspan(*ends, color=BOUND, alpha=0.12, lw=0, zorder=0.8)
            ax.axhline(ends[0], color=BOUND, lw=1.2, linestyle=(0, (4, 2)), zorder=3)
        ax.axhline(ends[1], color=INK, lw=1.2, linestyle=(0, (4, 2)), zorder=3)
    if any(not one.proven for one in sizes):
        ax.fill_between(places, bounds, slotted, **OPEN)
        ax.plot(places, bounds, color=BOUND, lw=1.2, marker="^", ms=4, zorder=3)
    ax.plot(places, executed, color=_EXECUTED, lw=1.8, marker="s", ms=4.5, zorder=4)
    ax.plot(places, slotted, color=_OPTIMUM, lw=1.8, zorder=5)
    draw_marks(ax, places, slotted, [one.proven for one in sizes], _OPTIMUM, ms=5.5, zorder=6)
    value_range(ax, heights, below=0.05, above=0.05)
    _size_axis(ax, places)
    number_axis(ax.yaxis, axis_power(max(heights)), "makespan", unit)
    if reference is not None and reference.makespan:
        _distance_axis(ax, float(reference.makespan))
    entries = _legend(sizes, reference)
    ax.legend(
        handles=entries,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=len(entries) if len(entries) <= _ONE_ROW else -(-len(entries) // 2),
        fontsize=8,
        frameon=False,
        borderaxespad=0.1,
        handlelength=1.6,
        columnspacing=1.3,
    )


def _draw_seconds(points: Sequence[SizePoint], ax: Axes) -> None:
    """Draw solve times over η, hollow where the optimum was not proven; the line is the time at η = 0."""
    sizes, reference = _parts(points)
    places = [float(one.percent) for one in sizes]
    seconds = [max(one.seconds, _LEAST_SECONDS) for one in sizes]
    ax.plot(places, seconds, color=INK, lw=1.2, zorder=3)
    draw_marks(ax, places, seconds, [one.proven for one in sizes], INK, ms=4.5, zorder=4)
    longest = max(*seconds, 1.0)
    if reference is not None:
        height = max(reference.seconds, _LEAST_SECONDS)
        longest = max(longest, height)
        ax.axhline(height, color=INK, lw=1.0, linestyle=(0, (4, 2)), zorder=2)
        word = "η = 0" if reference.proven else "η = 0, not proven"
        ax.text(1, height, word, transform=ax.get_yaxis_transform(), ha="right", va="bottom", fontsize=7.5, color=INK)
    ax.set_ylim(_LEAST_SECONDS * 0.7, longest * 3)
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(base=10, numticks=6))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel("solve time [s]", fontsize=9, color=INK)
    _size_axis(ax, places)


def _parts(points: Sequence[SizePoint]) -> tuple[list[SizePoint], SizePoint | None]:
    """The points above η = 0, ascending, and the one at η = 0."""
    sizes = sorted((one for one in points if one.percent), key=lambda one: one.percent)
    if not sizes:
        raise InputError("at least one slot size above 0 is needed", field="points")
    return sizes, next((one for one in points if not one.percent), None)


def _size_axis(ax: Axes, places: list[float]) -> None:
    """Set a logarithmic axis with the studied sizes as its ticks, as far as they can be distinguished."""
    ax.set_xscale("log")
    low, high = min(places), max(places)
    margin = (high / low) ** 0.03 if high > low else 1.5
    ax.set_xlim(low / margin, high * margin)
    width = (high * margin) / (low / margin)
    shown: list[float] = []
    for place in sorted(places, reverse=True):
        if not shown or shown[-1] / place >= width**_CROWDED:
            shown.append(place)
    ax.xaxis.set_major_locator(FixedLocator(sorted(shown)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    ax.set_xlabel("slot size η, in % of the mean base time", fontsize=9, color=INK)
    value_grid(ax, "x", width=0.5)
    ax.spines["left"].set_visible(True)
    ax.spines["left"].set_color(INK)


def _distance_axis(ax: Axes, reference: float) -> None:
    def distance(time: Any) -> Any:
        return 100 * (time / reference - 1)

    def time(distance: Any) -> Any:
        return reference * (1 + distance / 100)

    right = ax.secondary_yaxis("right", functions=(distance, time))
    right.yaxis.set_major_formatter(tick_formatter(lambda value: f"{value:+.0f} %" if round(value) else "0 %"))
    right.set_ylabel("above η = 0", fontsize=9, color=INK)
    right.tick_params(labelsize=8, color=INK)
    right.spines["right"].set_color(INK)


def _legend(sizes: Sequence[SizePoint], reference: SizePoint | None) -> list[Any]:
    proven = all(one.proven for one in sizes)
    entries: list[Any] = [
        Line2D([], [], color=_OPTIMUM, lw=1.8, marker="o", ms=5.5, label=f"slotted{', all proven' if proven else ''}"),
        Line2D([], [], color=_EXECUTED, lw=1.8, marker="s", ms=4.5, label="the same, executed"),
        Patch(color=_ROUNDING, alpha=0.45, lw=0, label="rounding loss"),
    ]
    if reference is not None:
        word = "optimum" if reference.proven else "best known"
        entries += [
            Patch(color=_SCHEDULING, alpha=0.55, lw=0, label="scheduling loss"),
            Line2D([], [], color=INK, lw=1.2, linestyle=(0, (4, 2)), label=f"η = 0, {word}"),
        ]
    if not proven:
        entries += [
            Line2D([], [], color=_OPTIMUM, lw=0, marker="o", ms=5.5, mfc="white", label="not proven optimal"),
            Patch(**OPEN, label="down to the proven bound"),
        ]
    if reference is not None and not reference.proven:
        entries.append(Patch(color=BOUND, alpha=0.12, lw=0, label="the same at η = 0"))
    return entries


_LABEL: dict[str, Any] = {
    "textcoords": "offset points",
    "fontsize": 8,
    "color": INK,
    "bbox": {"facecolor": "white", "edgecolor": "none", "boxstyle": "square,pad=0.15"},
    "zorder": 5,
}


@literal
def saturation_price_chart(
    forbid: PolicyPoint, points: Sequence[PolicyPoint], *, heading: str = "", unit: str = ""
) -> Figure:
    """Draw what forbidding saturation costs: the ratio forbid / slowdown above, makespans below, over thresholds.

    Parameters
    ----------
    forbid
        The optimum where saturation is forbidden: a line.
    points
        Under slowdown, at equal distances in the order given; hollow where the optimum is open, with a bar over what
        the ratio may be. Those without a schedule are left out.
    heading, unit
        Above the figure; name of the time unit, for the axis.

    Raises
    ------
    InputError
        If there is no point with a schedule.
    """
    shown = [one for one in points if one.makespan is not None]
    if not shown:
        raise InputError("at least one with a schedule is needed", field="points")
    figure = new_figure(5.4)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.15))
    _draw_ratios(upper, shown)
    _draw_makespans(lower, forbid, shown, unit)
    names = ["none" if one.threshold is None else str(one.threshold) for one in shown]
    share_categories(upper, lower, names, "threshold: a link is never asked for more than MBW / threshold")
    upper.set_title(drawable(heading, 90), loc="left", fontsize=10, fontweight="bold", color=INK)
    return figure


def _draw_ratios(ax: Axes, points: Sequence[PolicyPoint]) -> None:
    known = [(place, one.ratio) for place, one in enumerate(points) if one.ratio is not None]
    ax.axhline(1, **REFERENCE)
    for place, ratio in known:
        low, high = float(ratio.low), float(ratio.high)
        exact = ratio.low == ratio.high
        if not exact:
            ax.plot([place, place], [low, high], color=BOUND, lw=5, alpha=0.35, solid_capstyle="butt", zorder=2.5)
        draw_marks(ax, [place], [low], [exact], _OPTIMUM, ms=6.5, zorder=4, clip_on=False)
        words = " – ".join(dict.fromkeys((f"{low:.3f}", f"{high:.3f}")))
        ax.annotate(words, (place, high), (0, 8), ha="center", **_LABEL)
    if known:
        ax.plot([place for place, _ in known], [float(one.low) for _, one in known], color=_OPTIMUM, lw=1.3, zorder=3)
    most = max((float(one.high) for _, one in known), default=1.0)
    least = min([1.0, *(float(one.low) for _, one in known)])  # below 1 only if both optima are open
    ax.set_ylim(least, 1 + 1.35 * max(most - 1, 0.05))
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    ax.yaxis.set_major_formatter(scaled_formatter(0))
    ax.set_ylabel("optimum forbid / slowdown", fontsize=9, color=INK)
    if not known:
        ax.text(0.5, 0.5, "not known", transform=ax.transAxes, ha="center", fontsize=9, color=INK)


def _draw_makespans(ax: Axes, forbid: PolicyPoint, points: Sequence[PolicyPoint], unit: str) -> None:
    ends = [float(one.makespan) for one in points if one.makespan is not None]
    bounds = [float(one.lower_bound) for one in points]
    proven = [one.makespan == one.lower_bound for one in points]
    places = list(range(len(points)))
    entries: list[Any] = []
    if not all(proven):
        ax.fill_between(places, bounds, ends, color=BOUND, alpha=0.15, lw=0, zorder=1)
        entries += ax.plot(places, bounds, color=BOUND, lw=1.0, marker="^", ms=4, zorder=2.5, label="lower bound")
    heuristics = [
        (place, float(one.heuristic_makespan)) for place, one in enumerate(points) if one.heuristic_makespan is not None
    ]
    if heuristics:
        # Wide enough to remain visible under an equal optimum.
        look: dict[str, Any] = {"color": _HEURISTIC, "lw": 2.4, "marker": "s", "ms": 8, "label": "best heuristic"}
        entries += ax.plot(*zip(*heuristics, strict=True), zorder=3, **look)
    ax.plot(places, ends, color=_OPTIMUM, lw=1.6, zorder=3.5)
    draw_marks(ax, places, ends, proven, _OPTIMUM, ms=6, zorder=4)
    name = "optimum" if all(proven) else "best schedule (hollow: not proven)"
    entries.insert(0, Line2D([], [], color=_OPTIMUM, lw=1.6, marker="o", ms=6, label=f"slowdown, {name}"))
    heights = [*ends, *bounds, *(one for _, one in heuristics)]
    if forbid.makespan is not None:
        heights.append(float(forbid.makespan))
        closed = forbid.makespan == forbid.lower_bound
        words = f"forbid, {'optimum' if closed else 'best schedule'} {format_number(forbid.makespan)}"
        entries.append(ax.axhline(float(forbid.makespan), **REFERENCE, label=words))
    value_range(ax, heights, below=0.15, above=0.15)
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    number_axis(ax.yaxis, 0, "makespan", unit)
    ax.legend(handles=entries, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(entries), fontsize=8, frameon=False)
