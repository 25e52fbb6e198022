"""Common parts of the report's charts: lines, their colours, legends and axes of shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.ticker import PercentFormatter

from oas.plots.axes import bare, new_figure
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.palette import FAINT, INK, dark, job_colour, luminance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from oas.campaigns.report.profiles import Steps

HEIGHT = 4.2  # inches
_HUES = 9
_PALE = 0.4  # luminance of what is hard to see as a line on white
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.4, 1.2)), (0, (6, 1.4, 1.4, 1.4)))
_LEGEND_ROWS = 20


def new_axes(height: float = HEIGHT) -> Axes:
    """Return axes on a figure of their own."""
    ax: Axes = new_figure(height).subplots()
    return ax


def line_style(index: int) -> dict[str, Any]:
    """Return how the line with this number looks: a colour, and dashes once the colours are used up."""
    colour = job_colour(index % _HUES)
    shown = dark(colour) if luminance(colour) > _PALE else colour
    return {"color": shown, "linestyle": _DASHES[index // _HUES % len(_DASHES)]}


def draw_steps(ax: Axes, curves: Mapping[str, Steps], begin: float, end: float) -> None:
    """Draw each curve from `begin`, where it is 0 until its first step, to `end`."""
    for index, (name, steps) in enumerate(curves.items()):
        shown = [(float(moment), float(share)) for moment, share in steps if moment <= end]
        x = [begin, *(max(begin, moment) for moment, _ in shown), end]
        y = [0.0, *(share for _, share in shown)]
        label = drawable(name, NAME_LENGTH)
        ax.step(x, [*y, y[-1]], where="post", linewidth=1.6, label=f" {label}", **line_style(index))


def share_axis(ax: Axes, label: str) -> None:
    """Let the y axis of `ax` run from 0 to 100 % with faint lines."""
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_ylabel(label, fontsize=9, color=INK)
    ax.grid(axis="y", color=FAINT, linewidth=0.6, zorder=0)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    bare(ax)


def legend(ax: Axes) -> None:
    """Name the lines at the right of `ax`, in their order."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    ax.legend(
        loc="center left",
        bbox_to_anchor=(1.005, 0.5),
        fontsize=8,
        frameon=False,
        labelcolor=INK,
        ncols=-(-len(labels) // _LEGEND_ROWS),
    )
