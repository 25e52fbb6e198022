"""Charts of fair sharing: what each organization is owed over time, and the style of Gantt charts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import (
    INK,
    STEPS,
    axis_power,
    dark,
    format_number,
    job_colour,
    new_figure,
    number_axis,
    title,
    value_grid,
)
from oas.plots.labels import NAME_LENGTH, drawable, legend_name, literal
from oas.plots.plain_look import OwnersLook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.schedule import Schedule
    from oas.plots.lanes import Box, Lanes

OWED = "φ − ψ"
MOST_NAMED = 24  # organizations in the legend
MOST_ENDS = 8  # organizations that are named where their lines end
_HUES = 9
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.4, 1.2)))
_PANEL, _FOOT = 1.9, 0.6  # inches: the height of a panel, and of the time axis with its label
_DRAWN = 1.35  # inches of a panel that hold the lines
_LINE = 10.0  # points from one name to the next
_SIDE: dict[str, Any] = {"fontsize": 8, "color": "#6b6b6b", "ha": "left", "zorder": 5}
_BEHIND = {"facecolor": "white", "edgecolor": "none", "boxstyle": "square,pad=0.15"}


@dataclass(frozen=True)
class LedgerLine:
    """The amount owed to one organization at the moments of the ledger: φ − ψ."""

    middle: Sequence[float]  # a value for each moment; the mean of several runs
    # minimum and maximum of the runs at each moment; empty for one run
    band: tuple[Sequence[float], Sequence[float]] | tuple[()] = ()


@dataclass(frozen=True)
class LedgerColumn:
    """Charts above one another, on one scale."""

    label: str  # title of the values
    scale: str  # their unit; may be empty
    panels: Mapping[str, tuple[str, Mapping[str, LedgerLine]]]  # by policy: its title, and lines by organization
    sides: tuple[str, str] = ("is owed", "has had more")  # meaning of values above and below zero


@literal
def ledger_chart(
    moments: Sequence[float],
    lines: Mapping[str, LedgerLine],
    ax: Axes | None = None,
    *,
    heading: str = "",
    unit: str = "",
    label: str = OWED,
    scale: str = "",
) -> Axes:
    """Draw what each organization is owed over time under one policy.

    Parameters
    ----------
    moments
        Ascending.
    lines
        By organization; a band is shaded.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading, unit
        Above the chart; name of the unit of the moments.
    label, scale
        Name and unit of the values, for the axis.

    Raises
    ------
    InputError
        If there is no organization, or the number of values of a line differs from that of the moments.
    """
    ax = ax or new_figure(_PANEL + _FOOT).subplots()
    _draw(ax, moments, lines, heading)
    _label(ax, axis_power(_largest([lines])), unit, label, scale)
    return ax


@literal
def ledger_figure(
    moments: Sequence[float], columns: Sequence[LedgerColumn], *, heading: str = "", unit: str = "", words: str = ""
) -> Figure:
    """Draw the ledgers of several policies: a row for each, a column for each quantity, on one scale down a column.

    Parameters
    ----------
    moments
        As for `ledger_chart`.
    columns
        The first has a panel for each policy, the others for some of them.
    heading, unit
        Above the figure; name of the unit of the moments.
    words
        Text in place of a panel that a column lacks.

    Raises
    ------
    InputError
        If there is no policy, or as for `ledger_chart`.
    """
    policies = list(columns[0].panels) if columns else []
    if not policies:
        raise InputError("at least one policy is needed", field="columns")
    figure = new_figure(len(policies) * _PANEL + _FOOT + (0.3 if heading else 0.0))
    grid = figure.subplots(len(policies), len(columns), sharex=True, sharey="col", squeeze=False)
    for column, axes in zip(columns, grid.T, strict=True):
        _draw_column(moments, column, dict(zip(policies, axes, strict=True)), unit, words)
    for column, axes in zip(columns, grid.T, strict=True):
        _name_lines([(ax, column.panels[policy][1]) for policy, ax in zip(policies, axes, strict=True) if ax.lines])
    if len(next(iter(columns[0].panels.values()))[1]) > MOST_ENDS:
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", fontsize=8, frameon=False, labelcolor=INK)
    if heading:
        figure.suptitle(heading, x=0.01, ha="left", fontsize=10.5, color=INK)
    return figure


def _draw_column(
    moments: Sequence[float], column: LedgerColumn, axes: Mapping[str, Axes], unit: str, words: str
) -> None:
    power = axis_power(_largest([lines for _, lines in column.panels.values()]))
    for policy, ax in axes.items():
        if policy not in column.panels:
            ax.set_axis_off()
            text = ax.text(0, 1, words, transform=ax.transAxes, va="top", linespacing=1.25, wrap=True, **_SIDE)
            text.set_in_layout(False)
            continue
        heading, lines = column.panels[policy]
        _draw(ax, moments, lines, drawable(heading))
        _label(ax, power, unit, column.label, column.scale)
        for place, align, side in ((0.97, "top", f"▲ {column.sides[0]}"), (0.03, "bottom", f"▼ {column.sides[1]}")):
            ax.text(0.008, place, side, transform=ax.transAxes, va=align, bbox=_BEHIND, **_SIDE)
    *upper, _ = axes.values()
    for ax in upper:
        ax.set_xlabel("")
        ax.tick_params(axis="x", length=0, labelbottom=False)
        ax.spines["bottom"].set_visible(False)


def _draw(ax: Axes, moments: Sequence[float], lines: Mapping[str, LedgerLine], heading: str) -> None:
    if not lines:
        raise InputError("at least one organization is needed", field="lines")
    for name, line in lines.items():
        if any(len(values) != len(moments) for values in (line.middle, *line.band)):
            raise InputError(f"must be {len(moments)} values, one for each moment", field=f"lines of {name}")
    ax.axhline(0, color=INK, lw=1.0, zorder=2)
    for index, (name, line) in enumerate(lines.items()):
        look = _look(index)
        if line.band:
            ax.fill_between(moments, *line.band, color=look["color"], alpha=0.16, lw=0, zorder=1)
        label = legend_name(name) if index < MOST_NAMED else "_"
        ax.plot(moments, line.middle, lw=1.6, label=label, zorder=3, **look)
    ax.set_xlim(float(moments[0]), float(moments[-1]))
    ax.margins(y=0.12)
    ax.tick_params(axis="y", length=0)
    value_grid(ax)
    title(ax, heading)


def _label(ax: Axes, height: int, unit: str, label: str, scale: str) -> None:
    """Label the axes, with values in units of 10^height."""
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=STEPS))
    number_axis(ax.xaxis, axis_power(ax.get_xlim()[1]), "time", unit)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=STEPS))
    number_axis(ax.yaxis, height, label, scale)


def _largest(panels: Sequence[Mapping[str, LedgerLine]]) -> float:
    curves = [curve for panel in panels for line in panel.values() for curve in (line.middle, *line.band)]
    return max((abs(float(value)) for curve in curves for value in curve), default=0.0)


def _name_lines(rows: Sequence[tuple[Axes, Mapping[str, LedgerLine]]]) -> None:
    """Write the names of the lines at their ends, if there are few."""
    if not rows or any(len(lines) > MOST_ENDS for _, lines in rows):
        return
    low, high = rows[0][0].get_ylim()
    between = (high - low) * _LINE / (72 * _DRAWN)
    for ax, lines in rows:
        ends = [float(line.middle[-1]) for line in lines.values()]
        for index, (name, place) in enumerate(zip(lines, _apart(ends, between, low, high), strict=True)):
            style: dict[str, Any] = {"va": "center", "fontsize": 8, "color": _look(index)["color"]}
            where: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
            ax.annotate(drawable(name, NAME_LENGTH), (1, place), (6, 0), **where, **style)


def _apart(places: Sequence[float], between: float, low: float, high: float) -> list[float]:
    """Return the places moved apart in unchanged order, as little as possible.

    They lie between `low` and `high` if there is room. Neighbours that would touch are set together around their mean.
    """
    order = sorted(range(len(places)), key=lambda one: places[one])

    def begin(group: list[int]) -> float:
        """Return the lower edge of the first name of a group."""
        length = between * len(group)
        return max(low, min(high - length, sum(places[one] for one in group) / len(group) - length / 2))

    groups: list[list[int]] = []  # names that touch
    for one in order:
        groups.append([one])
        while len(groups) > 1 and begin(groups[-2]) + between * len(groups[-2]) > begin(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    moved = [0.0] * len(places)
    for group in groups:
        first = begin(group) + between / 2
        for step, one in enumerate(group):
            moved[one] = first + between * step
    return moved


def _look(index: int) -> dict[str, Any]:
    """Return colour and dashes of a line; dashes once the colours are used up."""
    return {"color": dark(job_colour(index % _HUES)), "linestyle": _DASHES[index // _HUES % len(_DASHES)]}


_HORIZON: dict[str, Any] = {"color": INK, "linestyle": (0, (2, 2)), "linewidth": 1.2}


class SharersLook(OwnersLook):
    """Owners by colour, and the horizon."""

    def horizon(self, end: Fraction) -> Fraction:
        """Return the end of the time axis, at least the instance's horizon."""
        return max(end, Fraction(self.instance.horizon))

    def draw(self, ax: Axes, lanes: Lanes, boxes: Sequence[Box], schedule: Schedule, points: float) -> None:
        """Draw each lane's owner at its left, and the horizon."""
        super().draw(ax, lanes, boxes, schedule, points)
        ax.plot([self.instance.horizon] * 2, [0, lanes.height], zorder=3.4, **_HORIZON)

    def legend(self, schedules: Iterable[Schedule]) -> list[Artist]:
        """Return legend entries for the horizon and, if there are few, for colours."""
        moment = format_number(Fraction(self.instance.horizon))
        return [
            *super().legend(schedules),
            Line2D([], [], label=f"horizon {moment}: no job starts from here on", **_HORIZON),
        ]
