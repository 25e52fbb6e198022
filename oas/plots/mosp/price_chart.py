"""Chart of a price study: the makespan at each locality, and its effect on each organization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import format_number, new_figure, scaled_formatter, share_categories, title
from oas.plots.labels import legend_name, literal
from oas.plots.palette import BOUND, INK, dark, job_colour

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
    ax.set_ylabel(f"makespan{f' [{unit}]' if unit else ''}", fontsize=9, color=INK)


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
