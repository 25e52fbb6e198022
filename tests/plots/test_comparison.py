"""Schedules above one another."""

from __future__ import annotations

import itertools

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import comparison_figure
from oas.plots.palette import BOUND, job_colour
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.plots.greedy import greedy
from tests.problems.coallocation.grids import grid
from tests.slow import mostly_slow


@pytest.fixture
def pair():
    instance = CoallocationInstance([Cluster("a", [NodeGroup(2, 1)], 0)], [Job("p", 1, 4), Job("q", 1, 3)])
    good = Schedule([Placement("p", 0, 4, {"a": [0]}), Placement("q", 0, 3, {"a": [1]})])
    poor = Schedule([Placement("p", 0, 4, {"a": [0]}), Placement("q", 4, 7, {"a": [0]})])
    return instance, good, poor


def makespans(figure):
    return [text.get_text() for ax in figure.axes for text in ax.texts if text.get_text().startswith("makespan")]


def test_makespans_are_said_with_their_distance_from_the_bound(pair):
    instance, good, poor = pair
    figure = comparison_figure(instance, {"exact": good, "FCFS": poor}, lower_bound=4)
    assert makespans(figure) == ["makespan 4  (optimal)", "makespan 7  (+75.0 %)"]
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["exact", "FCFS"]
    assert "lower bound 4" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_without_a_bound_nothing_is_called_optimal(pair):
    instance, good, poor = pair
    figure = comparison_figure(instance, {"exact": good, "FCFS": poor})
    assert makespans(figure) == ["makespan 4", "makespan 7"]
    assert not figure.legends


def test_a_schedule_that_breaks_rules_is_never_called_optimal(pair):
    instance, _, _ = pair
    clash = Schedule([Placement("p", 0, 4, {"a": [0]}), Placement("q", 1, 4, {"a": [0]})])
    short = Schedule([Placement("q", 0, 3, {"a": [0]})])
    figure = comparison_figure(instance, {"clash": clash, "short": short}, lower_bound=4)
    assert makespans(figure) == ["makespan 4  (not feasible)", "makespan 3  (not feasible)"]


def test_one_axis_one_scale_one_colour(pair):
    instance, good, poor = pair
    figure = comparison_figure(instance, {"exact": good, "FCFS": poor}, lower_bound=4, unit="s")
    upper, lower = figure.axes
    assert upper.get_shared_x_axes().joined(upper, lower)
    assert upper.get_xlim() == lower.get_xlim()
    assert upper.get_xlim()[1] > 7
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "time [s]")
    for ax in figure.axes:
        colours = {to_hex(patch.get_facecolor()) for patch in ax.patches}
        assert {job_colour(0).lower(), job_colour(1).lower()} <= colours
        assert [list(line.get_xdata()) for line in ax.lines if line.get_color() == BOUND] == [[4, 4]]


def test_the_axis_reaches_to_the_latest_end_in_any_order(pair):
    instance, good, poor = pair
    for schedules in ({"a": good, "b": poor}, {"b": poor, "a": good}):
        assert comparison_figure(instance, schedules).axes[0].get_xlim()[1] > 7


def test_a_bound_above_a_feasible_makespan_is_refused(pair):
    instance, good, _ = pair
    with pytest.raises(InputError, match="below the lower bound 9/2"):
        comparison_figure(instance, {"exact": good}, lower_bound="4.5")


def test_no_schedule_is_refused(pair):
    with pytest.raises(InputError, match="at least one schedule"):
        comparison_figure(pair[0], {})


@pytest.mark.parametrize("count", mostly_slow([1, 2, 7], quick=[2]))
def test_charts_do_not_overlap(count):
    instance = grid(8, [4, 4, 4], slot=335000, seed=3)
    orders = [[(index + shift) % 8 for index in range(8)] for shift in range(count)]
    figure = comparison_figure(instance, {str(order): greedy(instance, order) for order in orders}, lower_bound=1000)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    boxes = [figure.legends[0].get_window_extent(renderer), *(ax.get_tightbbox(renderer) for ax in figure.axes)]
    for upper, lower in itertools.pairwise(boxes):
        assert lower.y1 <= upper.y0 + 1
    assert max(box.x1 for box in boxes) <= figure.bbox.x1 + 1
    assert min(box.x0 for box in boxes) >= -1
    assert figure.bbox.width == 1400


def test_a_job_is_outlined_in_each_chart_and_named_in_the_legend(pair):
    instance, good, poor = pair
    figure = comparison_figure(instance, {"exact": good, "FCFS": poor}, outlined={"q": "q is late"})
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["q is late"]
    for ax, (start, lane) in zip(figure.axes, [(0, 1), (4, 0)], strict=True):
        outlines = [patch for patch in ax.patches if patch.get_linewidth() > 2]
        assert [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in outlines] == [(start, lane, 3, 1)]


def test_cropped_are_the_last_nodes_that_no_schedule_uses(pair):
    _, good, poor = pair
    wide = CoallocationInstance([Cluster("a", [NodeGroup(40, 1)], 0)], [Job("p", 1, 4), Job("q", 1, 3)])
    whole, cropped = (comparison_figure(wide, {"one": good, "two": poor}, crop=crop) for crop in (False, True))
    assert [ax.get_ylim() for ax in whole.axes] == [(40, 0)] * 2
    assert [ax.get_ylim() for ax in cropped.axes] == [(2, 0)] * 2
    assert whole.axes[-1].get_xlabel() == "time"
    assert cropped.axes[-1].get_xlabel() == "time  ·  2 of 40 nodes shown, the others run none of these jobs"
