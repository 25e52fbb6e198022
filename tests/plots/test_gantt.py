"""The Gantt chart, alone and several above one another, against the schedules it shows."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import comparison_figure, gantt
from oas.plots.labels import BoxLabel
from oas.plots.palette import job_colour
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.plots.greedy import greedy
from tests.problems.coallocation.grids import grid


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


def test_makespan_is_marked_and_written(small):
    ax = gantt(*small, unit="s", note="  (optimal)")
    assert "makespan 10  (optimal)" in texts(ax)
    assert any(list(line.get_xdata()) == [10, 10] for line in ax.lines)
    assert ax.get_xlabel() == "time [s]  ·  slot 2"
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 10


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


def many(boxes, length, ids="J{}"):
    """As many jobs of this length, one after another on three nodes of four."""
    jobs = [Job(ids.format(number), 3, length) for number in range(boxes)]
    instance = CoallocationInstance([Cluster("a", [NodeGroup(4, 1)], 0)], jobs)
    return instance, Schedule(
        Placement(job.id, length * number, length * (number + 1), {"a": [0, 1, 2]}) for number, job in enumerate(jobs)
    )


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


def test_a_bound_above_a_feasible_makespan_is_refused(pair):
    instance, good, _ = pair
    with pytest.raises(InputError, match="below the lower bound 9/2"):
        comparison_figure(instance, {"exact": good}, lower_bound="4.5")
