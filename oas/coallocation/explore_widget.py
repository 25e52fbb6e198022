"""The widget of `oas.explore`: controls, a line of figures and charts. Importing this module requires ipywidgets.

The charts are SVG written directly, because matplotlib takes longer than 0.3 s to draw them.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from ipywidgets import HTML, Dropdown, HBox, Layout, SelectionSlider, VBox
from matplotlib.ticker import MaxNLocator

from oas.coallocation.exploration import COMPUTING, Setting
from oas.core.formats import show_time
from oas.core.result import Status
from oas.plots.axes import BANDS, BOUND, FAINT, INK, MAX_GRID_LINES, format_number, job_colour, text_colour
from oas.plots.lanes import boxes_of, frame_of, lanes_of
from oas.plots.plain_look import connectors

if TYPE_CHECKING:
    from oas.coallocation.exploration import Exploration, Figures
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule

_FACTORS = tuple(map(Fraction, ("1/4", "1/2", "3/4", "1", "3/2", "2", "4")))
_WIDTH, _LEFT, _RIGHT = 900, 90, 885  # pixels: width of the charts, left and right edge of the time axis
_TITLE, _AXIS, _CURVE = 20, 34, 120  # pixels: heights of a title, of an axis with numbers, of the curve
_LANES, _LANE = 150, 13  # pixels: greatest height of all lanes of a chart, and of one lane
_OPTIMUM, _HEURISTIC = "#332288", "#777777"


class Explorer(VBox):
    """The widget. Results of the background thread are displayed by the event loop of the notebook's kernel."""

    def __init__(self, exploration: Exploration) -> None:
        self.exploration = exploration
        self._drawing = threading.RLock()
        instance = exploration.instance
        slots = [(f"{show_time(percent)} %", percent) for percent in exploration.percents]
        factors = [(f"× {factor}", factor) for factor in _FACTORS]
        policies = [(str(policy), policy) for policy in exploration.policies]
        self.slot = SelectionSlider(
            options=slots, value=exploration.own_percent, description="η", continuous_update=False
        )
        self.factor = SelectionSlider(
            options=factors, value=Fraction(1), description="bandwidth", continuous_update=False
        )
        self.policy = Dropdown(options=policies, value=instance.saturation, description="saturation")
        self.method = Dropdown(options=list(exploration.methods(instance.saturation)), description="method")
        self.line, self.charts = HTML(), HTML(layout=Layout(width="100%"))
        rows = [HBox([self.slot, self.factor]), HBox([self.policy, self.method]), self.line, self.charts]
        super().__init__(rows)
        self.policy.observe(self._change_policy, names="value")
        for control in (self.slot, self.factor, self.method):
            control.observe(self._change, names="value")
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # outside a notebook
            self._loop = None
        exploration.notify = self._notify
        atexit.register(exploration.close)
        self._change()

    @property
    def figures(self) -> Figures:
        """The figures that are displayed."""
        return self.exploration.figures(self._setting(), self.method.value)

    def close(self) -> None:
        """Stop all computations and remove the widget from the notebook."""
        self.exploration.close()
        atexit.unregister(self.exploration.close)
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Add the charts as HTML, for pages that cannot display widgets."""
        bundle = super()._repr_mimebundle_(**options)
        if isinstance(bundle, dict):
            bundle["text/html"] = f"{self.line.value}{self.charts.value}"
        return bundle

    def _setting(self) -> Setting:
        return Setting(self.slot.value, self.factor.value, self.policy.value)

    def _change_policy(self, _event: object) -> None:
        """Offer the heuristics of the new policy, and keep the selected one if possible."""
        names = list(self.exploration.methods(self.policy.value))
        name = self.method.value if self.method.value in names else names[0]
        self.method.unobserve(self._change, names="value")
        self.method.options = names
        self.method.value = name
        self.method.observe(self._change, names="value")
        self._change()

    def _change(self, _event: object = None) -> None:
        self.display_figures()
        self.exploration.request(self._setting(), self.method.value)

    def _notify(self) -> None:
        if self._loop is None:
            self.display_figures()
            return
        with suppress(RuntimeError):  # the loop is closed when the kernel ends
            self._loop.call_soon_threadsafe(self.display_figures)

    def display_figures(self) -> None:
        """Display the figures that are known now."""
        with self._drawing:
            figures = self.figures
            self.line.value = f"<b>{escape(figures.line)}</b>"
            self.charts.value = charts(figures)


class _Canvas:
    """SVG elements, added from the top down; `y` is the upper edge of the next chart in pixels."""

    def __init__(self, horizon: float) -> None:
        self.elements: list[str] = []
        self.y = 0.0
        self.horizon = horizon  # end of the time axis

    def x(self, time: Fraction | float, end: float | None = None) -> float:
        """Return the place on the horizontal axis, which ends at `end`, by default at the horizon."""
        return _LEFT + (_RIGHT - _LEFT) * float(time) / (end or self.horizon)

    def box(
        self, x: float, y: float, width: float, height: float, colour: str, more: str = "", title: str = ""
    ) -> None:
        hint = f"<title>{escape(title)}</title>" if title else ""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self.elements.append(f'<rect {place} fill="{colour}" {more}>{hint}</rect>')

    def line(self, x: float, y: float, x_end: float, y_end: float, colour: str, more: str = "") -> None:
        place = f'x1="{x:.1f}" y1="{y:.1f}" x2="{x_end:.1f}" y2="{y_end:.1f}"'
        self.elements.append(f'<line {place} stroke="{colour}" {more}/>')

    def text(self, x: float, y: float, text: str, anchor: str = "start", more: str = "") -> None:
        self.elements.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>')

    def ticks(self, end: float, label: str) -> None:
        """Draw the numbers and the label of a horizontal axis that ends at `end`."""
        for tick in MaxNLocator(9, steps=[1, 2, 2.5, 5, 10]).tick_values(0, end):
            if 0 <= tick <= end:
                x = self.x(tick, end)
                self.line(x, self.y, x, self.y + 4, INK)
                self.text(x, self.y + 15, format_number(Fraction(tick)), "middle")
        self.text((_LEFT + _RIGHT) / 2, self.y + 29, label, "middle")
        self.y += _AXIS

    def svg(self, label: str) -> str:
        style = 'style="max-width:100%;height:auto;background:white" role="img" font-family="sans-serif" font-size="11"'
        size = f'viewBox="0 0 {_WIDTH} {self.y:.0f}" width="{_WIDTH}"'
        body = "".join(self.elements)
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} aria-label="{escape(label)}">{body}</svg>'


def charts(figures: Figures) -> str:
    """Return both Gantt charts on one time axis, and the makespan over the slot size, as SVG."""
    instance, result, row = figures.instance, figures.result, figures.row
    bound, best = (None, None) if result is None else (result.lower_bound, result.objective)
    ends = [time for time in (row.makespan, best, bound) if time is not None]
    canvas = _Canvas(1.02 * float(max(ends, default=instance.mean_base_time)))
    _draw_gantt(canvas, instance, row.schedule, row.method, "no schedule")
    missing = COMPUTING if figures.outcome is None else "no schedule"
    _draw_gantt(canvas, instance, None if result is None else result.schedule, figures.optimum_name, missing)
    if bound is not None:
        canvas.line(canvas.x(bound), 0, canvas.x(bound), canvas.y, BOUND, 'stroke-width="1.6" stroke-dasharray="5 3"')
    slot = f", slot {format_number(instance.slot)}" if instance.slot else ""
    canvas.ticks(canvas.horizon, f"time{slot}" + (", dashed: lower bound" if bound is not None else ""))
    _draw_curve(canvas, figures)
    return canvas.svg(figures.line)


def _draw_gantt(
    canvas: _Canvas, instance: CoallocationInstance, schedule: Schedule | None, name: str, missing: str
) -> None:
    """Draw a schedule, or the text `missing` on the empty lanes."""
    frame = frame_of(instance)
    lanes = lanes_of(frame)
    lane = min(_LANE, _LANES / lanes.height)
    top = canvas.y + _TITLE
    canvas.text(_LEFT, top - 6, name, more='font-weight="bold"')
    for index, (cluster, size) in enumerate(frame.clusters):
        y = top + lane * lanes.top(index)
        canvas.box(_LEFT, y, _RIGHT - _LEFT, lane * size, BANDS[index % 2])
        canvas.text(_LEFT - 6, y + lane * size / 2 + 4, cluster[:13], "end")
    if instance.slot and canvas.horizon / instance.slot <= MAX_GRID_LINES:
        for count in range(1, int(canvas.horizon / instance.slot) + 1):
            x = canvas.x(count * instance.slot)
            canvas.line(x, top, x, top + lane * lanes.height, FAINT)
    if schedule is None:
        canvas.text((_LEFT + _RIGHT) / 2, top + lane * lanes.height / 2, missing, "middle", 'font-size="15"')
    else:
        boxes = boxes_of(frame, schedule)
        for box in boxes:
            colour, x, height = job_colour(box.job), canvas.x(box.start), lane * box.count
            y, width = top + lane * lanes.top(box.cluster, box.first), canvas.x(box.end) - x
            job = frame.jobs[box.job]
            canvas.box(x, y, width, height, colour, 'stroke="white"', f"{job}: {box.start} to {box.end}")
            if height >= 9 and width >= 8 * len(job):
                ink = f'fill="{text_colour(colour)}" pointer-events="none"'
                canvas.text(x + width / 2, y + height / 2 + 4, job, "middle", ink)
        for moment, upper, lower in connectors(lanes, boxes):
            canvas.line(canvas.x(moment), top + lane * upper, canvas.x(moment), top + lane * lower, INK)
        x = canvas.x(schedule.makespan)
        canvas.line(x, top - 3, x, top + lane * lanes.height, INK, 'stroke-width="1.5"')
        canvas.text(x, top - 6, f"makespan {format_number(schedule.makespan)}", "end" if x > _WIDTH / 2 else "start")
    canvas.y = top + lane * lanes.height


def _draw_curve(canvas: _Canvas, figures: Figures) -> None:
    """Draw makespans over the slot size: filled if proven, hollow if not; squares for the heuristic."""
    solved = [(point, point.result) for point in figures.curve if point.result is not None]
    heuristics = [(point.percent, float(point.heuristic)) for point in figures.curve if point.heuristic is not None]
    heights = [height for _, height in heuristics]
    heights += [float(time) for _, result in solved for time in (result.objective, result.lower_bound) if time]
    if not heights:
        return
    end = 1.02 * float(figures.curve[-1].percent)
    low, high, bottom = 0.97 * min(heights), 1.03 * max(heights), canvas.y + _TITLE + _CURVE

    def y(time: float) -> float:
        return bottom - _CURVE * (time - low) / (high - low)

    words = "makespan over slot size: circles: optimum (hollow: not proven, line: down to the bound), squares: "
    canvas.text(_LEFT, canvas.y + 12, words + figures.row.method, more='font-weight="bold"')
    for tick in MaxNLocator(4).tick_values(low, high):
        if low <= tick <= high:
            canvas.line(_LEFT, y(tick), _RIGHT, y(tick), FAINT)
            canvas.text(_LEFT - 6, y(tick) + 4, format_number(Fraction(tick)), "end")
    here = canvas.x(figures.setting.percent, end)
    canvas.line(here, bottom - _CURVE, here, bottom, FAINT, 'stroke-width="7"')
    for percent, height in heuristics:
        canvas.box(canvas.x(percent, end) - 3, y(height) - 3, 6, 6, "white", f'stroke="{_HEURISTIC}"')
    label = "slot size η in percent of the mean base time"
    for point, result in solved:
        assert result.objective is not None
        x, height, proven = canvas.x(point.percent, end), float(result.objective), result.status is Status.OPTIMAL
        if not point.percent:
            canvas.line(_LEFT, y(height), _RIGHT, y(height), INK, 'stroke-dasharray="6 3"')
            label += f"; dashed: {'optimum' if proven else 'best known schedule'} at η = 0"
        if not proven and result.lower_bound is not None:
            canvas.line(x, y(height), x, y(float(result.lower_bound)), BOUND, 'stroke-width="4" opacity="0.5"')
        look = f'fill="{_OPTIMUM if proven else "white"}" stroke="{_OPTIMUM}" stroke-width="1.5"'
        canvas.elements.append(
            f'<circle cx="{x:.1f}" cy="{y(height):.1f}" r="4" {look}><title>{result.objective}</title></circle>'
        )
    canvas.y = bottom
    canvas.ticks(end, label)
