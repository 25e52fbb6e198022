"""Chart of the distribution of each method's gaps."""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.plots.axes import new_figure, title, value_grid
from oas.plots.labels import NAME_LENGTH, drawable, literal
from oas.plots.palette import INK, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

MOST_DOTS = 60  # of a method; beyond, box and whiskers say more
_ROW, _MARGIN = 0.27, 0.95  # inches
_BOX = 0.56  # of a row


@literal
def gap_chart(gaps: Mapping[str, Sequence[float]], ax: Axes | None = None, *, label: str, heading: str = "") -> Axes:
    """Draw for each method the range of its gaps, their quartiles (box), median, and each of them while they are few.

    Parameters
    ----------
    gaps
        By method, from the top down; as ratios.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    label
        Of the axis: what the gaps are to.
    heading
        Above the chart.

    Returns
    -------
    Axes
        Those drawn on.
    """
    ax = ax or new_figure(_MARGIN + _ROW * max(1, len(gaps))).subplots()
    for row, own in enumerate(gaps.values()):
        if own:
            _draw(ax, row, [100 * gap for gap in own])
    ax.set_yticks(range(len(gaps)), [f"{drawable(name, NAME_LENGTH)}  ({len(own)})" for name, own in gaps.items()])
    ax.set_ylim(len(gaps) - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(9))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g} %"))
    ax.set_xlabel(label, fontsize=9, color=INK)
    ax.tick_params(axis="y", length=0)
    value_grid(ax, "x")
    title(ax, heading)
    return ax


def _draw(ax: Axes, row: int, gaps: Sequence[float]) -> None:
    colour = dark(job_colour(0))
    low, high = min(gaps), max(gaps)
    ax.plot([low, high], [row, row], color=colour, linewidth=1.0, zorder=2)
    if len(gaps) > 1:
        first, _, third = quantiles(gaps, n=4, method="inclusive")
        ax.add_patch(Rectangle((first, row - _BOX / 2), third - first, _BOX, facecolor=job_colour(0), zorder=2.2))
    middle = median(gaps)
    ax.plot([middle, middle], [row - _BOX / 2, row + _BOX / 2], color=INK, linewidth=1.8, zorder=2.6)
    if len(gaps) <= MOST_DOTS:
        ax.plot(gaps, [row] * len(gaps), "o", color=colour, markersize=3.2, markeredgecolor="white",
                markeredgewidth=0.4, zorder=2.4)  # fmt: skip
