"""The figure of a study of slot sizes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from oas.core.errors import InputError
from oas.plots import save_figure, slot_size_figure
from oas.plots.axes import new_figure
from oas.plots.coallocation.slot_size_chart import draw_makespans, draw_seconds


@dataclass(frozen=True)
class Point:
    percent: Fraction
    makespan: Fraction
    lower_bound: Fraction
    executed: Fraction
    seconds: float = 1.0

    @property
    def proven(self):
        return self.makespan == self.lower_bound


def point(percent, makespan, bound, run, seconds=1.0):
    return Point(*map(Fraction, (percent, makespan, bound, run)), seconds)


PROVEN = [point(0, 100, 100, 100, 3.0), point(5, 103, 103, 101), point(50, 120, 120, 104), point(250, 180, 180, 110)]
OPEN = [point(0, 100, 95, 100, 3.0), point(5, 103, 99, 101), point(50, 120, 120, 104), point(250, 180, 170, 110)]


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_lines_are_slotted_executed_and_the_reference():
    ax = draw_makespans(PROVEN)
    data = [(line.get_xdata()[0], list(line.get_ydata())) for line in ax.lines if len(line.get_xdata()) == 3]
    assert sorted(data) == [(5, [101, 104, 110]), (5, [103, 120, 180])]
    assert [list(line.get_ydata()) for line in ax.lines if len(line.get_ydata()) == 2] == [[100, 100]]
    expected = ["slotted, all proven", "the same, executed", "rounding loss", "scheduling loss", "η = 0, optimum"]
    assert words(ax) == expected
    assert [label.get_text() for label in ax.get_xticklabels()] == ["5 %", "50 %", "250 %"]


def test_what_is_not_proven_is_hollow_with_its_band():
    ax = draw_makespans(OPEN)
    hollow = [line.get_xdata()[0] for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert hollow == [5, 250]
    bounds = [list(line.get_ydata()) for line in ax.lines if len(line.get_xdata()) == 3 and line.get_marker() == "^"]
    assert bounds == [[99, 120, 170]]
    assert words(ax)[-4:] == [
        "η = 0, best known",
        "not proven optimal",
        "down to the proven bound",
        "the same at η = 0",
    ]


def test_seconds_on_a_logarithmic_axis():
    ax = draw_seconds(OPEN, new_figure(2).subplots())
    assert ax.get_yscale() == "log"
    assert [text.get_text() for text in ax.texts] == ["η = 0, not proven"]


FLAT = [point(0, 1, 1, 1, 0.0), point(100, 1, 1, 1, 0.0)]


@pytest.mark.parametrize("points", [PROVEN, OPEN, PROVEN[1:], FLAT], ids=["proven", "open", "no zero", "flat"])
def test_the_figure_is_drawn_within_its_bounds(points, tmp_path):
    figure = slot_size_figure(points, title="grid", unit="s")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [ax.get_tightbbox(canvas.get_renderer()) for ax in figure.axes]
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1 for box in boxes)
    title = figure.axes[0].title if figure.axes[0].title.get_text() else figure.axes[0]._left_title
    legend = figure.axes[0].get_legend().get_window_extent(canvas.get_renderer())
    assert title.get_text() == "grid" and title.get_window_extent(canvas.get_renderer()).y0 >= legend.y1 - 1
    save_figure(figure, tmp_path / "slots.svg")


def test_slot_sizes_too_near_to_be_told_apart_share_a_label():
    ax = draw_makespans([point(percent, 120, 120, 100) for percent in (11, "11.5", 12, 300)])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["12 %", "300 %"]


def test_continuous_time_alone_is_no_study():
    with pytest.raises(InputError, match="at least one slot size above 0"):
        slot_size_figure(PROVEN[:1])
