"""Figure of what is open after so many seconds, and of the share of each stage."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.proof_rates.shared.anytime import figures, stages_of
from benchmarks.proof_rates.shared.stages import shares
from oas.campaigns.report.chart_style import share_axis
from oas.core.errors import InputError
from oas.plots.axes import bare, new_figure
from oas.plots.palette import FAINT, INK, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchmarks.proof_rates.shared.rows import BaseRow

MOMENTS = tuple(round(0.5 * 1.15**step, 3) for step in range(36))  # .5 to 66 s, even on a logarithmic axis
TICKS = (0.5, 1, 2, 5, 10, 20, 30, 60)
_SMALL = 0.03  # a stage that takes less than this share of every group's time is counted as other
_MOST_STAGES = 14


def draw_anytime(groups: Mapping[str, Sequence[BaseRow]]) -> Figure:
    """Draw mean open units and median and mean gap against seconds, a curve a group, and shares of the stages.

    Raises
    ------
    InputError
        If there are no rows.
    """
    groups = {name: rows for name, rows in groups.items() if rows}
    if not groups:
        raise InputError("there are no rows to draw")
    figure = new_figure(8.4)
    (units, gaps), (bars, key) = figure.subplots(2, 2, height_ratios=(3, 2))
    for index, (name, rows) in enumerate(groups.items()):
        found = [figures(rows, moment) for moment in MOMENTS]
        colour = job_colour(index)
        _curve(units, [one.mean_open for one in found], colour, f"{name} ({len(rows)})")
        _curve(gaps, [100 * one.median_gap for one in found], colour)
        _curve(gaps, [100 * one.mean_gap for one in found], colour, dashed=True)
    _time_axis(units, "open units, mean")
    _time_axis(gaps, "gap [%]: median, dashed the mean")
    _draw_shares(bars, groups)
    for source, place, title in ((units, "upper left", "group (instances)"), (bars, "upper right", "stage")):
        handles, labels = source.get_legend_handles_labels()
        legend = key.legend(handles, labels, loc=place, fontsize=7, frameon=False, labelcolor=INK, title=title)
        legend.get_title().set_fontsize(8)
        key.add_artist(legend)
    key.axis("off")
    figure.suptitle("What is open after so many seconds, and where they go", x=0.01, ha="left", fontsize=10.5)
    return figure


def _curve(ax: Axes, values: Sequence[float], colour: str, label: str | None = None, *, dashed: bool = False) -> None:
    """Draw a curve from the first moment on at which there is something to tell."""
    known = [value if isfinite(value) else float("nan") for value in values]
    style = "--" if dashed else "-"
    (line,) = ax.plot(MOMENTS, known, style, color=dark(colour), lw=1.0 if dashed else 1.6, label=label)
    line.set_drawstyle("steps-post")


def _time_axis(ax: Axes, label: str) -> None:
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_ylim(0, None)
    ax.set_xticks(TICKS)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("seconds of oas.solve", fontsize=9, color=INK)
    ax.set_ylabel(label, fontsize=9, color=INK)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    bare(ax)


def _draw_shares(ax: Axes, groups: Mapping[str, Sequence[BaseRow]]) -> None:
    spent = {name: shares(rows) for name, rows in groups.items()}
    largest = {stage: max(one.get(stage, 0.0) for one in spent.values()) for stage in stages_of(spent)[:-1]}
    shown = sorted((stage for stage in largest if largest[stage] >= _SMALL), key=largest.__getitem__, reverse=True)
    floor = [0.0] * len(groups)
    for index, stage in enumerate([*shown[:_MOST_STAGES], "other"]):
        heights = [
            max(0.0, 1.0 - under) if stage == "other" else one.get(stage, 0.0)
            for under, one in zip(floor, spent.values(), strict=True)
        ]
        colour = FAINT if stage == "other" else job_colour(index)
        ax.bar(range(len(groups)), heights, bottom=floor, color=colour, edgecolor=dark(colour), lw=0.4, label=stage)
        floor = [under + height for under, height in zip(floor, heights, strict=True)]
    share_axis(ax, "share of the time")
    ax.set_axisbelow(True)
    ax.set_xticks(range(len(groups)), list(groups), rotation=30, ha="right")
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    bare(ax)
