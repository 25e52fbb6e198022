"""Charts of studies and ledgers, compared with what they show."""

from fractions import Fraction as F
from math import ceil
from types import SimpleNamespace

import pandas
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb

import oas
from oas import plots
from oas.coallocation.plots.study_charts import draw_makespans
from oas.coallocation.saturation import PLAIN, Saturation
from oas.coallocation.saturation_price import SaturationPoint
from oas.core.result import Trace
from oas.fair.plots.charts import LedgerLine, ledger_chart
from oas.mosp.availability import attained_ratio, attained_ratio_bound, proven_ratio
from oas.mosp.generate.worst_cases import WORST_CASES
from oas.mosp.reservations.placement import CurvePiece
from oas.plots import (
    gap_chart,
    list_ratio_chart,
    placement_figure,
    relaxation_chart,
    saturation_price_chart,
    trace_chart,
)
from oas.plots.axes import new_figure, scaled_formatter
from oas.solving.progress import SolveProgress
from oas.solving.study import Optimum, ratio_of
from tests.coallocation import grids

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


def slot_point(percent, makespan, bound, run, seconds=1.0):
    names = ("percent", "makespan", "lower_bound", "executed")
    figures = dict(zip(names, map(F, (percent, makespan, bound, run)), strict=True))
    size = SimpleNamespace(variables=100)
    sizes = SimpleNamespace(start_indexed=size, literal=size)
    return SimpleNamespace(**figures, seconds=seconds, proven=makespan == bound, loss=None, sizes=sizes, model_times=())


SLOTS_PROVEN = [
    slot_point(0, 100, 100, 100, 3.0),
    slot_point(5, 103, 103, 101),
    slot_point(50, 120, 120, 104),
    slot_point(250, 180, 180, 110),
]
SLOTS_OPEN = [
    slot_point(0, 100, 95, 100, 3.0),
    slot_point(5, 103, 99, 101),
    slot_point(50, 120, 120, 104),
    slot_point(250, 180, 170, 110),
]


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_lines_are_slotted_executed_and_the_reference():
    ax = new_figure(4.6).subplots()
    draw_makespans(SLOTS_PROVEN, ax)
    data = [(line.get_xdata()[0], list(line.get_ydata())) for line in ax.lines if len(line.get_xdata()) == 3]
    assert sorted(data) == [(5, [101, 104, 110]), (5, [103, 120, 180])]
    assert [list(line.get_ydata()) for line in ax.lines if len(line.get_ydata()) == 2] == [[100, 100]]
    expected = ["slotted, all proven", "the same, executed", "rounding loss", "scheduling loss", "η = 0, optimum"]
    assert words(ax) == expected
    assert [label.get_text() for label in ax.get_xticklabels()] == ["5 %", "50 %", "250 %"]


def piece(first, last, low, high):
    return CurvePiece(*map(F, (first, last, *low, *high)))


CURVE = [piece(0, 2, (8, 10), (8, 10)), piece(5, 5, (7, 7), (7, 7)), piece(6, 9, (6, 6), (9, 9))]


def test_each_piece_is_a_line_and_the_open_one_has_a_band():
    figure = placement_figure(CURVE, best=(F(5), F(7)), without=F(6), heading="$H$", unit="h")
    (ax,) = figure.axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert lines[:3] == [([0, 2], [8, 10]), ([5, 5], [7, 7]), ([6, 9], [9, 9])]
    assert lines[3][1] == [6, 6] and lines[4] == ([5], [7])
    (band,) = [one for one in ax.collections if one.get_hatch()]
    corners = band.get_paths()[0].get_extents()
    assert (corners.x0, corners.x1, corners.y0, corners.y1) == (6, 9, 6, 9)
    assert [text.get_text() for text in ax.texts] == ["start 5: 7"]
    assert ax.get_xlabel() == "start of the reservation [h]" and ax.get_title(loc="left") == "$H$"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "shortest schedule known",
        "down to the proven bound",
        "without it",
    ]


STUDY = oas.price(WORST_CASES["locality-price"].function(), [1, "3/2", 2, None])


@pytest.fixture
def trace():
    one = Trace()
    for seconds, bound, makespan in [(0.5, None, 12), (1.0, 6, 12), (3.0, 6, 9), (4.0, 9, 9)]:
        one(SolveProgress("search", seconds, None if bound is None else F(bound), F(makespan)))
    one(SolveProgress("search", 5.0, F(9), F(9)))
    return one


def steps_of(ax, label):
    (line,) = [one for one in ax.lines if str(one.get_label()).startswith(label)]
    assert line.get_drawstyle() == "steps-post"
    return [pair for pair in zip(line.get_xdata(), line.get_ydata(), strict=True) if pair[1] == pair[1]]


def test_bound_and_makespan_step_when_they_change(trace):
    ax = trace_chart(trace, heading="run 7", unit="min")
    assert steps_of(ax, "makespan") == [(0.5, 12), (1, 12), (3, 9), (4, 9), (5, 9)]
    assert steps_of(ax, "lower bound") == [(1, 6), (3, 6), (4, 9), (5, 9)]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["makespan 9", "lower bound 9"]
    assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()) == ("run 7", "wall time [s]", "makespan [min]")
    assert ax.get_xlim()[0] == 0 and ax.get_xlim()[1] >= 5
    assert ax.get_ylim()[0] < 6 and ax.get_ylim()[1] > 12


def test_a_relaxation_is_stacked_by_cluster_and_fractions_of_nodes():
    clusters = [oas.Cluster("A", [oas.NodeGroup(2, 1)], 9), oas.Cluster("B", [oas.NodeGroup(1, 1)], 9)]
    instance = oas.CoallocationInstance(clusters, [oas.Job("u", 2, 2), oas.Job("v", 1, 1)], slot=1)
    rows = [
        ("u", {"A": 2}, 0.0, 2.0, 0.5),
        ("u", {"A": 1, "B": 1}, 1.0, 3.0, 0.5),
        ("v", {"A": 1}, 1.0, 2.0, 0.5),
        ("v", None, None, None, 1.0),  # it stands for no nodes
    ]
    ax = relaxation_chart(instance, pandas.DataFrame(rows, columns=["job", "nodes", "start", "end", "value"]))
    bars = [bar for container in ax.containers for bar in container if bar.get_height()]
    shown = [(bar.get_x(), bar.get_width(), bar.get_y(), bar.get_height()) for bar in bars]
    assert shown == [(0, 1, 1, 1), (1, 1, 0.5, 1.5), (2, 1, 1.5, 0.5), (1, 1, 0, 0.5), (1, 1, 3, 0.5), (2, 1, 3, 0.5)]
    assert [label.get_text()[0] for label in ax.get_yticklabels()] == ["A", "B"]


def test_a_relaxation_without_nodes_and_times_is_refused():
    phases = oas.model(grids.slowed()).relaxation().solution
    with pytest.raises(oas.InputError, match="no variable stands for nodes from a start to an end"):
        relaxation_chart(grids.slowed(), phases)


MOMENTS = [0.0, 1.0, 2.0, 3.0]
LINES = {
    "physics": LedgerLine([0.0, 1.0, 2.0, 4.0]),
    "biology": LedgerLine([0.0, -1.0, -1.5, -3.0], ([0.0, -2.0, -2.0, -5.0], [0.0, 0.0, -1.0, -1.0])),
    "$x_1$": LedgerLine([0.0, 0.0, -0.5, -3.1]),
}


def test_lines_bands_and_zero_are_what_they_say():
    ax = ledger_chart(MOMENTS, LINES, heading="FCFS", unit="days", scale="h")
    zero, *lines = ax.lines
    assert list(zero.get_ydata()) == [0, 0]
    assert [list(line.get_ydata()) for line in lines] == [list(line.middle) for line in LINES.values()]
    assert all(list(line.get_xdata()) == MOMENTS for line in lines)
    (band,) = ax.collections
    assert {tuple(one) for one in band.get_paths()[0].vertices} >= {(3.0, -5.0), (3.0, -1.0), (1.0, -2.0), (1.0, 0.0)}
    assert to_rgb(band.get_facecolor()[0][:3]) == to_rgb(lines[1].get_color())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [days]", "φ − ψ [h]")
    assert ax.get_title(loc="left") == "FCFS" and ax.get_xlim() == (0, 3)
    assert plots.ledger_chart is ledger_chart


def test_equal_gaps_are_stacked():
    (dots,) = [line for line in gap_chart({"one": [0.0, 0.1, 0.1, 0.1]}, label="gap").lines if line.get_marker() == "o"]
    assert list(dots.get_xdata()) == [0, 10, 10, 10]
    assert dots.get_ydata()[0] == dots.get_ydata()[2] == 0 and len(set(dots.get_ydata()[1:])) == 3


def test_ticks_have_minus_signs():
    assert scaled_formatter(3, " s")(-2500) == "−2.5 s"


RATIONALS = sorted({F(p, q) for q in range(1, 110) for p in range(1, q + 1)})


def test_bounds_as_printed():
    """The formulas of section 4.2, written out; figure 4 at α = 1/2: 4, 3.25."""
    for alpha in RATIONALS[::37]:
        half, whole = alpha / 2, ceil(2 / alpha)
        inner = (1 - half) / (1 - half * (whole - 1))
        assert attained_ratio(alpha) == whole - 1 + 1 / F(int(inner) + 1)
        assert attained_ratio_bound(alpha) == whole - (whole - 1) / (2 / alpha)
    assert (proven_ratio(F(1, 2)), attained_ratio(F(1, 2))) == (4, F(13, 4))


def test_curves_and_points_are_what_they_say():
    axes = list_ratio_chart({"1/2": "13/4", F(2, 3): F(7, 3), 1: "3/2"}, heading="$H$")
    above, first, second, points = axes.lines
    for line, curve in ((above, proven_ratio), (first, attained_ratio), (second, attained_ratio_bound)):
        places, heights = line.get_xdata(), line.get_ydata()
        assert (places[0], places[-1], len(places)) == (0.2, 1, 801)
        assert list(heights[::100]) == [float(curve(F(index, 1000))) for index in range(200, 1001, 100)]
    assert list(zip(points.get_xdata(), points.get_ydata(), strict=True)) == [(0.5, 3.25), (2 / 3, 7 / 3), (1, 1.5)]
    assert axes.get_title(loc="left") == "$H$"
    assert len(axes.get_legend().get_texts()) == 4
