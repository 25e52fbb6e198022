"""Figures and Gantt charts inside a notebook's page: bounded in size, the same bytes for the same data."""

from __future__ import annotations

import re
import warnings
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import style

from oas.plots.axes import format_number, new_figure
from oas.plots.gantt_chart import draw_gantt, frame_height, look_of
from oas.plots.lanes import frame_of, frame_of_schedule, stretches
from oas.plots.plain_look import PlainLook
from oas.problems.coallocation.instance import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

_SETTINGS: dict[str, Any] = {"svg.hashsalt": "oas", "svg.fonttype": "path", "savefig.bbox": "standard"}
_NOTHING = ("Creator", "Date", "Format", "Type")
_SHOWN = 'style="max-width:100%;height:auto;background:white" role="img"'


def inline_svg(draw: Callable[[], Figure], label: str) -> str:
    """Return as SVG what `draw` makes in matplotlib's own style; `label` is read out where pictures are not seen.

    Its ids and style sheet are its own, as all cells of a notebook share one page.
    """
    content = BytesIO()
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A schedule may be as wrong as it likes; that no layout suits it is nothing to warn of.
        warnings.simplefilter("ignore", UserWarning)
        draw().savefig(content, format="svg", metadata=dict.fromkeys(_NOTHING))
    text = content.getvalue().decode()
    own = f"oas{sha256(text.encode()).hexdigest()[:12]}"
    text = re.sub(r"<!--.*?-->\n?", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{own}-', text)
    text = re.sub(r'href="#', f'href="#{own}-', text).replace("url(#", f"url(#{own}-")
    text = text.replace('<style type="text/css">*', f'<style type="text/css">#{own} *')
    return text.replace("<svg", f'<svg id="{own}" {_SHOWN} aria-label="{escape(label, quote=True)}"', 1)


MAX_BOXES = 200  # beyond that the page grows heavy, and drawing would take seconds
MAX_CLUSTERS = 40
MAX_HEIGHT = 4.0  # inches


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
    frame = frame_of_schedule(schedule) if instance is None else frame_of(instance)
    nodes = sum(size for _, size in frame.clusters)
    if boxes > MAX_BOXES or len(frame.clusters) > MAX_CLUSTERS or nodes > MAX_NODES:
        return _none(f"{boxes:,} boxes on {nodes:,} nodes of {len(frame.clusters):,} clusters are too many")
    look = PlainLook(frame) if instance is None else look_of(instance)

    def draw() -> Figure:
        figure = new_figure(frame_height(frame, most=MAX_HEIGHT) + 1.0)
        draw_gantt(frame, look, schedule, figure.subplots(), bound=lower_bound)
        return figure

    return inline_svg(draw, f"Gantt chart: {schedule.method} makespan {format_number(schedule.makespan)}")


def _none(reason: str) -> str:
    return f"<div>No Gantt chart: {reason}. <code>oas.plots</code> draws it at any size.</div>"
