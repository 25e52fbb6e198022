"""The figure of a study of the price of locality."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import InputError
from oas.generate.mosp.worst_cases import WORST_CASES
from oas.plots import price_figure
from oas.plots.axes import new_figure

STOPPED = oas.Termination.TIME_LIMIT
STUDY = oas.price(WORST_CASES["locality-price"].function(), [1, "3/2", 2, None])


def test_makespans_and_ends_are_those_of_the_study():
    upper, lower = price_figure(STUDY, heading="$H$").axes
    assert list(upper.lines[0].get_ydata()) == [3, 3, 2, 2]
    assert upper.get_title(loc="left") == "$H$"
    lines = {line.get_label(): list(line.get_ydata()) for line in lower.lines}
    for name in ("O1", "O2", "O3"):
        assert lines[name] == [float(point.ends[name]) for point in STUDY]
    assert lines["allowed"] == [1, 1.5, 2]
    assert [label.get_text() for label in lower.get_xticklabels()] == ["1", "1.5", "2", "none"]


def test_open_points_are_hollow_and_those_without_a_schedule_left_out():
    first, *_, last = STUDY
    feasible = replace(last.result, status=oas.Status.FEASIBLE, lower_bound=F(1), termination=STOPPED)
    nothing = replace(last.result, status=oas.Status.NO_SOLUTION, schedule=None, termination=STOPPED)
    points = [first, replace(first, result=nothing, ends={}), replace(last, result=feasible)]
    upper, lower = price_figure(points).axes
    assert [line.get_markerfacecolor() == "white" for line in upper.lines if line.get_marker() == "o"] == [False, True]
    assert [label.get_text() for label in lower.get_xticklabels()] == ["1", "none"]
    with pytest.raises(InputError, match="at least one"):
        price_figure(points[1:2])


def test_a_notebook_shows_a_figure():
    assert new_figure(1.0)._repr_png_().startswith(b"\x89PNG")
