"""Figures of results and traces, and charts for notebooks: bounded in size and reproducible byte by byte."""

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
from oas.core.formats import show_count
from oas.core.instances import check_instance
from oas.core.result import Trace
from oas.plots.axes import format_number, new_figure
from oas.plots.charts import HEIGHT, gap_chart, trace_chart
from oas.plots.gantt_chart import Caption, build_look, draw_gantt, frame_height
from oas.plots.lanes import frame_of, frame_of_schedule
from oas.plots.plain_look import Look
from oas.plots.schedule_chart import schedule_figure
from oas.show.progress import describe_solve
from oas.show.tables import remark, short_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.solving.comparison_set import ComparisonSet
    from oas.solving.progress import SolveProgress


def result_figure(result: Result, instance: Instance | None, **options: Any) -> Figure:
    """See `Result.plot`."""
    if result.schedule is None:
        raise InputError("the result holds no schedule to draw", field="schedule")
    shown = _instance_of(result, instance)
    bound = result.lower_bound
    return schedule_figure(shown, result.schedule, lower_bound=bound, claimed=result.is_claimed, **options)


def trace_figure(trace: Trace, **options: Any) -> Figure:
    """See `Trace.plot`."""
    figure = new_figure(HEIGHT)
    trace_chart(trace, figure.subplots(), **options)
    return figure


def _instance_of(result: Result, given: Instance | None) -> Instance:
    """Return the instance of a result; raise `InputError` if it is unknown or a different one is given."""
    instance = result.instance if given is None else given
    if instance is None:
        raise InputError("the result does not know its instance; give it: result.plot(instance)", field="instance")
    check_instance(instance)
    if instance.digest != result.instance_digest:
        reason = "is not the instance of the result; use result.schedule.plot(instance) to draw on another instance"
        raise InputError(reason, field="instance", value=short_name(instance))
    return instance


# Text is drawn as paths: the layout must fit whatever fonts the reader of the notebook has.
_SETTINGS: dict[str, Any] = {"svg.hashsalt": "oas", "svg.fonttype": "path", "savefig.bbox": "standard"}
_OMITTED = ("Creator", "Date", "Format", "Type")
_ATTRIBUTES = 'style="max-width:100%;height:auto;background:white" role="img"'


def inline_svg(draw: Callable[[], Figure], label: str) -> str:
    """Draw a figure in matplotlib's default style and return it as SVG with the accessibility label `label`.

    Ids and style sheet are unique to the figure, because all cells of a notebook share one page.
    """
    content = BytesIO()
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an invalid schedule may have no suitable layout
        draw().savefig(content, format="svg", metadata=dict.fromkeys(_OMITTED))
    text = content.getvalue().decode()
    prefix = f"oas{sha256(text.encode()).hexdigest()[:12]}"
    text = re.sub(r"<!--.*?-->\n?", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'href="#', f'href="#{prefix}-', text).replace("url(#", f"url(#{prefix}-")
    text = text.replace('<style type="text/css">*', f'<style type="text/css">#{prefix} *')
    return text.replace("<svg", f'<svg id="{prefix}" {_ATTRIBUTES} aria-label="{escape(label, quote=True)}"', 1)


MAX_BOXES = 200  # larger charts take seconds to draw and make the page heavy
MAX_CLUSTERS = 40
MAX_NODES = 100_000
MAX_HEIGHT = 4.0  # inches


def inline_gantt(instance: Instance | None, schedule: Schedule, lower_bound: Fraction | None = None) -> str:
    """Return a small Gantt chart as SVG, or a message if it would be too large; the lower bound is a dashed line.

    Without an instance, the chart shows only the clusters and nodes named in the schedule.
    """
    boxes = sum(len(run.ranges(cluster)) for run in schedule.placements for cluster in run.nodes)
    if not boxes:
        return ""
    frame = frame_of_schedule(schedule) if instance is None else frame_of(instance)
    nodes = sum(size for _, size in frame.clusters)
    if boxes > MAX_BOXES or len(frame.clusters) > MAX_CLUSTERS or nodes > MAX_NODES:
        reason = f"{boxes:,} boxes on {nodes:,} nodes of {len(frame.clusters):,} clusters are too many"
        return f"<div>No Gantt chart: {reason}. <code>oas.plots</code> draws it at any size.</div>"
    look = Look(None, frame) if instance is None else build_look(instance)

    def draw() -> Figure:
        figure = new_figure(frame_height(frame, most=MAX_HEIGHT) + 1.0)
        draw_gantt(look, schedule, figure.subplots(), Caption(), bound=lower_bound)
        return figure

    return inline_svg(draw, f"Gantt chart: {schedule.method} makespan {format_number(schedule.makespan)}")


MIN_SECONDS = 0.5  # between two drawings
MAX_SHARE = 0.1  # of the time may be spent drawing


class LiveChart:
    """The trace of a solve in a notebook cell, redrawn at most twice a second and at the end."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._last: SolveProgress | None = None  # last report of the solve, without reports of its parts
        self._next = 0.0
        self._handle: Any = None

    def __enter__(self) -> LiveChart:
        return self

    def __exit__(self, *_: object) -> None:
        if self._last is not None:
            self._draw(self._last)

    def __call__(self, report: SolveProgress) -> None:
        self.trace(report)
        if not report.part:
            self._last = report
        began = time.monotonic()
        if began >= self._next:
            self._draw(report)
            now = time.monotonic()
            self._next = max(began + MIN_SECONDS, now + (now - began) * (1 / MAX_SHARE - 1))

    def _draw(self, report: SolveProgress) -> None:
        from IPython.display import HTML, display

        page = HTML(self.html(report))
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def html(self, report: SolveProgress) -> str:
        """Return the progress line and, once there is a bound or a makespan, the chart."""
        parts = [part.strip() for part in describe_solve(report, report.seconds).split("  ")]
        chart = ""
        if self.trace.points:
            chart = inline_svg(lambda: trace_figure(self.trace), "bound and makespan over time")
        return f"{remark(', '.join(filter(None, parts)))}\n{chart}"


def comparison_set_figure(comparisons: ComparisonSet) -> Figure:
    """See `ComparisonSet.plot`."""
    _, *heuristics = comparisons.methods
    gaps = {method.method: [float(gap) for gap in method.gaps] for method in heuristics if method.gaps}
    label = "above the optimum" if comparisons.proven else "above the optimum, or the lower bound"
    heading = f"{show_count(len(comparisons), 'instance')} of {comparisons[0].instance.problem.title}"
    figure: Any = gap_chart(gaps, label=label, heading=heading).figure
    return figure
