"""A schedule in full: the Gantt chart, for co-allocation with the load of each link beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.numbers import Exact, exact
from oas.core.problem import find_place
from oas.plots.axes import new_figure
from oas.plots.chart_style import chart_style
from oas.plots.gantt_chart import gantt, gantt_height
from oas.plots.labels import literal
from oas.plots.verdicts import verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


@literal
def schedule_figure(
    instance: Instance,
    schedule: Schedule,
    *,
    title: str | None = None,
    unit: str = "",
    lower_bound: Exact | None = None,
) -> Figure:
    """Draw `schedule` as a Gantt chart; of co-allocation with the load of each cluster's link beneath.

    Parameters
    ----------
    instance
        What the schedule is of.
    schedule
        What to draw; it need not be feasible.
    title
        In place of the schedule's method.
    unit
        Name of the time unit, for the axis.
    lower_bound
        A proven lower bound on the makespan, in the instance's time unit: a dashed line; the makespan is said with its
        distance from it, and is called optimal where they meet.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have, or is feasible and ends before
        the bound.
    """
    bound = None if lower_bound is None else exact(lower_bound, "lower_bound")
    note = verdict(instance, schedule, bound, "schedule")
    said: dict[str, Any] = {"title": title, "unit": unit, "note": note, "lower_bound": bound}
    place = chart_style(instance).figure
    drawn: Figure = (find_place(place) if place else _chart_alone)(instance, schedule, said)
    return drawn


def _chart_alone(instance: Instance, schedule: Schedule, said: dict[str, Any]) -> Figure:
    figure = new_figure(gantt_height(instance, most=8.0) + 1.3)
    gantt(instance, schedule, figure.subplots(), **said)
    return figure
