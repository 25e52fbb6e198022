"""The scale of a link's load in percent of its bandwidth: where it is saturated, and the most that is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FixedLocator, FuncFormatter

from oas.plots.axes import format_number
from oas.plots.palette import LIMIT

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes

    from oas.problems.coallocation.instance import Cluster

_FAR = 2.0  # times the peak: a line further up is named at the top instead
_APART = 0.3  # of the axis: lines nearer to one another are named in one text


def draw_shares(ax: Axes, cluster: Cluster, peak: Fraction | None, allowed: Fraction | None) -> None:
    """Scale the y axis, shade what is above 100 %, and draw the lines at 100 % and at the most that is allowed.

    Parameters
    ----------
    ax
        On which the load is drawn, in percent of MBW.
    cluster
        Whose link it is; its MBW is above 0.
    peak
        The greatest load, in percent; None for none.
    allowed
        The most that the link may be asked for, in the unit of MBW; None for any amount.
    """
    highest = max(100.0, 0.0 if peak is None else float(peak))
    most = None if allowed is None else float(100 * allowed / cluster.bandwidth)
    top = 1.2 * (most if most is not None and most <= _FAR * highest else highest)
    top = max(top, 1.2 * highest)
    ax.set_ylim(0, top)
    ax.axhspan(100, top, facecolor=LIMIT, alpha=0.07, linewidth=0, zorder=0.5)
    ax.axhline(100, color=LIMIT, linewidth=1.3, linestyle=(0, (5, 2)), zorder=3.5)
    ticks = [0.0, 100.0] + ([round(highest)] if highest >= 130 else [])
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g} %" if value else "0"))
    ax.tick_params(axis="y", labelsize=7, length=2, pad=2, colors="#666666")
    _name(ax, 100, top, f"MBW {format_number(cluster.bandwidth)}", most)


def _name(ax: Axes, own: float, top: float, text: str, most: float | None) -> None:
    """Draw the threshold's line where it is in reach, and name both lines."""
    place: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "annotation_clip": False,
        "fontsize": 8,
        "color": LIMIT,
    }
    if most is None or most == own:
        words = text if most is None else f"{text}, limit"
        ax.annotate(words, (1, own), (4, 0), va="center", **place)
        return
    limit = f"limit {most:,.4g} %"
    if most > top:
        limit += " ↑"
    else:
        ax.axhline(most, color=LIMIT, linewidth=1.1, zorder=3.5)
    upper = min(most, top)
    if (upper - own) / top < _APART:
        ax.annotate(f"{limit}\n{text}", (1, (own + upper) / 2), (4, 0), va="center", linespacing=1.1, **place)
        return
    ax.annotate(text, (1, own), (4, 0), va="center", **place)
    ax.annotate(limit, (1, upper), (4, 0), va="top" if most > top else "center", **place)
