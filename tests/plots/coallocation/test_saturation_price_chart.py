"""The chart of what forbidding saturation costs."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from oas.core.errors import InputError
from oas.plots import saturation_price_chart
from oas.problems.coallocation.saturation import PLAIN, Saturation
from oas.studies.reservations.optimum import Optimum
from oas.studies.saturation.points import SaturationPoint, ratio_of

FORBID = Optimum(F(24), F(24))


def point(threshold, bound, makespan, heuristic=None):
    policy = Saturation("slowdown", threshold)
    optimum = Optimum(F(bound), None if makespan is None else F(makespan))
    return SaturationPoint(policy, optimum, None, policy, "FCFS", heuristic, ratio_of(FORBID, optimum))


def chart(*points, forbid=FORBID, **words):
    figure = saturation_price_chart(SaturationPoint(PLAIN, forbid, None, PLAIN), points, **words)
    FigureCanvasAgg(figure).draw()
    return figure.axes


def marks(ax):
    """Heights of the round marks, and whether they are filled."""
    found = [line for line in ax.lines if line.get_marker() == "o"]
    return [(round(line.get_ydata()[0], 9), to_hex(line.get_markerfacecolor()) != "#ffffff") for line in found]


def test_ratios_above_makespans():
    upper, lower = chart(point(1, 24, 24, F(24)), point(F(1, 2), 18, 20, F(21)), point(None, 18, 18, F(20)), unit="h")
    assert [text.get_text() for text in lower.get_xticklabels()] == ["1", "1/2", "none"]
    assert [text.get_text() for text in upper.texts] == ["1.000", "1.200 – 1.333", "1.333"]
    assert marks(upper) == [(1.0, True), (1.2, False), (round(4 / 3, 9), True)]
    assert marks(lower) == [(24.0, True), (20.0, False), (18.0, True)]
    words = [text.get_text() for text in lower.get_legend().get_texts()]
    expected = ["slowdown, best schedule (hollow: not proven)", "lower bound", "best heuristic", "forbid, optimum 24"]
    assert words == expected and lower.get_ylabel() == "makespan [h]"


def test_a_range_that_cannot_be_told_apart_is_one_number():
    upper, _ = chart(point(None, "19.999999", 20))
    assert [text.get_text() for text in upper.texts] == ["1.200"] and marks(upper) == [(1.2, False)]


def test_what_has_no_schedule_is_left_out():
    _, lower = chart(point(1, 0, None), point(None, 18, 18))
    assert [text.get_text() for text in lower.get_xticklabels()] == ["none"]
    assert [text.get_text() for text in lower.get_legend().get_texts()] == ["slowdown, optimum", "forbid, optimum 24"]
    with pytest.raises(InputError, match="points: at least one with a schedule is needed"):
        chart(point(1, 0, None))


def test_without_a_schedule_under_forbid_no_ratio_is_known():
    one = SaturationPoint(Saturation("slowdown"), Optimum(F(18), F(18)), None, PLAIN)
    upper, lower = chart(one, forbid=Optimum(F(0), None), heading="h")
    assert [text.get_text() for text in upper.texts] == ["not known"]
    assert [text.get_text() for text in lower.get_legend().get_texts()] == ["slowdown, optimum"]
