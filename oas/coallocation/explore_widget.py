"""The widget of `oas.explore`: controls, a line of figures and charts. Importing this module requires ipywidgets."""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from ipywidgets import HTML, Dropdown, HBox, Layout, SelectionSlider, VBox

from oas.coallocation.exploration import Setting
from oas.core.formats import show_time
from oas.core.result import Status
from oas.plots import comparison_figure
from oas.plots.axes import BOUND, FAINT, REFERENCE, axis_power, draw_marks, new_figure, number_axis, value_grid
from oas.show.pictures import inline_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.coallocation.exploration import Exploration, Figures

_FACTORS = tuple(map(Fraction, ("1/4", "1/2", "3/4", "1", "3/2", "2", "4")))
_CURVE = 2.2  # inches: height of the curve
_OPTIMUM, _HEURISTIC = "#332288", "#777777"


class Explorer(VBox):
    """The widget. Results of the background thread are displayed by the event loop of the notebook's kernel."""

    def __init__(self, exploration: Exploration) -> None:
        self.exploration = exploration
        self._drawing = threading.RLock()
        self._drawn: object = None  # setting, row and result of the Gantt charts
        self._gantt = ""  # these charts as SVG
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
            schedules = (figures.setting, figures.row, figures.result)
            if schedules != self._drawn:  # other points of the curve have arrived otherwise
                self._drawn, self._gantt = schedules, _svg(gantt_charts(figures), figures.line)
            self.charts.value = self._gantt + _svg(makespan_curve(figures), "makespan over slot size")


def _svg(figure: Figure | None, label: str) -> str:
    return "" if figure is None else inline_svg(lambda: figure, label)


def gantt_charts(figures: Figures) -> Figure | None:
    """Draw the schedules of the heuristic and the optimum on one time axis; None if there is no schedule yet."""
    result = figures.result
    schedules = {figures.row.method: figures.row.schedule, figures.optimum_name: result and result.schedule}
    known = {name: schedule for name, schedule in schedules.items() if schedule is not None}
    if not known:
        return None
    bound, claimed = (None, False) if result is None else (result.lower_bound, result.is_claimed)
    return comparison_figure(figures.instance, known, lower_bound=bound, claimed=claimed)


def makespan_curve(figures: Figures) -> Figure | None:
    """Draw the known makespans over the slot size, the optimum's filled if proven; None if none is known yet."""
    heuristics = [(float(point.percent), float(point.heuristic)) for point in figures.curve if point.heuristic]
    solved = [(float(point.percent), point.result) for point in figures.curve if point.result is not None]
    optima = [(place, result, float(result.objective or 0)) for place, result in solved]
    if not (heuristics or optima):
        return None
    figure = new_figure(_CURVE)
    ax = figure.subplots()
    ax.axvline(float(figures.setting.percent), color=FAINT, lw=7)
    if heuristics:
        ax.plot(*zip(*heuristics, strict=True), "s", mec=_HEURISTIC, mfc="white", label=figures.row.method)
    for place, result, height in optima:
        if not place:
            name = "optimum" if result.status is Status.OPTIMAL else "best known schedule"
            ax.axhline(height, **REFERENCE, label=f"{name} at η = 0")
        if result.status is not Status.OPTIMAL and result.lower_bound is not None:
            ax.vlines(place, float(result.lower_bound), height, color=BOUND, lw=4, alpha=0.5)
    proven = [result.status is Status.OPTIMAL for _, result, _ in optima]
    draw_marks(ax, [place for place, _, _ in optima], [height for _, _, height in optima], proven, _OPTIMUM, lw=0)
    if any(proven):
        ax.plot([], [], "o", color=_OPTIMUM, label="optimum")
    if not all(proven):
        ax.plot([], [], "o", mec=_OPTIMUM, mfc="white", label="best known, with its bound")
    number_axis(ax.yaxis, axis_power(ax.get_ylim()[1]), "makespan", "")
    number_axis(ax.xaxis, 0, "slot size η, in % of the mean base time", "")
    value_grid(ax)
    figure.legend(loc="outside upper left", ncols=4, fontsize=8, frameon=False)
    return figure
