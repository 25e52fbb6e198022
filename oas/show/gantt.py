"""Gantt charts inside a notebook's page: bounded in size, the same bytes for the same data, apart from all others."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import style

from oas.plots.axes import format_number, new_figure
from oas.plots.coallocation.style import CoallocationLook
from oas.plots.gantt_chart import gantt, gantt_height, look_of
from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.lanes import clusters_of, stretches
from oas.problems.coallocation.instance import MAX_NODES, Cluster, CoallocationInstance, Job, NodeGroup

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.plots.gantt_chart import Look

MAX_BOXES = 200  # beyond that the page grows heavy, and drawing would take seconds
MAX_CLUSTERS = 40
MAX_HEIGHT = 4.0  # inches

_SETTINGS: dict[str, Any] = {"svg.hashsalt": "oas", "svg.fonttype": "path", "savefig.bbox": "standard"}
_NOTHING = ("Creator", "Date", "Format", "Type")
_SHOWN = 'style="max-width:100%;height:auto;background:white" role="img"'


def inline_gantt(instance: Instance | None, schedule: Schedule, lower_bound: Fraction | None = None) -> str:
    """Return a small Gantt chart as HTML: SVG, or why there is none.

    Parameters
    ----------
    instance
        What the schedule is of, all of whose jobs and nodes it names rightly; None where that is not at hand: then
        clusters and nodes are those that the schedule names.
    lower_bound
        On the makespan, in the instance's time unit: a dashed line.
    """
    boxes = sum(len(stretches(numbers)) for one in schedule.placements for numbers in one.nodes.values())
    if not boxes:
        return ""
    sizes = _sizes(schedule) if instance is None else dict(clusters_of(instance))
    if boxes > MAX_BOXES or len(sizes) > MAX_CLUSTERS or sum(sizes.values()) > MAX_NODES:
        return _none(f"{boxes:,} boxes on {sum(sizes.values()):,} nodes of {len(sizes):,} clusters are too many")
    if instance is None:
        instance = _least_grid(schedule, sizes)
        look: Look = _NamedOnly(instance)
    else:
        look = look_of(instance)
    with style.context(["default", _SETTINGS]):
        figure = new_figure(gantt_height(instance, most=MAX_HEIGHT) + 1.0)
        gantt(instance, schedule, figure.subplots(), look=look, lower_bound=lower_bound)
        label = escape(f"Gantt chart: {schedule.method} makespan {format_number(schedule.makespan)}", quote=True)
        return _svg(figure, label)


def _none(reason: str) -> str:
    return f"<div>No Gantt chart: {reason}. <code>oas.plots</code> draws it at any size.</div>"


def _svg(figure: Figure, label: str) -> str:
    """Return SVG whose ids and style sheet are its own, as all cells of a notebook share one page."""
    content = BytesIO()
    with warnings.catch_warnings():
        # A schedule may be as wrong as it likes; that no layout suits it is nothing to warn of.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(content, format="svg", metadata=dict.fromkeys(_NOTHING))
    text = content.getvalue().decode()
    own = f"oas{sha256(text.encode()).hexdigest()[:12]}"
    text = re.sub(r"<!--.*?-->\n?", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{own}-', text)
    text = re.sub(r'href="#', f'href="#{own}-', text).replace("url(#", f"url(#{own}-")
    text = text.replace('<style type="text/css">*', f'<style type="text/css">#{own} *')
    return text.replace("<svg", f'<svg id="{own}" {_SHOWN} aria-label="{label}"', 1)


def _sizes(schedule: Schedule) -> dict[str, int]:
    """How many nodes each cluster has that `schedule` names, if the last one named is its last."""
    sizes: dict[str, int] = {}
    for placement in schedule.placements:
        for name, numbers in placement.nodes.items():
            sizes[name] = max(sizes.get(name, 0), numbers[-1] + 1)
    return sizes


def _least_grid(schedule: Schedule, sizes: dict[str, int]) -> CoallocationInstance:
    """Return the least grid on which `schedule` can be drawn; of its jobs nothing but the names is meant."""
    clusters = [Cluster(name, [NodeGroup(sizes[name], 1)], 0) for name in sorted(sizes)]
    jobs = dict.fromkeys(placement.job for placement in schedule.placements)
    return CoallocationInstance(clusters, [Job(name, 1, 1) for name in jobs])


@dataclass(frozen=True)
class _NamedOnly(CoallocationLook):
    """Clusters bear their names: nothing more is known of them."""

    def label(self, cluster: int, points: float) -> str:
        """Name of a cluster."""
        return drawable(self.instance.clusters[cluster].id, NAME_LENGTH)
