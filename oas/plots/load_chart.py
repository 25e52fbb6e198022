"""Charts of the queue and of the utilisation over time."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, MaxNLocator

from oas.core.schedule_metrics import metrics
from oas.plots.axes import bare, new_figure, time_axis, title
from oas.plots.labels import legend_name, literal
from oas.plots.palette import FAINT, INK, dark, job_colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.core.schedule_metrics import Load

_HEIGHT = 1.9  # inches, of a chart


@literal
def queue_chart(
    instance: Instance, schedules: Schedule | Mapping[str, Schedule], ax: Axes | None = None, *, unit: str = ""
) -> Axes:
    """Draw how many jobs wait over time: those released that have not started.

    Parameters
    ----------
    instance
        What it is a schedule of.
    schedules
        One, or some by name: a line each.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    unit
        Name of the time unit, for the axis.

    Returns
    -------
    Axes
        Those drawn on.

    Raises
    ------
    InputError
        As `oas.metrics`.
    """
    ax = _steps(instance, schedules, ax, unit, lambda one: one.queue)
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    title(ax, "jobs that wait")
    return ax


@literal
def utilisation_chart(
    instance: Instance, schedules: Schedule | Mapping[str, Schedule], ax: Axes | None = None, *, unit: str = ""
) -> Axes:
    """Draw the share of nodes that jobs or reservations use over time; parameters, result and errors as `queue_chart`.

    Parameters
    ----------
    instance, schedules, ax, unit
        As `queue_chart` has them.
    """
    ax = _steps(instance, schedules, ax, unit, lambda one: 100 * one.utilisation)
    ax.set_ylim(0, 105)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g} %"))
    title(ax, "utilisation of the nodes")
    return ax


@literal
def load_figure(instance: Instance, schedules: Schedule | Mapping[str, Schedule], *, unit: str = "") -> Figure:
    """Draw the queue and the utilisation over time above one another, on one time axis.

    Parameters
    ----------
    instance, schedules, unit
        As `queue_chart` has them.

    Raises
    ------
    InputError
        As `oas.metrics`.
    """
    figure = new_figure(2 * _HEIGHT + 0.6)
    above, below = figure.subplots(2, 1, sharex=True)
    queue_chart(instance, schedules, above, unit=unit)
    utilisation_chart(instance, schedules, below, unit=unit)
    above.set_xlabel("")
    above.tick_params(axis="x", labelbottom=False)
    if below.get_legend() is not None:
        below.get_legend().remove()
    return figure


def _steps(
    instance: Instance,
    schedules: Schedule | Mapping[str, Schedule],
    ax: Axes | None,
    unit: str,
    height: Callable[[Load], Fraction | int],
) -> Axes:
    named = schedules if isinstance(schedules, Mapping) else {"": schedules}
    found = {name: metrics(instance, one) for name, one in named.items()}
    ax = ax or new_figure(_HEIGHT + 0.5).subplots()
    for index, (name, one) in enumerate(found.items()):
        times, heights = [float(step.time) for step in one.load], [float(height(step)) for step in one.load]
        ax.step(
            times, heights, where="post", color=dark(job_colour(index)), linewidth=1.3, label=legend_name(name) or " "
        )
    time_axis(ax, Fraction(0), max((one.makespan for one in found.values()), default=Fraction(0)), unit)
    ax.set_ylim(bottom=0)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    bare(ax)
    if len(found) > 1:
        ax.legend(fontsize=8.5, frameon=False, ncols=min(len(found), 6))
    return ax
