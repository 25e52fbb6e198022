"""Panels of the figure of slot sizes, for one study or one study per seed: losses, model size and seconds over η."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from oas.plots.axes import INK, STEPS, job_colour, legend_columns, scaled_formatter, value_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    Columns = Mapping[float, Sequence[Any]]  # by slot size in percent: `oas.coallocation.slot_sizes.points.SlotPoint`

OPTIMUM, EXECUTED = "#332288", "#117733"
ROUNDING, SCHEDULING = job_colour(0), job_colour(2)
_COLOURS = (OPTIMUM, "#CC6677", "#999933", "#AA4499")
_OPEN: dict[str, Any] = {"lw": 0, "marker": "^", "ms": 6, "mfc": "white"}
_MARKS = {"-": "o", ":": "s"}
_LIMIT = "limit or failure"
_LEAST_SECONDS = 0.01  # smaller times are drawn at this value
_CROWDED = 0.06  # share of the axis: labels at a smaller distance cannot be read
_BAR = 10.0  # width in points


def draw_relative(columns: Columns, ax: Axes) -> None:
    """Draw slotted and executed makespans of several studies, in per cent above the continuous makespan."""
    slotted, executed = {}, {}
    for place, points in columns.items():
        units = [(point, _continuous(point) / 100) for point in points]
        slotted[place] = [(float(point.makespan / unit) - 100, point.proven) for point, unit in units]
        executed[place] = [(float(point.executed / unit) - 100, True) for point, unit in units]
    curves = {"slotted": (slotted, OPTIMUM, "-"), "the same, executed": (executed, EXECUTED, "-")}
    _draw_curves(ax, columns, curves, "above η = 0, %", "not proven")


def draw_losses(columns: Columns, ax: Axes) -> None:
    """Draw rounding and scheduling loss in per cent of the shortest known continuous makespan: (upper) medians.

    A thin line is the range over the studies; if an optimum is not proven, it is the proven range.
    """
    entries, most, figure = [], 0.0, ax.figure
    for side, name, colour in ((-1, "rounding", ROUNDING), (1, "scheduling", SCHEDULING)):
        moved = ax.transData + ScaledTranslation(side * _BAR / 144, 0, figure.dpi_scale_trans)
        for place, points in columns.items():
            losses = [(getattr(point.loss, name), float(_continuous(point)) / 100) for point in points]
            lows = sorted(float(getattr(loss, "low", loss)) / unit for loss, unit in losses)
            high = max(float(getattr(loss, "high", loss)) / unit for loss, unit in losses)
            ax.vlines(place, 0, lows[len(lows) // 2], color=colour, lw=_BAR, transform=moved, zorder=2)
            ax.vlines(place, lows[0], high, color=INK, lw=1.0, transform=moved, zorder=3)
            most = max(most, high)
        entries.append(Patch(color=colour, lw=0, label=f"{name} loss"))
    _finish(ax, columns, [0, most], "loss, % of η = 0", entries)


def draw_model_sizes(columns: Columns, ax: Axes) -> None:
    """Draw the number of variables of the start-indexed and of the literal model, if they could be counted."""
    curves = {}
    for name, colour in zip(("start_indexed", "literal"), _COLOURS, strict=False):
        counts = {place: [getattr(one.sizes, name).variables for one in points] for place, points in columns.items()}
        known = {place: [(count, True) for count in column if count] for place, column in counts.items()}
        curves[f"{name.replace('_', '-')} model"] = ({place: one for place, one in known.items() if one}, colour, "-")
    _draw_curves(ax, columns, curves, "variables")


def draw_seconds(columns: Columns, ax: Axes) -> None:
    """Draw the seconds of the toolkit and of the measured solvers; models too large to be built are left out."""
    runs: dict[str, dict[float, list[tuple[float, bool]]]] = {"toolkit": {}}
    for place, points in columns.items():
        runs["toolkit"][place] = [(max(point.seconds, _LEAST_SECONDS), point.proven) for point in points]
        for run in (run for point in points for run in point.model_times if run.status != "too large"):
            value = (max(run.seconds, _LEAST_SECONDS), run.status == "proven")
            runs.setdefault(run.name, {}).setdefault(place, []).append(value)
    solvers = sorted({name.partition(" ")[0] for name in runs} - {"toolkit"})
    colours = {"toolkit": INK} | {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(solvers)}
    dashes = {name: ":" if name.endswith("literal") else "-" for name in runs}
    curves = {name: (values, colours[name.partition(" ")[0]], dashes[name]) for name, values in runs.items()}
    _draw_curves(ax, columns, curves, "seconds", _LIMIT)


def _continuous(point: Any) -> Any:
    """Return the shortest known makespan at η = 0."""
    return point.makespan - point.loss.total.low


def _draw_curves(ax: Axes, columns: Columns, curves: Mapping[str, Any], label: str, word: str = "") -> None:
    """Draw curves by name: (upper) medians at each slot size with a band from minimum to maximum.

    Values are pairs with a flag; a median whose flag is not set has an open mark, explained by `word`. Lines and bands
    connect three or more consecutive medians, and end at limits.
    """
    entries = [
        Line2D([], [], color=colour, ls=dashes, marker=_MARKS[dashes], ms=4.5, label=name)
        for name, (_, colour, dashes) in curves.items()
    ]
    values = [value for sizes, _, _ in curves.values() for column in sizes.values() for value, _ in column]
    for sizes, colour, dashes in curves.values():
        ordered = {place: sorted(sizes[place]) for place in sorted(sizes)}
        middles = {place: column[len(column) // 2] for place, column in ordered.items()}
        for place, (height, closed) in middles.items():
            mark = {"lw": 0, "marker": _MARKS[dashes], "ms": 4.5, "mfc": colour} if closed else _OPEN
            ax.plot(place, height, mec=colour, zorder=4, **mark)
        for connected, group in groupby(middles, key=lambda place: middles[place][1] or word != _LIMIT):
            places = [*group]
            if connected and len(places) > 2:
                ax.plot(places, [middles[place][0] for place in places], color=colour, lw=1.4, ls=dashes, zorder=3)
                low, high = ([ordered[place][end][0] for place in places] for end in (0, -1))
                ax.fill_between(places, low, high, color=colour, alpha=0.18, lw=0, zorder=1)
    if any(line.get_marker() == _OPEN["marker"] for line in ax.lines):
        entries.append(Line2D([], [], mec=INK, label=word, **_OPEN))
    _finish(ax, columns, values, label, entries)


def _finish(ax: Axes, columns: Columns, values: Sequence[float], label: str, entries: list[Any]) -> None:
    """Set both axes, logarithmic if positive `values` span a decade, otherwise from 0; draw the legend above."""
    low, high = min(values, default=0), max(values, default=1)
    if _spans_decade(low, high):
        ax.set_yscale("log")
        ax.set_ylim(low / 1.6, high * 1.6)
        ax.yaxis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.set_ylim(0, 1.08 * high or 1)
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    ax.yaxis.set_major_formatter(scaled_formatter(0))
    ax.set_ylabel(label, fontsize=9, color=INK)
    size_axis(ax, [*columns])
    legend(ax, entries)


def legend(ax: Axes, entries: list[Any]) -> None:
    """Draw a legend above a panel."""
    look: dict[str, Any] = {"fontsize": 8, "frameon": False, "borderaxespad": 0.1, "handlelength": 1.6}
    ax.legend(handles=entries, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=legend_columns(entries), **look)


def _spans_decade(low: float, high: float) -> bool:
    return low > 0 and high >= 10 * low


def size_axis(ax: Axes, places: Sequence[float]) -> None:
    """Set an axis with the studied sizes (ascending) as its ticks, as far as they can be distinguished."""
    ax.set_xscale("log" if _spans_decade(places[0], places[-1]) else "linear")
    ax.margins(x=0.04)
    ax.get_xlim()  # computes the limits
    position = (ax.transScale + ax.transLimits).transform
    shown: list[float] = []
    for place in reversed(places):
        if not shown or position((shown[0], 1))[0] - position((place, 1))[0] >= _CROWDED:
            shown.insert(0, place)
    ax.set_xticks(shown, [f"{place:g} %" for place in shown])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("slot size η, in % of the mean base time", fontsize=9, color=INK)
    value_grid(ax, "x", width=0.5)
    ax.spines["left"].set_visible(True)
    ax.spines["left"].set_color(INK)
