"""Figures of schedules, results and traces, and charts in a notebook's page: bounded in size, always the same bytes."""

from __future__ import annotations

import re
import time
import warnings
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import style

from oas.core.errors import InputError
from oas.core.instances import check_instance
from oas.core.result import Trace
from oas.plots.axes import format_number, new_figure
from oas.plots.charts import HEIGHT, trace_chart
from oas.plots.gantt_chart import Caption, draw_gantt, frame_height, look_of
from oas.plots.lanes import frame_of, frame_of_schedule
from oas.plots.plain_look import Look
from oas.plots.schedule_chart import schedule_figure
from oas.problems.coallocation.instance import MAX_NODES
from oas.show.progress import describe_solve
from oas.show.tables import remark, short_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.exact.progress import SolveProgress


def result_figure(result: Result, instance: Instance | None, **options: Any) -> Figure:
    """See `Result.plot`."""
    if result.schedule is None:
        raise InputError("the result holds no schedule to draw", field="schedule")
    shown = _instance_of(result, instance)
    return schedule_figure(shown, result.schedule, lower_bound=result.lower_bound, **options)


def trace_figure(trace: Trace, **options: Any) -> Figure:
    """See `Trace.plot`."""
    figure = new_figure(HEIGHT)
    trace_chart(trace, figure.subplots(), **options)
    return figure


def _instance_of(result: Result, given: Instance | None) -> Instance:
    """Return the instance that a result answers; refuse another, or none."""
    instance = result.instance if given is None else given
    if instance is None:
        raise InputError("the result does not know its instance; give it: result.plot(instance)", field="instance")
    check_instance(instance)
    if instance.digest != result.instance_digest:
        reason = "is not what the result answers; result.schedule.plot(instance) draws its schedule on another instance"
        raise InputError(reason, field="instance", value=short_name(instance))
    return instance


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
    """Return a small Gantt chart as HTML: SVG, or why there is none; a lower bound on the makespan is a dashed line.

    Without the instance, clusters and nodes are those that the schedule names; with it, the schedule must fit it.
    """
    boxes = sum(len(one.ranges(cluster)) for one in schedule.placements for cluster in one.nodes)
    if not boxes:
        return ""
    frame = frame_of_schedule(schedule) if instance is None else frame_of(instance)
    nodes = sum(size for _, size in frame.clusters)
    if boxes > MAX_BOXES or len(frame.clusters) > MAX_CLUSTERS or nodes > MAX_NODES:
        reason = f"{boxes:,} boxes on {nodes:,} nodes of {len(frame.clusters):,} clusters are too many"
        return f"<div>No Gantt chart: {reason}. <code>oas.plots</code> draws it at any size.</div>"
    look = Look(None, frame) if instance is None else look_of(instance)

    def draw() -> Figure:
        figure = new_figure(frame_height(frame, most=MAX_HEIGHT) + 1.0)
        draw_gantt(look, schedule, figure.subplots(), Caption(), bound=lower_bound)
        return figure

    return inline_svg(draw, f"Gantt chart: {schedule.method} makespan {format_number(schedule.makespan)}")


LEAST_SECONDS = 0.5  # from one drawing to the next,
MOST_SHARE = 0.1  # of the time for drawing, if that takes longer


class LiveChart:
    """The trace of a solve in a notebook's cell, drawn anew at most twice a second and at the end."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._own: SolveProgress | None = None  # the last report of the solve that is drawn
        self._next = 0.0
        self._handle: Any = None

    def __enter__(self) -> LiveChart:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._draw(self._own)

    def __call__(self, seen: SolveProgress) -> None:
        """Take note of a progress report, and draw if it is time."""
        self.trace(seen)
        if not seen.part:
            self._own = seen
        began = time.monotonic()
        if began >= self._next:
            self._draw(seen)
            now = time.monotonic()
            self._next = max(began + LEAST_SECONDS, now + (now - began) * (1 / MOST_SHARE - 1))

    def _draw(self, seen: SolveProgress) -> None:
        from IPython.display import HTML, display

        page = HTML(self.html(seen))
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def html(self, seen: SolveProgress) -> str:
        """Return the line that a terminal would show, and the chart once there is a bound or a makespan."""
        chart = (
            inline_svg(lambda: trace_figure(self.trace), "bound and makespan over time") if self.trace.points else ""
        )
        line = describe_solve(seen, seen.seconds)
        return f"{remark(', '.join(part.strip() for part in line.split('  ') if part.strip()))}\n{chart}"
