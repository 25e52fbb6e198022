"""A schedule in full: the Gantt chart, for co-allocation with the load of each link beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.numbers import Exact, exact
from oas.plots.axes import new_figure
from oas.plots.coallocation.link_chart import NAME_PAD, link_load
from oas.plots.gantt_chart import gantt, gantt_height
from oas.plots.labels import PLAIN
from oas.plots.palette import INK
from oas.plots.verdicts import verdict
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


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
    if isinstance(instance, MospInstance):
        figure = new_figure(gantt_height(instance, most=8.0) + 1.3)
        gantt(instance, schedule, figure.subplots(), **said)
        return figure
    return _with_links(instance, schedule, said)


def _with_links(instance: CoallocationInstance, schedule: Schedule, said: dict[str, Any]) -> Figure:
    links = len(instance.clusters)
    chart, panel = gantt_height(instance, most=7.0), max(0.4, min(0.7, 5.0 / links))
    figure = new_figure(chart + links * panel + 1.1)
    ratios = [chart] + [panel] * links
    top, *rest = figure.subplots(1 + links, 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    gantt(instance, schedule, top, **said)
    top.tick_params(axis="y", which="major", pad=NAME_PAD)
    for ax, cluster in zip(rest, instance.clusters, strict=True):
        link_load(instance, schedule, cluster.id, ax, unit=said["unit"])
    for ax in (top, *rest[:-1]):
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
    rest[0].set_title("load of each cluster's link", loc="left", fontsize=9, pad=4, color=INK, **PLAIN)
    return figure
