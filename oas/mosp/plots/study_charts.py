"""Charts of studies of organizations: the price of locality, placed reservations, and the ratio of list scheduling."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.mosp.availability import attained_ratio, attained_ratio_bound, proven_ratio, share
from oas.plots.axes import (
    BOUND,
    FAINT,
    INK,
    OPEN,
    REFERENCE,
    STEPS,
    axis_power,
    dark,
    draw_marks,
    format_number,
    job_colour,
    layered_width,
    new_figure,
    number_axis,
    share_categories,
    title,
    value_grid,
    value_range,
)
from oas.plots.labels import legend_name, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LocalityPoint = Any  # `oas.mosp.cooperation.PricePoint`
CurvePoint = Any  # `oas.mosp.reservations.placement.CurvePiece`

MOST_NAMED = 12  # organizations in the legend


@literal
def price_figure(points: Iterable[LocalityPoint], *, heading: str = "", unit: str = "") -> Figure:
    """Draw a study of the price of locality: makespans above, below when each organization ends.

    Parameters
    ----------
    points
        Those with a schedule are drawn, at equal distances in the order given; hollow if not proven optimal.
    heading, unit
        Above the figure; name of the time unit, for the axis.

    Raises
    ------
    InputError
        If there is no point with a schedule.
    """
    shown = [one for one in points if one.result.objective is not None]
    if not shown:
        raise InputError("at least one with a schedule is needed", field="points")
    figure = new_figure(5.2)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.25))
    _draw_makespans(upper, shown, unit)
    _draw_ends(lower, shown)
    names = ["none" if one.locality is None else format_number(one.locality) for one in shown]
    share_categories(upper, lower, names, "locality: how many times its makespan alone an organization may take")
    title(upper, heading)
    return figure


def _draw_makespans(ax: Axes, points: Sequence[LocalityPoint], unit: str) -> None:
    heights, places = [float(one.result.objective) for one in points], range(len(points))
    ax.plot(places, heights, color=INK, lw=1.2, zorder=3)
    proven = [one.result.lower_bound == one.result.objective for one in points]
    draw_marks(ax, places, heights, proven, INK, ms=6, zorder=4)
    for point, place, height in zip(points, places, heights, strict=True):
        text = format_number(point.result.objective)
        ax.annotate(text, (place, height), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    value_range(ax, heights, below=0.2, above=0.35)
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS, integer=True))
    number_axis(ax.yaxis, 0, "makespan", unit)


def _draw_ends(ax: Axes, points: Sequence[LocalityPoint]) -> None:
    names = list(dict.fromkeys(name for one in points for name in one.ends))
    for index, name in enumerate(names):
        pairs = [(place, float(one.ends[name])) for place, one in enumerate(points) if name in one.ends]
        label, colour = legend_name(name) if index < MOST_NAMED else None, dark(job_colour(index))
        extra = layered_width(index, len(names))
        look: dict[str, Any] = {"color": colour, "lw": 1.5 + extra, "ms": 4.5 + extra, "label": label}
        ax.plot(*zip(*pairs, strict=True), marker="s", zorder=3, **look)
    limits = [(place, float(one.locality)) for place, one in enumerate(points) if one.locality is not None]
    if limits:
        ax.plot(*zip(*limits, strict=True), label="allowed", color=BOUND, lw=1.2, linestyle=(0, (4, 2)), zorder=2)
    ax.axhline(1, color=INK, lw=0.8, zorder=1)
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel("end together / alone (1: equal)", fontsize=9, color=INK)
    ax.legend(loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False, labelcolor=INK)


_EXCLUDED: dict[str, Any] = {"color": FAINT, "lw": 2, "zorder": 0}  # the edge shows a single start
_LINE = job_colour(4)


@literal
def placement_figure(
    curve: Iterable[CurvePoint],
    *,
    best: tuple[Fraction, Fraction] | None = None,
    without: Fraction | None = None,
    excluded: Sequence[tuple[Fraction, Fraction]] = (),
    heading: str = "",
    unit: str = "",
) -> Figure:
    """Draw the optimum at every start of a reservation.

    Parameters
    ----------
    curve
        At least one piece; hatched from the lower bound to the makespan where the optimum is open.
    best
        The best start and the makespan there, which are marked.
    without
        The optimum without the reservation: a dashed line.
    excluded
        Ranges of starts at which the reservation does not fit: grey.
    heading, unit
        Above the figure; name of the time unit, for the axes.

    Raises
    ------
    InputError
        If there is no piece.
    """
    pieces = list(curve)
    if not pieces:
        raise InputError("at least one piece is needed", field="curve")
    figure = new_figure(3.6)
    ax = figure.subplots()
    _draw_pieces(ax, pieces)
    if without is not None:
        ax.axhline(float(without), **REFERENCE)
    for first, last in excluded:
        ax.axvspan(float(first), float(last), **_EXCLUDED)
    if best is not None:
        place = float(best[0]), float(best[1])
        ax.plot(*place, marker="o", ms=7, mec=INK, mfc="none", mew=1.4, zorder=5)
        text = f"start {format_number(best[0])}: {format_number(best[1])}"
        ax.annotate(text, place, (0, -14), textcoords="offset points", ha="center", fontsize=8, zorder=5)
    highest = float(max(max(one.high_first, one.high_last) for one in pieces))
    ax.xaxis.set_major_locator(MaxNLocator(10, steps=STEPS, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(6))
    number_axis(ax.xaxis, axis_power(float(pieces[-1].last)), "start of the reservation", unit)
    number_axis(ax.yaxis, axis_power(highest), "makespan", unit)
    ax.margins(y=0.14)
    value_grid(ax, width=0.5)
    entries = [Line2D([], [], color=_LINE, lw=2.2, label="optimum with the reservation")]
    if not all(one.proven for one in pieces):
        entries[0].set_label("shortest schedule known")
        entries.append(Patch(**OPEN, label="down to the proven bound"))  # type: ignore[arg-type]
    if without is not None:
        entries.append(Line2D([], [], label="without it", **REFERENCE))
    if excluded:
        entries.append(Patch(**_EXCLUDED, label="it does not fit"))  # type: ignore[arg-type]
    ax.legend(handles=entries, loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False)
    title(ax, heading)
    return figure


def _draw_pieces(ax: Axes, pieces: Sequence[CurvePoint]) -> None:
    """Draw each piece as a line, or as a dot for a single start; in between the optimum jumps, or no start fits."""
    for one in pieces:
        span, tops = [float(one.first), float(one.last)], [float(one.high_first), float(one.high_last)]
        ax.plot(span, tops, color=_LINE, lw=2.2, marker="o", ms=3.2, solid_capstyle="butt", zorder=4)
        if not one.proven:
            bottoms = [float(one.low_first), float(one.low_last)]
            ax.fill_between(span, bottoms, tops, **OPEN)
            ax.vlines(span, bottoms, tops, color=BOUND, lw=0.7, zorder=2)


LEAST = Fraction(1, 5)  # the curves begin here, or at the first point if that is before it
_STEPS = 1000  # per unit of α


@literal
def list_ratio_chart(points: Mapping[Exact, Exact], ax: Axes | None = None, *, heading: str = "") -> Axes:
    """Draw the proven and attained ratios of list scheduling if αm processors are always available.

    The curves are 2/α, the upper bound for all list schedules (Proposition 3), and the lower bounds B₁ and B₂, which
    are equal if 2/α is an integer.

    Parameters
    ----------
    points
        By α, above 0 and at most 1, a ratio that some list schedule attains.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading
        Above the chart.

    Raises
    ------
    InputError
        If an α is not in ]0, 1], or a ratio is not exact or is below 1.
    """
    ratios = {share(alpha): exact(ratio, "points") for alpha, ratio in points.items()}
    if ratios and min(ratios.values()) < 1:
        raise InputError("a ratio is at least 1", field="points", value=str(min(ratios.values())))
    ax = ax or new_figure(4.2).subplots()
    first = min([LEAST, *ratios])
    places = [Fraction(step, _STEPS) for step in range(int(first * _STEPS) or 1, _STEPS + 1)]
    own = dark(job_colour(0))
    curves: tuple[tuple[Callable[[Fraction], Fraction], str, dict[str, Any]], ...] = (
        (proven_ratio, "2/α: no list schedule exceeds it (Proposition 3)", {"color": BOUND, "lw": 1.6}),
        (attained_ratio, "B₁: attained", {"color": own, "lw": 1.6}),
        (attained_ratio_bound, "B₂, at most B₁", {"color": own, "lw": 1.0, "linestyle": (0, (4, 2))}),
    )
    for curve, label, look in curves:
        ax.plot([float(place) for place in places], [float(curve(place)) for place in places], label=label, **look)
    if ratios:
        pairs = [(float(alpha), float(ratio)) for alpha, ratio in sorted(ratios.items())]
        ax.plot(*zip(*pairs, strict=True), "o", color=INK, ms=4.5, label="attained by an instance", zorder=4)
    ax.set_xlim(float(first) - 0.02, 1.02)
    ax.set_ylim(bottom=1)
    ax.set_yticks(range(1, int(ax.get_ylim()[1]) + 1, max(1, round(ax.get_ylim()[1] / 10))))
    ax.set_xlabel("α: share of the processors that is always free, and that no job exceeds", fontsize=9, color=INK)
    ax.set_ylabel("makespan / optimum", fontsize=9, color=INK)
    value_grid(ax, width=0.5)
    ax.legend(fontsize=8, facecolor="white", edgecolor="none", framealpha=1, labelcolor=INK)
    title(ax, heading)
    return ax
