"""A schedule in full: the Gantt chart with the load of each link beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.plots.axes import new_figure
from oas.plots.gantt_chart import gantt, gantt_height
from oas.plots.labels import PLAIN
from oas.plots.link_chart import NAME_PAD, link_load
from oas.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule


def schedule_figure(
    instance: CoallocationInstance, schedule: Schedule, *, title: str | None = None, unit: str = ""
) -> Figure:
    """Draw `schedule` as a Gantt chart with the load of each cluster's link beneath, on one time axis.

    Parameters
    ----------
    title
        In place of the schedule's method.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have.
    """
    links = len(instance.clusters)
    chart, panel = gantt_height(instance, most=7.0), max(0.4, min(0.7, 5.0 / links))
    figure = new_figure(chart + links * panel + 1.1)
    ratios = [chart] + [panel] * links
    top, *rest = figure.subplots(1 + links, 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    gantt(instance, schedule, top, title=title, unit=unit)
    top.tick_params(axis="y", which="major", pad=NAME_PAD)
    for ax, cluster in zip(rest, instance.clusters, strict=True):
        link_load(instance, schedule, cluster.id, ax, unit=unit)
    for ax in (top, *rest[:-1]):
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
    rest[0].set_title("load of each cluster's link", loc="left", fontsize=9, pad=4, color=INK, **PLAIN)
    return figure
