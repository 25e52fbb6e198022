"""Time to proof, drawn: how many runs had proved their optimum after so many seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from oas.campaigns.report.chart_style import draw_steps, legend, new_axes, share_axis
from oas.plots.axes import title
from oas.plots.labels import literal
from oas.plots.palette import INK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from oas.campaigns.report.profiles import Steps


@literal
def proof_chart(
    curves: Mapping[str, Steps], ax: Axes | None = None, *, limit: float | None = None, heading: str = ""
) -> Axes:
    """Draw the share of runs with a proven optimum against seconds, on a logarithmic axis.

    Parameters
    ----------
    curves
        As `oas.campaigns.report.profiles.proof_curves` returns them.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    limit
        Seconds that a run had: the end of the axis if it is later than the last proof.
    heading
        Above the chart.

    Returns
    -------
    Axes
        Those drawn on.
    """
    ax = new_axes(3.4) if ax is None else ax
    moments = [float(moment) for steps in curves.values() for moment, _ in steps]
    begin = max(1e-3, min(moments, default=1.0) / 1.5)
    end = max([*(moment * 1.05 for moment in moments), limit or 0.0, 2 * begin])
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0) if end / begin < 1000 else (1.0,)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    draw_steps(ax, curves, begin, end)
    ax.set_xlim(begin, end)
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    share_axis(ax, "share proven optimal")
    title(ax, heading)
    legend(ax)
    return ax
