"""Chart of how bound and makespan of a solve come together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from oas.plots.axes import axis_power, bare, format_number, new_figure, raised, scaled_formatter, title
from oas.plots.labels import literal
from oas.plots.palette import BOUND, FAINT, INK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes

    from oas.core.trace import Trace

HEIGHT = 3.0  # inches
_LEAST_SECONDS = 1e-3
_MARGIN = 0.08  # of the range of values, above and below


@literal
def trace_chart(trace: Trace, ax: Axes | None = None, *, heading: str = "", unit: str = "") -> Axes:
    """Draw the best bound and the best makespan of a solve over wall time, and the gap between them.

    Parameters
    ----------
    trace
        Recorded by ``oas.solve(instance, on_progress=trace)``.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading
        Above the chart.
    unit
        Name of the instance's time unit, for the axis.

    Returns
    -------
    Axes
        Those drawn on.
    """
    ax = ax or new_figure(HEIGHT).subplots()
    points = trace.points
    end = max(trace.seconds, _LEAST_SECONDS)
    times = [*(one.seconds for one in points), end]
    bounds = _drawn([one.lower_bound for one in points])
    makespans = _drawn([one.objective for one in points])
    ax.fill_between(times, bounds, makespans, step="post", color=FAINT, alpha=0.5, linewidth=0, zorder=1)
    _draw(ax, times, makespans, INK, _label("makespan", [one.objective for one in points]))
    _draw(ax, times, bounds, BOUND, _label("lower bound", [one.lower_bound for one in points]))
    ax.set_xlim(0, 1.01 * end)
    _value_axis(ax, [value for value in (*bounds, *makespans) if value == value], unit)
    ax.set_xlabel("wall time [s]", fontsize=9, color=INK)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8, frameon=False, borderpad=0)
    bare(ax)
    title(ax, heading)
    return ax


def _drawn(values: Sequence[Fraction | None]) -> list[float]:
    """Return values as floats, the last one again for the end of the axis; NaN is not drawn."""
    floats = [float("nan") if value is None else float(value) for value in values]
    return [*floats, floats[-1] if floats else float("nan")]


def _draw(ax: Axes, times: Sequence[float], values: Sequence[float], colour: str, label: str) -> None:
    ax.step(times, values, where="post", color=colour, linewidth=1.8, label=label, zorder=3)
    ax.plot(times[-1:], values[-1:], "o", color=colour, markersize=4.5, zorder=3.1)


def _label(name: str, values: Sequence[Fraction | None]) -> str:
    last = values[-1] if values else None
    return name if last is None else f"{name} {format_number(last)}"


def _value_axis(ax: Axes, values: Sequence[float], unit: str) -> None:
    """Let the y axis hold `values` with a margin; it need not begin at 0."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = _MARGIN * (high - low) or 0.02 * abs(high) or 1.0
    ax.set_ylim(low - margin, high + margin)
    power = axis_power(high)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_formatter(scaled_formatter(power))
    scale = " ".join(part for part in (f"10{raised(power)}" if power else "", unit) if part)
    ax.set_ylabel(f"makespan{f' [{scale}]' if scale else ''}", fontsize=9, color=INK)
