"""The Gantt chart, alone and several above one another, against the schedules it shows."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import comparison_figure, gantt
from oas.plots.labels import MOST_APART, BoxLabel
from oas.plots.palette import BOUND, job_colour, luminance, text_colour
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.plots.greedy import greedy
from tests.problems.coallocation.grids import grid
from tests.slow import mostly_slow


def job_boxes(ax, index):
    """Rectangles of one job as (x, y, width, height)."""
    colour = job_colour(index)
    found = [
        patch for patch in ax.patches if type(patch) is Rectangle and to_hex(patch.get_facecolor()) == colour.lower()
    ]
    return sorted((*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in found)


def drawn(ax):
    """Draw the figure of `ax` and return the renderer."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return canvas.get_renderer()


def grid_moments(ax):
    """Times of the vertical lines of the slot grid."""
    return sorted({start[0] for lines in ax.collections for start, end in lines.get_segments() if start[0] == end[0]})


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture
def small():
    """Two clusters of 4 and 3 nodes; a job in two stretches, one over both clusters, one on a single node."""
    clusters = [Cluster("a", [NodeGroup(4, 1)], 10), Cluster("b", [NodeGroup(2, 1), NodeGroup(1, "0.5")], 10)]
    jobs = [Job("split", 3, 4), Job("wide", 4, 6), Job("single", 1, 2)]
    schedule = Schedule(
        [
            Placement("split", 0, 4, {"a": [0, 1, 3]}),
            Placement("single", 0, 2, {"b": [1]}),
            Placement("wide", 4, 10, {"a": [1, 2], "b": [0, 1]}),
        ],
        "by hand",
    )
    return CoallocationInstance(clusters, jobs, 2), schedule


def test_every_job_stands_on_its_own_lanes_for_its_own_time(small):
    ax = gantt(*small)
    assert job_boxes(ax, 0) == [(0, 0, 4, 2), (0, 3, 4, 1)]
    assert job_boxes(ax, 1) == [(4, 1, 6, 2), (4, 4.5, 6, 2)]
    assert job_boxes(ax, 2) == [(0, 5.5, 2, 1)]


def test_only_coallocated_parts_are_hatched_and_joined(small):
    ax = gantt(*small)
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    assert {to_hex(patch.get_facecolor()) for patch in hatched} == {job_colour(1).lower()}
    assert len(hatched) == 2
    joints = [line for line in ax.lines if list(line.get_ydata()) == [3, 4.5] and line.get_marker() == "o"]
    assert len(joints) == 1
    assert 4 < joints[0].get_xdata()[0] < 10


def test_names_powers_and_nodes_are_written(small):
    ax = gantt(*small)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a\nΓ = 1", "b\n2 × Γ = 1\n1 × Γ = 0.5"]
    assert [label.get_text() for label in ax.get_yticklabels(minor=True)] == ["0", "1", "2", "3", "0", "1", "2"]
    drawn(ax)
    shown = [label for label in ax.get_yticklabels(minor=True) if label.get_text()]
    assert len(shown) == 7  # also the node in the middle of a cluster, where the cluster's own tick stands
    assert ax.get_title(loc="left") == "by hand"


def test_makespan_is_marked_and_written(small):
    ax = gantt(*small, unit="s", note="  (optimal)")
    assert "makespan 10  (optimal)" in texts(ax)
    assert any(list(line.get_xdata()) == [10, 10] for line in ax.lines)
    assert ax.get_xlabel() == "time [s]  ·  slot 2"
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 10


def test_slot_grid_only_where_it_can_be_read(small):
    instance, schedule = small
    assert grid_moments(gantt(instance, schedule)) == [2, 4, 6, 8, 10]
    assert grid_moments(gantt(instance.with_slot(0), schedule)) == []
    assert grid_moments(gantt(instance.with_slot("0.01"), schedule)) == []


@pytest.mark.parametrize(
    "instance",
    [
        grid(8, [4, 4, 4], slot=335000, seed=3),
        pytest.param(grid(32, [20] * 3, slot=335000, seed=1, bandwidth=10**5), marks=pytest.mark.slow),
        pytest.param(grid(64, [80] * 3, slot=67000, seed=2, bandwidth=10**6), marks=pytest.mark.slow),
        grid(1, [1]),
        grid(10, [3] * 6, slot=250000, seed=5, names="user{}@" + "long-" * 30),
        grid(6, [1] * 6, seed=3),
    ],
    ids=["paper", "3x20", "3x80", "one", "long names", "six nodes"],
)
def test_labels_stay_inside_their_boxes(instance):
    ax = gantt(instance, greedy(instance))
    renderer = drawn(ax)
    labels = [artist for artist in ax.get_children() if isinstance(artist, BoxLabel)]
    written = [label for label in labels if label.get_text()]
    assert written
    for label in written:
        inside, box = label.get_window_extent(renderer), label.box.get_window_extent(renderer)
        assert box.x0 <= inside.x0 <= inside.x1 <= box.x1
        assert box.y0 - 1 <= inside.y0 <= inside.y1 <= box.y1 + 1


def test_nothing_is_cut_off_at_the_edges():
    instance = grid(10, [3] * 6, slot=250000, seed=5, clusters="a cluster with a rather long name {}")
    ax = gantt(instance, greedy(instance))
    renderer = drawn(ax)
    page = ax.figure.bbox
    for box in [ax.get_tightbbox(renderer), ax.get_legend().get_window_extent(renderer)]:
        assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1
        assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1


def test_hostile_ids_are_drawn_letter_by_letter():
    ids = ["$x^2$", "$\\nonsense$", "a & <b>", "a_b^c", "--", "π→ж", "作业😀"]
    clusters = [Cluster("$\\no$", [NodeGroup(4, 1)], 0), Cluster("<&>", [NodeGroup(3, 1)], 0)]
    instance = CoallocationInstance(clusters, [Job(name, 1, 50) for name in ids])
    spots = [("$\\no$", node) for node in range(4)] + [("<&>", node) for node in range(3)]
    placements = [Placement(name, 0, 50, {cluster: [node]}) for name, (cluster, node) in zip(ids, spots, strict=True)]
    ax = gantt(instance, Schedule(placements, "$\\no$"), unit="$\\no$")
    drawn(ax)
    labels = [artist.get_text() for artist in ax.get_children() if isinstance(artist, BoxLabel)]
    for name in ids[:6]:
        assert name in labels
    assert any(label.startswith("??") for label in labels)  # signs the font lacks
    assert [label.get_text().split("\n")[0] for label in ax.get_yticklabels()] == ["$\\no$", "<&>"]


@pytest.mark.parametrize(
    ("placement", "value"),
    [
        (Placement("stranger", 0, 1, {"a": [0]}), "stranger"),
        (Placement("single", 0, 1, {"nowhere": [0]}), "nowhere"),
        (Placement("single", 0, 1, {"a": [4]}), "4"),
    ],
)
def test_what_the_instance_does_not_have_is_refused(small, placement, value):
    with pytest.raises(InputError, match=value):
        gantt(small[0], Schedule([placement]))


def test_a_schedule_without_jobs_is_an_empty_grid(small):
    ax = gantt(small[0], Schedule([]))
    assert "makespan 0" in texts(ax)
    assert ax.get_xlim() == (0, 1)


def test_colours_are_distinct_and_letters_readable():
    colours = [job_colour(index) for index in range(72)]
    assert len(set(colours)) == 72
    for colour in colours:
        one, two = sorted((luminance(colour), luminance(text_colour(colour))))
        assert (two + 0.05) / (one + 0.05) >= 4.5  # WCAG AA


def test_times_beyond_all_measure_are_drawn():
    for base in (Fraction(10) ** 30, Fraction(1, 10**30)):
        instance = CoallocationInstance([Cluster("a", [NodeGroup(1, 1)], 0)], [Job("j", 1, base)])
        ax = gantt(instance, Schedule([Placement("j", 0, base, {"a": [0]})]))
        drawn(ax)
        assert f"makespan 1·10{'³⁰' if base > 1 else '⁻³⁰'}" in texts(ax)


def many(boxes, length, ids="J{}"):
    """As many jobs of this length, one after another on three nodes of four."""
    jobs = [Job(ids.format(number), 3, length) for number in range(boxes)]
    instance = CoallocationInstance([Cluster("a", [NodeGroup(4, 1)], 0)], jobs)
    return instance, Schedule(
        Placement(job.id, length * number, length * (number + 1), {"a": [0, 1, 2]}) for number, job in enumerate(jobs)
    )


def labels_of(ax):
    drawn(ax)
    return [artist for artist in ax.get_children() if isinstance(artist, BoxLabel)]


def test_many_labels_have_one_size_and_direction_though_their_boxes_differ():
    instance = grid(60, [12] * 3, slot=335000, seed=1, bandwidth=10**5)
    labels = labels_of(gantt(instance, greedy(instance)))
    written = [label for label in labels if label.get_text()]
    assert len(labels) > MOST_APART and 2 * len(written) >= len(labels)
    assert len({(label.get_fontsize(), label.get_rotation()) for label in written}) == 1
    names = {job.id for job in instance.jobs}
    assert all(label.get_text() in names for label in written)  # none is shortened


def test_many_boxes_too_narrow_for_their_names_have_none():
    labels = labels_of(gantt(*many(300, 5)))
    assert len(labels) == 300 and not any(label.get_text() for label in labels)


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


def test_a_bound_above_a_feasible_makespan_is_refused(pair):
    instance, good, _ = pair
    with pytest.raises(InputError, match="below the lower bound 9/2"):
        comparison_figure(instance, {"exact": good}, lower_bound="4.5")


@pytest.mark.parametrize("count", mostly_slow([2, 7], quick=[2]))
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
