"""Charts over samples: mean gap against seconds, and the share of each stage in the time."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, NullLocator

from oas.campaigns.report.anytime import SECONDS, figures, shares, stages_of
from oas.campaigns.report.chart_style import legend, line_style, new_axes, share_axis
from oas.plots.axes import bare, title
from oas.plots.labels import NAME_LENGTH, drawable, literal
from oas.plots.palette import FAINT, INK, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from oas.campaigns.report.frame import Run

MOST_GROUPS = 12
_SMALL = 0.03  # a stage with a smaller share of every group is drawn as other


@literal
def anytime_chart(groups: Mapping[tuple[str, str], Sequence[Run]], heading: str) -> Axes:
    """Draw the mean gap of exact methods against seconds, a curve for each sample and method."""
    ax = new_axes(3.4)
    longest = max(run.record.seconds for own in groups.values() for run in own)
    times = [0.5]
    while times[-1] < longest:
        times.append(times[-1] * 1.15)
    for index, (key, own) in enumerate(list(groups.items())[:MOST_GROUPS]):
        gaps = [100 * figures(own, moment).mean for moment in times]
        known = [gap if isfinite(gap) else float("nan") for gap in gaps]
        ax.step(times, known, where="post", lw=1.4, label=f" {_name(key)} ({len(own)})", **line_style(index))
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_ylim(0, None)
    ax.set_xticks([second for second in SECONDS if second <= times[-1]])
    ax.xaxis.set_minor_locator(NullLocator())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    ax.set_ylabel("mean gap [%]", fontsize=9, color=INK)
    _finish(ax, heading)
    return ax


@literal
def stage_chart(groups: Mapping[tuple[str, str], Sequence[Run]], heading: str) -> Axes:
    """Draw the share of each stage in the time of exact methods, a bar for each sample and method."""
    ax = new_axes(3.4)
    spent = {key: shares(own) for key, own in list(groups.items())[:MOST_GROUPS]}
    floor = [0.0] * len(spent)
    for index, stage in enumerate([*_shown(spent), "other"]):
        heights = [
            max(0.0, 1.0 - under) if stage == "other" else one.get(stage, 0.0)
            for under, one in zip(floor, spent.values(), strict=True)
        ]
        colour = FAINT if stage == "other" else job_colour(index)
        bars = ax.bar(range(len(spent)), heights, bottom=floor, color=colour, label=f" {stage}")
        for bar in bars:
            bar.set(edgecolor=dark(colour), linewidth=0.4)
        floor = [under + height for under, height in zip(floor, heights, strict=True)]
    share_axis(ax, "share of the time")
    ax.set_axisbelow(True)
    ax.set_xticks(range(len(spent)), [_name(key) for key in spent], rotation=30, ha="right")
    _finish(ax, heading)
    return ax


def _name(key: tuple[str, str]) -> str:
    return drawable(", ".join(part for part in key if part), NAME_LENGTH)


def _finish(ax: Axes, heading: str) -> None:
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    bare(ax)
    title(ax, heading)
    legend(ax)


def _shown(spent: Mapping[tuple[str, str], Mapping[str, float]]) -> list[str]:
    """Return the stages that are drawn, largest first."""
    largest = {stage: max(one.get(stage, 0.0) for one in spent.values()) for stage in stages_of(spent)[:-1]}
    return sorted((stage for stage in largest if largest[stage] >= _SMALL), key=largest.__getitem__, reverse=True)
