"""Charts of studies of organizations: the price of locality, and the optimum at every start of a reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import (
    axis_power,
    bracketed,
    format_number,
    new_figure,
    scaled_formatter,
    share_categories,
    title,
    value_grid,
)
from oas.plots.labels import legend_name, literal
from oas.plots.palette import BOUND, FAINT, INK, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.result import Result

MOST_NAMED = 12  # organizations in the legend
_LIMIT: dict[str, Any] = {"color": BOUND, "lw": 1.2, "linestyle": (0, (4, 2)), "zorder": 2}


class LocalityPoint(Protocol):
    """The values that the chart draws for one locality; `oas.studies.cooperation.PricePoint` provides them."""

    @property
    def locality(self) -> Fraction | None:
        """None for no such constraint."""

    @property
    def result(self) -> Result:
        """The exact result."""

    @property
    def ends(self) -> Mapping[str, Fraction]:
        """Together / alone of every organization with jobs."""


@literal
def price_figure(points: Iterable[LocalityPoint], *, heading: str = "", unit: str = "") -> Figure:
    """Draw a study of the price of locality: makespans above, below when each organization ends.

    Parameters
    ----------
    points
        Those with a schedule are drawn, at equal distances in the order given; hollow where not proven optimal.
    heading
        Above the figure.
    unit
        Name of the time unit, for the axis.

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
    makespans = [one.result.objective for one in points if one.result.objective is not None]
    heights = [float(one) for one in makespans]
    ax.plot(range(len(points)), heights, color=INK, lw=1.2, zorder=3)
    for place, (point, makespan) in enumerate(zip(points, makespans, strict=True)):
        proven = point.result.lower_bound == makespan
        ax.plot(place, heights[place], marker="o", ms=6, mec=INK, mfc=INK if proven else "white", zorder=4)
        ax.annotate(
            format_number(makespan),
            (place, heights[place]),
            (0, 6),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    spread = max(heights) - min(heights) or max(heights) or 1.0
    ax.set_ylim(min(heights) - 0.2 * spread, max(heights) + 0.35 * spread)
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(scaled_formatter(0))
    ax.set_ylabel(f"makespan{bracketed(0, unit)}", fontsize=9, color=INK)


def _draw_ends(ax: Axes, points: Sequence[LocalityPoint]) -> None:
    names = list(dict.fromkeys(name for one in points for name in one.ends))
    for index, name in enumerate(names):
        pairs = [(place, float(one.ends[name])) for place, one in enumerate(points) if name in one.ends]
        label = legend_name(name) if index < MOST_NAMED else None
        ax.plot(
            *zip(*pairs, strict=True), color=dark(job_colour(index)), lw=1.5, marker="s", ms=4.5, label=label, zorder=3
        )
    limits = [(place, float(one.locality)) for place, one in enumerate(points) if one.locality is not None]
    if limits:
        ax.plot(*zip(*limits, strict=True), label="allowed", **_LIMIT)
    ax.axhline(1, color=INK, lw=0.8, zorder=1)
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel("end together / alone", fontsize=9, color=INK)
    ax.legend(loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False, labelcolor=INK)


_OPEN: dict[str, Any] = {"facecolor": "none", "edgecolor": BOUND, "hatch": "///", "lw": 0, "alpha": 0.55, "zorder": 2}
_WITHOUT: dict[str, Any] = {"color": INK, "lw": 1.2, "linestyle": (0, (4, 2)), "zorder": 2}
_EXCLUDED: dict[str, Any] = {"color": FAINT, "lw": 2, "zorder": 0}  # the edge shows a single start
_LINE = job_colour(4)


class CurvePoint(Protocol):
    """Neighbouring starts that the chart draws; `oas.studies.reservations.placement.CurvePiece` provides them."""

    @property
    def first(self) -> Fraction:
        """The first start."""

    @property
    def last(self) -> Fraction:
        """The last start."""

    @property
    def low_first(self) -> Fraction:
        """Proven lower bound on the optimum at the first."""

    @property
    def low_last(self) -> Fraction:
        """The same at the last."""

    @property
    def high_first(self) -> Fraction:
        """Makespan at the first."""

    @property
    def high_last(self) -> Fraction:
        """Makespan at the last."""

    @property
    def proven(self) -> bool:
        """Whether bound and makespan are the same at all of these starts."""


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
    heading
        Above the figure.
    unit
        Name of the time unit, for the axes.

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
        ax.axhline(float(without), **_WITHOUT)
    for first, last in excluded:
        ax.axvspan(float(first), float(last), **_EXCLUDED)
    if best is not None:
        _mark(ax, *best)
    _label(ax, pieces, unit)
    entries = [Line2D([], [], color=_LINE, lw=2.2, label="optimum with the reservation")]
    if not all(one.proven for one in pieces):
        entries[0].set_label("shortest schedule known")
        entries.append(Patch(**_OPEN, label="down to the proven bound"))  # type: ignore[arg-type]
    if without is not None:
        entries.append(Line2D([], [], label="without it", **_WITHOUT))
    if excluded:
        entries.append(Patch(**_EXCLUDED, label="it does not fit"))  # type: ignore[arg-type]
    ax.legend(handles=entries, loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False)
    title(ax, heading)
    return figure


def _draw_pieces(ax: Axes, pieces: Sequence[CurvePoint]) -> None:
    """Draw each piece as a line, or as a dot where it is one start; between them the optimum jumps, or nothing fits."""
    for one in pieces:
        span, tops = [float(one.first), float(one.last)], [float(one.high_first), float(one.high_last)]
        ax.plot(span, tops, color=_LINE, lw=2.2, marker="o", ms=3.2, solid_capstyle="butt", zorder=4)
        if not one.proven:
            ax.fill_between(span, [float(one.low_first), float(one.low_last)], tops, **_OPEN)
            ax.vlines(span, [float(one.low_first), float(one.low_last)], tops, color=BOUND, lw=0.7, zorder=2)


def _mark(ax: Axes, start: Fraction, makespan: Fraction) -> None:
    place = float(start), float(makespan)
    ax.plot(*place, marker="o", ms=7, mec=INK, mfc="none", mew=1.4, zorder=5)
    text = f"start {format_number(start)}: {format_number(makespan)}"
    ax.annotate(text, place, (0, -14), textcoords="offset points", ha="center", fontsize=8, zorder=5)


def _label(ax: Axes, pieces: Sequence[CurvePoint], unit: str) -> None:
    latest = float(pieces[-1].last)
    highest = float(max(max(one.high_first, one.high_last) for one in pieces))
    ax.xaxis.set_major_locator(MaxNLocator(10))
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.xaxis.set_major_formatter(scaled_formatter(axis_power(latest)))
    ax.yaxis.set_major_formatter(scaled_formatter(axis_power(highest)))
    ax.set_xlabel(f"start of the reservation{bracketed(axis_power(latest), unit)}", fontsize=9, color=INK)
    ax.set_ylabel(f"makespan{bracketed(axis_power(highest), unit)}", fontsize=9, color=INK)
    ax.margins(y=0.14)
    value_grid(ax, width=0.5)
