"""The chart of a trace, against the trace it shows."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from matplotlib.figure import Figure

from oas.core.trace import Trace
from oas.exact.progress import SolveProgress
from oas.plots import trace_chart
from tests.plots.test_gantt import drawn


@pytest.fixture
def trace():
    one = Trace()
    for seconds, bound, makespan in [(0.5, None, 12), (1.0, 6, 12), (3.0, 6, 9), (4.0, 9, 9)]:
        one(SolveProgress("search", seconds, None if bound is None else F(bound), F(makespan)))
    one(SolveProgress("search", 5.0, F(9), F(9)))
    return one


def steps(ax, label):
    (line,) = [one for one in ax.lines if str(one.get_label()).startswith(label)]
    assert line.get_drawstyle() == "steps-post"
    return [pair for pair in zip(line.get_xdata(), line.get_ydata(), strict=True) if pair[1] == pair[1]]


def test_bound_and_makespan_step_when_they_change(trace):
    ax = trace_chart(trace, heading="run 7", unit="min")
    assert steps(ax, "makespan") == [(0.5, 12), (1, 12), (3, 9), (4, 9), (5, 9)]
    assert steps(ax, "lower bound") == [(1, 6), (3, 6), (4, 9), (5, 9)]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["makespan 9", "lower bound 9"]
    assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()) == ("run 7", "wall time [s]", "makespan [min]")
    assert ax.get_xlim()[0] == 0 and ax.get_xlim()[1] >= 5
    assert ax.get_ylim()[0] < 6 and ax.get_ylim()[1] > 12


def test_it_draws_on_the_axes_given(trace):
    left, right = Figure().subplots(1, 2)
    assert trace_chart(trace, right) is right and not left.lines


@pytest.mark.parametrize("values", [[], [(1, 1)], [(F(10) ** 30, F(10) ** 30)], [(0, 0)], [(None, F(1, 10**30))]])
def test_every_trace_is_drawn(values):
    trace = Trace()
    for bound, makespan in values:
        trace(SolveProgress("search", 0.0, None if bound is None else F(bound), F(makespan)))
    drawn(trace_chart(trace, unit="$\\no$"))
