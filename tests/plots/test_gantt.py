"""Gantt charts, the load of links and charts of organizations, compared with the schedules that they show."""

from fractions import Fraction
from fractions import Fraction as F

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import heuristics
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.plots.link_chart import link_layers
from oas.coallocation.plots.style import Phase, slowed_phases
from oas.coallocation.running import schedule_from_starts
from oas.core.errors import InputError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.mosp.instance import MospInstance
from oas.mosp.plots import reserved_boxes
from oas.mosp.runs import local_schedule
from oas.plots import comparison_figure, gantt, link_load
from oas.plots.axes import dark, job_colour
from oas.plots.labels import BoxLabel
from tests.coallocation.grids import four_jobs as slowed_grid
from tests.coallocation.grids import grid, started
from tests.mosp.instances import random_instance


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
    ax = gantt(*small, unit="s", note="  (optimal)")
    assert "makespan 10  (optimal)" in texts(ax)
    assert ax.get_xlabel() == "time [s]  ·  slot 2" and ax.get_xlim()[0] == 0 < 10 < ax.get_xlim()[1]
    assert job_boxes(ax, 0) == [(0, 0, 4, 2), (0, 3, 4, 1)]
    assert job_boxes(ax, 1) == [(4, 1, 6, 2), (4, 4.5, 6, 2)]
    assert job_boxes(ax, 2) == [(0, 5.5, 2, 1)]


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
    ax = gantt(instance, heuristics.FCFS(instance))
    renderer = drawn(ax)
    labels = [artist for artist in ax.get_children() if isinstance(artist, BoxLabel)]
    written = [label for label in labels if label.get_text()]
    assert written
    for label in written:
        inside, box = label.get_window_extent(renderer), label.box.get_window_extent(renderer)
        assert box.x0 <= inside.x0 <= inside.x1 <= box.x1
        assert box.y0 - 1 <= inside.y0 <= inside.y1 <= box.y1 + 1


def test_vertical_lines_do_not_cross_labels(small):
    """The bound at 6 divides the boxes of `wide`; the connector may divide them further."""
    figure = comparison_figure(small[0], {"one": small[1]}, lower_bound=6)
    renderer = drawn(figure.axes[0])
    labels = [artist for artist in figure.axes[0].get_children() if isinstance(artist, BoxLabel)]
    places = [line.get_window_extent(renderer).x0 for line in figure.axes[0].lines if line.get_xdata()[0] == 6]
    wide = [label.get_window_extent(renderer) for label in labels if label.get_text() == "wide"]
    assert len(wide) == 2 and places and all(place < label.x0 for place in places for label in wide)
    assert [text.get_text() for text in figure.legends[0].get_texts()][1] == "connects parts of a job"


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


PAIR = CoallocationInstance([Cluster("a", [NodeGroup(2, 1)], 0)], [Job("p", 1, 4), Job("q", 1, 3)])


def makespans(figure):
    return [text.get_text() for ax in figure.axes for text in ax.texts if text.get_text().startswith("makespan")]


def test_a_schedule_that_breaks_rules_is_never_called_optimal():
    clash = Schedule([Placement("p", 0, 4, {"a": [0]}), Placement("q", 1, 4, {"a": [0]})])
    short = Schedule([Placement("q", 0, 3, {"a": [0]})])
    figure = comparison_figure(PAIR, {"clash": clash, "short": short}, lower_bound=4)
    assert makespans(figure) == ["makespan 4  (not feasible)", "makespan 3  (not feasible)"]


def test_a_bound_above_a_feasible_makespan_is_refused():
    good = Schedule([Placement("p", 0, 4, {"a": [0]}), Placement("q", 0, 3, {"a": [1]})])
    with pytest.raises(InputError, match="below the lower bound 9/2"):
        comparison_figure(PAIR, {"exact": good}, lower_bound="4.5")


@pytest.fixture
def shared():
    """Two jobs over both clusters, overlapping in [2, 3); loads of 3·2·(2/4) and 2·1·(1/2) on the first link."""
    clusters = [Cluster("a", [NodeGroup(4, 1)], 5), Cluster("b", [NodeGroup(4, 1)], 1000)]
    jobs = [Job("p", 5, 3, 2), Job("q", 2, "1.5", 1), Job("local", 1, 1, 9)]
    schedule = Schedule(
        [
            Placement("p", 0, 3, {"a": [0, 1, 2], "b": [0, 1]}),
            Placement("q", 2, "3.5", {"a": [3], "b": [2]}),
            Placement("local", 0, 1, {"b": [3]}),
        ]
    )
    return CoallocationInstance(clusters, jobs), schedule


def outline(ax):
    """Total load as drawn: values and edges of the outline, the last of the step patches."""
    data = ax.patches[-1].get_data()
    return list(data.values), list(data.edges)


def test_the_drawn_total_is_the_sum_of_the_stack(shared):
    layers = [(0, [3, 3, 0]), (1, [0, 1, 1])]  # by equation (4)
    assert link_layers(*shared, "a") == ([0, 2, 3, F(7, 2)], layers)
    ax = link_load(*shared, "a")
    assert outline(ax) == ([3, 4, 1], [0, 2, 3, 3.5])
    below, above = (patch.get_data() for patch in ax.patches[:2])
    assert (list(below.values), list(below.baseline), list(below.edges)) == ([3, 3], [0, 0], [0, 2, 3])
    assert (list(above.values), list(above.baseline), list(above.edges)) == ([4, 1], [3, 0], [2, 3, 3.5])
    colours = [to_hex(patch.get_facecolor()) for patch in ax.patches[:2]]
    assert colours == [job_colour(0).lower(), job_colour(1).lower()]


def test_an_overloaded_link_shows_above_its_limit(shared):
    instance, schedule = shared
    with pytest.raises(InputError, match="'c'"):
        link_load(instance, schedule, "c")
    tight = CoallocationInstance([Cluster("a", [NodeGroup(4, 1)], 2), instance.clusters[1]], instance.jobs)
    ax = link_load(tight, schedule, "a")
    assert max(outline(ax)[0]) == 4
    assert ax.get_ylim()[1] > 4
    assert [list(line.get_ydata()) for line in ax.lines] == [[2, 2]]


def optimum(saturation="slowdown"):
    """The four jobs and their optimum of 64/3, with SC = 2 on Q in [26/3, 32/3) and on R in [32/3, 38/3)."""
    instance = slowed_grid(saturation)
    return instance, schedule_from_starts(instance, started(instance, [0, F(32, 3), F(26, 3), 0]), "by hand")


def test_phases_by_hand():
    found = slowed_phases(*optimum())
    assert found["A"] == [Phase(0, F(26, 3), 1), Phase(F(26, 3), F(32, 3), 2)]
    assert found["C"] == [Phase(F(26, 3), F(32, 3), 2), Phase(F(32, 3), F(64, 3), 1)]
    assert [(one.end, one.slowdown) for one in found["D"]] == [(F(32, 3), 1), (F(38, 3), 2)]
    assert all(isinstance(one.slowdown, F) for phases in found.values() for one in phases)


def by_hand():
    """Two clusters of 4 and 3 processors and one idle one; O0 lends and borrows, a job stands in two stretches.

    Alone O0 ends at 8 and O1 at 6.
    """
    instance = MospInstance(
        [
            Organization("O0", 4, [RigidJob("long", 4, 3), RigidJob("flat", 4, 2)], [Reservation(4, 9, 1)]),
            Organization("O1", 3, [RigidJob("high", 2, 3), RigidJob("split", 4, 2)]),
            Organization("O2", 2, []),
        ],
        local={"long": 0, "flat": 4, "high": 0, "split": 2},
    )
    placements = [
        Placement("long", 0, 4, {"O0": [0, 1, 2]}),
        Placement("flat", 0, 4, {"O2": [0, 1]}),
        Placement("high", 0, 2, {"O1": [0, 1, 2]}),
        Placement("split", 2, 6, {"O1": [0, 2]}),
    ]
    return instance, Schedule(placements, "by hand")


def runs(ax, owner):
    """Boxes of an owner's jobs as (x, y, width, height), without the strips at the lanes."""
    colour = job_colour(owner).lower()
    found = [patch for patch in ax.patches if type(patch) is Rectangle and to_hex(patch.get_facecolor()) == colour]
    return sorted((*one.get_xy(), one.get_width(), one.get_height()) for one in found if one.get_clip_on())


def strips(ax):
    """Colour of each lane's left edge, from the top."""
    found = [patch for patch in ax.patches if type(patch) is Rectangle and not patch.get_clip_on()]
    return [to_hex(patch.get_facecolor()) for patch in sorted(found, key=lambda one: one.get_y())]


def deadlines(ax):
    """Dotted lines as (moment, upper end, lower end, colour)."""
    return [
        (line.get_xdata()[0], *line.get_ydata(), line.get_color()) for line in ax.lines if line.get_linestyle() == ":"
    ]


def test_jobs_have_their_owners_colour_wherever_they_run():
    instance, schedule = by_hand()
    assert verify(instance, schedule) == []
    ax = gantt(instance, schedule)
    assert runs(ax, 0) == [(0, 0, 4, 3), (0, 8, 4, 2)]
    assert runs(ax, 1) == [(0, 4.5, 2, 3), (2, 4.5, 4, 1), (2, 6.5, 4, 1)]
    assert runs(ax, 2) == []
    assert strips(ax) == [job_colour(index).lower() for index in range(3)]


def test_deadlines_stand_on_their_owners_lanes():
    instance, schedule = by_hand()
    first, second = dark(job_colour(0)), dark(job_colour(1))
    ax = gantt(instance, schedule, horizon=Fraction(7))
    assert deadlines(ax) == [(8, 0, 4, first), (6, 4.5, 7.5, second)]
    assert ax.get_xlim()[1] > 8
    half = gantt(instance.with_locality("7/6"), schedule)
    assert deadlines(half) == [(7, 4.5, 7.5, second)]
    assert f"{9.33333:.5f} ▸" in texts(half)
    assert deadlines(gantt(instance.with_locality(None), schedule)) == []


@pytest.mark.parametrize("block", range(4))
def test_reservations_never_cover_a_job_of_a_verified_schedule(block):
    seen = 0
    for seed in range(40 * block, 40 * block + 40):
        instance = random_instance(seed, max_jobs=7, reservations=True)
        schedule = local_schedule(instance)
        boxes = reserved_boxes(instance, schedule)
        seen += len(boxes)
        for index, organization in enumerate(instance.organizations):
            own = [box for box in boxes if box.cluster == index]
            for box in own:
                for placement in schedule.placements:
                    if placement.start < box.end and placement.end > box.start:
                        nodes = placement.nodes.get(organization.id, ())
                        assert not set(nodes) & set(range(box.first, box.first + box.count))
            drawn_area = sum(box.count * (box.end - box.start) for box in own)
            assert drawn_area == sum(one.processors * (one.end - one.start) for one in organization.reservations)
            assert all(0 <= box.first <= box.first + box.count <= organization.processors for box in own)
    assert seen > 20
