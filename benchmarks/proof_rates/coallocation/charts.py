"""Figure of the growth of cost with jobs, nodes, clusters and 1/η, and of the time by stage."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from benchmarks.proof_rates.coallocation.plans import GROWTH, Cell
from benchmarks.proof_rates.shared.stages import shares
from oas.campaigns.report.chart_style import share_axis
from oas.core.errors import InputError
from oas.plots.axes import bare, new_figure
from oas.plots.palette import FAINT, INK, LIMIT, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchmarks.proof_rates.coallocation.rows import CoallocationRow

_LEAST = 0.003  # seconds at the foot of the axis
_SMALL = 0.05  # a stage that takes less than this share of every cell's time is counted as other
_OWN, _RIVAL = "#332288", "#CC6677"


def draw_growth(rows: Sequence[CoallocationRow]) -> Figure:
    """Draw median and worst seconds against each axis of growth, with shares proven, and below shares by stage.

    Raises
    ------
    InputError
        If there are no rows of the plan ``growth``.
    """
    own = [row for row in rows if row.plan == "growth"]
    if not own:
        raise InputError("there are no rows of the plan growth to draw")
    figure = new_figure(6.2)
    axes = figure.subplots(2, len(GROWTH), sharey="row", height_ratios=(3, 2))
    stages = _stages(own)
    for column, (name, cells) in enumerate(GROWTH.items()):
        found = {shown: [row for row in own if row.cell == cell] for shown, cell in cells.items()}
        found = {shown: of_cell for shown, of_cell in found.items() if of_cell}
        _draw_seconds(axes[0, column], found)
        _draw_shares(axes[1, column], found, stages)
        axes[1, column].set_xlabel(name, fontsize=9, color=INK)
        base = [index for index, shown in enumerate(found) if cells[shown] == Cell()]
        for tick in base:
            axes[1, column].get_xticklabels()[tick].set_fontweight("bold")
    axes[0, 0].set_ylabel("wall time [s]", fontsize=9, color=INK)
    share_axis(axes[1, 0], "share of the time")
    _legend(axes[0, -1])
    _legend(axes[1, -1], upwards=True)
    figure.suptitle(_heading(own), x=0.01, ha="left", fontsize=10.5, color=INK)
    return figure


def _stages(rows: Sequence[CoallocationRow]) -> list[str]:
    """Return the stages to be shown, in the order in which they come up."""
    by_cell: dict[Cell, list[CoallocationRow]] = {}
    for row in rows:
        by_cell.setdefault(row.cell, []).append(row)
    spent = [shares(of_cell) for of_cell in by_cell.values()]
    order = [stage for stage in shares(rows) if stage != "other"]
    return [stage for stage in order if max(one.get(stage, 0.0) for one in spent) >= _SMALL]


def _heading(rows: Sequence[CoallocationRow]) -> str:
    base, counts = Cell(), Counter(row.cell for row in rows).values()
    count = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return (
        f"Cost of a proof: one thing varies, the rest is {base}, limit {base.seconds:g} s.\n"
        f"Instances behind each point: {count}; above it, how many of them oas.solve proved."
    )


def _draw_seconds(ax: Axes, found: Mapping[str, Sequence[CoallocationRow]]) -> None:
    places = range(len(found))
    own = [[max(row.own.seconds, _LEAST) for row in rows] for rows in found.values()]
    rival = [[max(row.rival.seconds, _LEAST) for row in rows] for rows in found.values()]
    ax.plot(
        places, [median(one) for one in own], color=_OWN, lw=1.8, marker="o", ms=4, zorder=3, label="oas.solve, median"
    )
    ax.plot(places, [max(one) for one in own], color=_OWN, lw=0.9, marker=".", ms=4, zorder=3, label="oas.solve, worst")
    ax.plot(places, [median(one) for one in rival], color=_RIVAL, lw=1.4, linestyle="--", label="CP-SAT, median")
    ax.plot(places, [max(one) for one in rival], color=_RIVAL, lw=0.9, linestyle=":", label="CP-SAT, worst")
    limit = max(row.cell.seconds for rows in found.values() for row in rows) if found else Cell().seconds
    ax.axhline(limit, color=LIMIT, linewidth=0.8, label="limit")
    ax.set_yscale("log")
    ax.set_ylim(_LEAST, limit * 4)
    ax.yaxis.set_major_locator(LogLocator(10))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    for place, rows in zip(places, found.values(), strict=True):
        proven = sum(row.own.proven for row in rows)
        ax.text(place, limit * 1.35, f"{proven}/{len(rows)}", ha="center", fontsize=7, color=INK)
    _ticks(ax, found)
    ax.tick_params(axis="y", length=0)


def _draw_shares(ax: Axes, found: Mapping[str, Sequence[CoallocationRow]], stages: Sequence[str]) -> None:
    places = range(len(found))
    spent = [shares(rows) for rows in found.values()]
    floor = [0.0] * len(found)
    for index, stage in enumerate([*stages, "other"]):
        if stage == "other":
            heights = [max(0.0, 1.0 - under) for under in floor]
        else:
            heights = [one.get(stage, 0.0) for one in spent]
        colour = FAINT if stage == "other" else job_colour(index)
        ax.bar(
            places, heights, bottom=floor, width=0.8, color=colour, edgecolor=dark(colour), linewidth=0.4, label=stage
        )
        floor = [under + height for under, height in zip(floor, heights, strict=True)]
    share_axis(ax, "")
    ax.set_axisbelow(True)
    _ticks(ax, found)


def _legend(ax: Axes, *, upwards: bool = False) -> None:
    handles, labels = ax.get_legend_handles_labels()
    step = -1 if upwards else 1
    place = {"loc": "center left", "bbox_to_anchor": (1.005, 0.5)}
    ax.legend(handles[::step], labels[::step], fontsize=8, frameon=False, labelcolor=INK, **place)


def _ticks(ax: Axes, found: Mapping[str, object]) -> None:
    ax.set_xticks(range(len(found)), list(found))
    ax.set_xlim(-0.6, len(found) - 0.4)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    bare(ax)
