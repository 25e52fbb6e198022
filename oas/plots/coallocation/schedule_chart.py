"""A co-allocated schedule in full: the Gantt chart with the load of each link beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.plots.axes import new_figure
from oas.plots.coallocation.link_chart import NAME_PAD, link_load
from oas.plots.gantt_chart import gantt, gantt_height
from oas.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def with_links(instance: CoallocationInstance, schedule: Schedule, said: dict[str, Any]) -> Figure:
    """Draw the Gantt chart, to which `said` is handed on, and a panel for each link."""
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
    rest[0].set_title("load of each cluster's link", loc="left", fontsize=9, pad=4, color=INK)
    return figure
