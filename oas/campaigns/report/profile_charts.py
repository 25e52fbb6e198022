"""Charts of a campaign's profiles: Dolan–Moré performance profiles, and shares proven over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from oas.campaigns.report.chart_style import draw_steps, legend, new_axes, share_axis
from oas.plots.axes import title
from oas.plots.labels import literal
from oas.plots.palette import INK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from oas.campaigns.report.profiles import Steps

_LINEAR = 4.0  # ratios up to this are on a linear axis


@literal
def profile_chart(profiles: Mapping[str, Steps], ax: Axes | None = None, *, ratio: str, heading: str = "") -> Axes:
    """Draw performance profiles: the share of problems on which a method is within a factor τ of the best one.

    Parameters
    ----------
    profiles
        As `oas.campaigns.report.profiles.performance_profile` returns them.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    ratio
        Of what the factor is, for the axis.
    heading
        Above the chart.

    Returns
    -------
    Axes
        Those drawn on.
    """
    ax = new_axes() if ax is None else ax
    largest = max((float(steps[-1][0]) for steps in profiles.values() if steps), default=1.0)
    end = 1 + (largest - 1) * 1.03 if largest > 1 else 1.1
    if end > _LINEAR:
        ax.set_xscale("log", base=10)
        end = largest * 1.05
        ax.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    draw_steps(ax, profiles, 1.0, end)
    ax.set_xlim(1.0, end)
    ax.set_xlabel(f"τ: {ratio}, at most so many times the best method's", fontsize=9, color=INK)
    share_axis(ax, "share of instances")
    title(ax, heading)
    legend(ax)
    return ax


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
