"""Charts of studies of co-allocation: makespans over the size of time slots, and the cost of forbidding saturation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from oas.coallocation.plots import slot_panels as panel
from oas.coallocation.plots.slot_panels import EXECUTED, OPTIMUM
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
    label_last_only,
    legend_rows,
    new_figure,
    number_axis,
    scaled_formatter,
    share_categories,
    tick_formatter,
    value_range,
)
from oas.plots.labels import drawable, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SizePoint = Any  # `oas.coallocation.slot_sizes.points.SlotPoint`
PolicyPoint = Any  # `oas.coallocation.saturation_price.SaturationPoint`


@literal
def slot_size_figure(points: Sequence[Any], *, title: str = "", unit: str = "") -> Figure:
    """Draw a study of slot sizes: makespans, losses, and size of the MIP models on one axis of slot sizes.

    If MIP solvers were measured, another panel has the seconds of the toolkit and of the solvers.

    Parameters
    ----------
    points
        Points, at least one with η above 0; η = 0, if present, is the reference line. Or several studies, such as one
        per seed: then makespans are in per cent above η = 0, and each curve is the median with a band from minimum to
        maximum.
    title, unit
        Title above the figure; name of the time unit, for the axis.

    Raises
    ------
    InputError
        If there is no η above 0, or one of several studies has no η = 0.
    """
    several = bool(points) and hasattr(points[0], "points")
    studies = [study.points for study in points] if several else [points]
    sizes = sorted({point.percent for study in studies for point in _parts(study)[0]})
    columns = {float(size): [one for study in studies for one in study if one.percent == size] for size in sizes}
    every = [point for column in columns.values() for point in column]
    compared = all(point.loss is not None for point in every)
    if several and not compared:
        raise InputError("η = 0 is needed to compare studies", field="points")
    panels: list[Any] = [panel.draw_losses] if compared else []
    panels += [panel.draw_model_sizes, *([panel.draw_seconds] if any(point.model_times for point in every) else [])]
    figure = new_figure(3.4 + 1.9 * len(panels))
    axes = figure.subplots(1 + len(panels), 1, sharex=True, height_ratios=[2.4] + [1.0] * len(panels))
    panel.draw_relative(columns, axes[0]) if several else draw_makespans(points, axes[0], unit=unit)
    for draw, ax in zip(panels, axes[1:], strict=True):
        draw(columns, ax)
    label_last_only(axes)
    if title:
        pad = 14.0 + 13.0 * legend_rows(axes[0].get_legend().legend_handles)
        axes[0].set_title(drawable(title, 90), loc="left", fontsize=10, fontweight="bold", color=INK, pad=pad)
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
    area: dict[str, Any] = {"where": [len(places) > 2] * len(places), "lw": 0, "zorder": 1}  # not between two points
    ax.fill_between(places, executed, slotted, color=panel.ROUNDING, alpha=0.45, **area)
    if reference is not None:
        ends = float(reference.lower_bound), float(reference.makespan)
        heights += ends
        ax.fill_between(places, ends[1], executed, color=panel.SCHEDULING, alpha=0.55, **area)
        if not reference.proven:
            ax.axhspan(*ends, color=BOUND, alpha=0.12, lw=0, zorder=0.8)
            ax.axhline(ends[0], color=BOUND, lw=1.2, linestyle=(0, (4, 2)), zorder=3)
        ax.axhline(ends[1], color=INK, lw=1.2, linestyle=(0, (4, 2)), zorder=3)
    width = 1.8 if len(places) > 2 else 0.0
    if any(not one.proven for one in sizes):
        ax.fill_between(places, bounds, slotted, where=area["where"], **OPEN)
        ax.vlines(places, bounds, slotted, color=BOUND, lw=1.2, zorder=2)
        ax.plot(places, bounds, color=BOUND, lw=width / 1.5, marker="^", ms=4, zorder=3)
    ax.plot(places, executed, color=EXECUTED, lw=width, marker="s", ms=4.5, zorder=4)
    ax.plot(places, slotted, color=OPTIMUM, lw=width, zorder=5)
    draw_marks(ax, places, slotted, [one.proven for one in sizes], OPTIMUM, ms=5.5, zorder=6)
    value_range(ax, heights, below=0.05, above=0.05)
    panel.size_axis(ax, places)
    number_axis(ax.yaxis, axis_power(max(heights)), "makespan", unit)
    if reference is not None and reference.makespan:
        _distance_axis(ax, float(reference.makespan))
    panel.legend(ax, _legend(sizes, reference))


def _parts(points: Sequence[SizePoint]) -> tuple[list[SizePoint], SizePoint | None]:
    """Return the points above η = 0, ascending, and the one at η = 0."""
    sizes = sorted((one for one in points if one.percent), key=lambda one: one.percent)
    if not sizes:
        raise InputError("at least one slot size above 0 is needed", field="points")
    return sizes, next((one for one in points if not one.percent), None)


def _distance_axis(ax: Axes, reference: float) -> None:
    to_percent, to_time = (lambda time: 100 * (time / reference - 1)), (lambda share: reference * (1 + share / 100))
    right = ax.secondary_yaxis("right", functions=(to_percent, to_time))
    right.yaxis.set_major_formatter(tick_formatter(lambda value: f"{value:+.0f} %" if round(value) else "0 %"))
    right.set_ylabel("above η = 0", fontsize=9, color=INK)
    right.tick_params(labelsize=8, color=INK)
    right.spines["right"].set_color(INK)


def _legend(sizes: Sequence[SizePoint], reference: SizePoint | None) -> list[Any]:
    proven = all(one.proven for one in sizes)
    entries: list[Any] = [
        Line2D([], [], color=OPTIMUM, lw=1.8, marker="o", ms=5.5, label=f"slotted{', all proven' if proven else ''}"),
        Line2D([], [], color=EXECUTED, lw=1.8, marker="s", ms=4.5, label="the same, executed"),
        Patch(color=panel.ROUNDING, alpha=0.45, lw=0, label="rounding loss"),
    ]
    if reference is not None:
        word = "optimum" if reference.proven else "best known"
        entries += [
            Patch(color=panel.SCHEDULING, alpha=0.55, lw=0, label="scheduling loss"),
            Line2D([], [], color=INK, lw=1.2, linestyle=(0, (4, 2)), label=f"η = 0, {word}"),
        ]
    if not proven:
        entries += [
            Line2D([], [], color=OPTIMUM, lw=0, marker="o", ms=5.5, mfc="white", label="not proven optimal"),
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
        The optimum if saturation is forbidden, drawn as a line.
    points
        Optima under slowdown, equidistant in the order given; hollow if the optimum is not proven, with a bar over the
        possible ratios. Points without a schedule are omitted.
    heading, unit
        Title above the figure; name of the time unit, for the axis.

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
        draw_marks(ax, [place], [low], [exact], OPTIMUM, ms=6.5, zorder=4, clip_on=False)
        words = " – ".join(dict.fromkeys((f"{low:.3f}", f"{high:.3f}")))
        ax.annotate(words, (place, high), (0, 8), ha="center", **_LABEL)
    if known:
        ax.plot([place for place, _ in known], [float(one.low) for _, one in known], color=OPTIMUM, lw=1.3, zorder=3)
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
        look: dict[str, Any] = {"color": EXECUTED, "lw": 2.4, "marker": "s", "ms": 8, "label": "best heuristic"}
        entries += ax.plot(*zip(*heuristics, strict=True), zorder=3, **look)
    ax.plot(places, ends, color=OPTIMUM, lw=1.6, zorder=3.5)
    draw_marks(ax, places, ends, proven, OPTIMUM, ms=6, zorder=4)
    name = "optimum" if all(proven) else "best schedule (hollow: not proven)"
    entries.insert(0, Line2D([], [], color=OPTIMUM, lw=1.6, marker="o", ms=6, label=f"slowdown, {name}"))
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
