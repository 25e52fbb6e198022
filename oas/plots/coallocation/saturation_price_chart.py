"""Chart of what forbidding saturation costs: optima over thresholds, and the ratio forbid / slowdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import bracketed, format_number, new_figure, scaled_formatter, share_categories
from oas.plots.labels import drawable, literal
from oas.plots.palette import BOUND, INK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OPTIMUM, _HEURISTIC = "#332288", "#117733"
_STEPS = [1, 2, 2.5, 5, 10]
_LABEL: dict[str, Any] = {
    "textcoords": "offset points",
    "fontsize": 8,
    "color": INK,
    "bbox": {"facecolor": "white", "edgecolor": "none", "boxstyle": "square,pad=0.15"},
    "zorder": 5,
}
_FORBID: dict[str, Any] = {"color": INK, "lw": 1.2, "linestyle": (0, (4, 2)), "zorder": 2}


class Ends(Protocol):
    """What is known of a ratio; `oas.studies.slot_sizes.points.Interval` provides it."""

    @property
    def low(self) -> Fraction:
        """The least that it may be."""

    @property
    def high(self) -> Fraction:
        """The most."""


class PolicyPoint(Protocol):
    """The values drawn for one policy; `oas.studies.saturation_points.SaturationPoint` provides them."""

    @property
    def threshold(self) -> Fraction | None:
        """Of slowdown; None for none."""

    @property
    def makespan(self) -> Fraction | None:
        """Of the best schedule known."""

    @property
    def lower_bound(self) -> Fraction:
        """Proven lower bound on the optimum."""

    @property
    def heuristic_makespan(self) -> Fraction | None:
        """Of the best heuristic."""

    @property
    def ratio(self) -> Ends | None:
        """The optimum under forbid / the optimum here."""


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
    heading
        Above the figure.
    unit
        Name of the time unit, for the axis.

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
    ax.axhline(1, **_FORBID)
    for place, ratio in known:
        low, high = float(ratio.low), float(ratio.high)
        exact = ratio.low == ratio.high
        if not exact:
            ax.plot([place, place], [low, high], color=BOUND, lw=5, alpha=0.35, solid_capstyle="butt", zorder=2.5)
        ax.plot(place, low, marker="o", ms=6.5, mec=_OPTIMUM, mfc=_OPTIMUM if exact else "white", zorder=4)
        words = " – ".join(dict.fromkeys((f"{low:.3f}", f"{high:.3f}")))
        ax.annotate(words, (place, high), (0, 8), ha="center", **_LABEL)
    if known:
        ax.plot([place for place, _ in known], [float(one.low) for _, one in known], color=_OPTIMUM, lw=1.3, zorder=3)
    most = max((float(one.high) for _, one in known), default=1.0)
    ax.set_ylim(1 - 0.12 * max(most - 1, 0.05), 1 + 1.35 * max(most - 1, 0.05))
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
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
        ax.plot(places, bounds, color=BOUND, lw=1.0, marker="^", ms=4, zorder=2.5)
        entries.append(Line2D([], [], color=BOUND, lw=1.0, marker="^", ms=4, label="lower bound"))
    heuristics = [
        (place, float(one.heuristic_makespan)) for place, one in enumerate(points) if one.heuristic_makespan is not None
    ]
    if heuristics:
        ax.plot(*zip(*heuristics, strict=True), color=_HEURISTIC, lw=1.3, marker="s", ms=4.5, zorder=3)
        entries.append(Line2D([], [], color=_HEURISTIC, lw=1.3, marker="s", ms=4.5, label="best heuristic"))
    ax.plot(places, ends, color=_OPTIMUM, lw=1.6, zorder=3.5)
    for place, end, closed in zip(places, ends, proven, strict=True):
        ax.plot(place, end, marker="o", ms=6, mec=_OPTIMUM, mfc=_OPTIMUM if closed else "white", zorder=4)
    name = "optimum" if all(proven) else "best schedule (hollow: not proven)"
    entries.insert(0, Line2D([], [], color=_OPTIMUM, lw=1.6, marker="o", ms=6, label=f"slowdown, {name}"))
    every = [*ends, *bounds, *(one for _, one in heuristics)]
    if forbid.makespan is not None:
        every.append(float(forbid.makespan))
        ax.axhline(float(forbid.makespan), **_FORBID)
        closed = forbid.makespan == forbid.lower_bound
        words = f"forbid, {'optimum' if closed else 'best schedule'} {format_number(forbid.makespan)}"
        entries.append(Line2D([], [], **_FORBID, label=words))
    spread = max(every) - min(every) or max(every) or 1.0
    ax.set_ylim(min(every) - 0.15 * spread, max(every) + 0.15 * spread)
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))
    ax.yaxis.set_major_formatter(scaled_formatter(0))
    ax.set_ylabel(f"makespan{bracketed(0, unit)}", fontsize=9, color=INK)
    ax.legend(handles=entries, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(entries), fontsize=8, frameon=False)
