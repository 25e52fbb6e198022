"""Charts of organizations and of fair sharing, against the schedules they show."""

from __future__ import annotations

from fractions import Fraction

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import oas
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.plots import comparison_figure, gantt, schedule_figure
from oas.plots.labels import BoxLabel
from oas.plots.mosp.reservations import reserved_boxes
from oas.plots.palette import dark, job_colour
from oas.problems.fair.runs import schedule_from_starts
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.plots.test_gantt import drawn, texts
from tests.problems.fair.instances import fair
from tests.problems.mosp.instances import random_instance
from tests.slow import mostly_slow


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


def hatched(ax):
    return sorted((*one.get_xy(), one.get_width(), one.get_height()) for one in ax.patches if one.get_hatch())


def deadlines(ax):
    """Dotted lines as (moment, upper end, lower end, colour)."""
    return [
        (line.get_xdata()[0], *line.get_ydata(), line.get_color()) for line in ax.lines if line.get_linestyle() == ":"
    ]


def key_of(host):
    return [text.get_text() for text in host.get_texts()]


def test_jobs_have_their_owners_colour_wherever_they_run():
    instance, schedule = by_hand()
    assert verify(instance, schedule) == []
    ax = gantt(instance, schedule)
    assert runs(ax, 0) == [(0, 0, 4, 3), (0, 8, 4, 2)]
    assert runs(ax, 1) == [(0, 4.5, 2, 3), (2, 4.5, 4, 1), (2, 6.5, 4, 1)]
    assert runs(ax, 2) == []
    assert strips(ax) == [job_colour(index).lower() for index in range(3)]


def test_names_and_sizes_are_written():
    ax = gantt(*by_hand())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["O0\nm = 4", "O1\nm = 3", "O2\nm = 2"]
    assert ax.get_title(loc="left") == "by hand"
    assert ax.get_xlabel() == "time"
    drawn(ax)
    labels = {artist.get_text() for artist in ax.get_children() if isinstance(artist, BoxLabel)}
    assert labels == {"long", "flat", "high", "split"}


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


def test_reservations_stand_where_no_job_does():
    instance, schedule = by_hand()
    assert hatched(gantt(instance, schedule)) == [(4, 3, 5, 1)]


def test_reservations_give_way_to_jobs():
    instance = MospInstance([Organization("O", 3, [RigidJob("j", 2, 1)], [Reservation(0, 6, 1), Reservation(1, 3, 1)])])
    for node, first_held in [(0, {2}), (2, {1})]:
        schedule = Schedule([Placement("j", 0, 2, {"O": [node]})])
        boxes = reserved_boxes(instance, schedule)
        held = [
            {one.first + place for one in boxes for place in range(one.count) if one.start <= moment < one.end}
            for moment in range(6)
        ]
        assert held[0] == first_held  # the highest that is free, and kept
        assert held[1] == {0, 1, 2} - {node}
        assert [len(one) for one in held] == [1, 2, 2, 1, 1, 1]


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


def test_a_reservation_is_drawn_even_where_jobs_left_no_room():
    instance = MospInstance([Organization("O", 2, [RigidJob("j", 4, 2)], [Reservation(5, 8, 2)])])
    schedule = Schedule([Placement("j", 4, 8, {"O": [0, 1]})])
    assert hatched(gantt(instance, schedule)) == [(5, 0, 3, 2)]


def test_the_key_names_owners_while_they_are_few():
    instance, schedule = by_hand()
    shown = key_of(gantt(instance, schedule, lower_bound=5).get_legend())
    assert shown == ["jobs of O0", "jobs of O1", "reserved", "owner's deadline: makespan alone", "lower bound 5"]
    assert gantt(instance, schedule, legend=False).get_legend() is None
    loose = key_of(gantt(instance.with_locality("3/2"), schedule).get_legend())
    assert loose[-1] == "owner's deadline: 1.5 × makespan alone"
    many = MospInstance([Organization(f"O{k}", 1, [RigidJob(f"J{k}", 1, 1)]) for k in range(13)])
    assert key_of(gantt(many, local_schedule(many)).get_legend()) == ["owner's deadline: makespan alone"]


def test_what_the_verifier_and_the_bound_say_stands_by_the_makespan():
    instance, schedule = by_hand()
    late = Schedule(
        [one if one.job != "split" else Placement("split", 4, 8, {"O1": [0, 1]}) for one in schedule.placements]
    )
    clash = Schedule([*schedule.placements[:-1], Placement("split", 0, 4, {"O1": [0, 1]})])
    figure = comparison_figure(instance, {"a": schedule, "late": late, "clash": clash}, lower_bound=6)
    said = [text for ax in figure.axes for text in texts(ax) if text.startswith("makespan")]
    assert said == ["makespan 6  (optimal)", "makespan 8  (breaks locality)", "makespan 4  (not feasible)"]
    assert "makespan 6  (+20.0 %)" in texts(schedule_figure(instance, schedule, lower_bound=5).axes[0])
    with pytest.raises(InputError, match="below the lower bound 7"):
        schedule_figure(instance, schedule, lower_bound=7)


def test_an_organization_or_job_that_is_not_there_is_refused():
    instance, _ = by_hand()
    for placement, value in [
        (Placement("stranger", 0, 1, {"O0": [0]}), "stranger"),
        (Placement("long", 0, 1, {"nowhere": [0]}), "nowhere"),
        (Placement("long", 0, 1, {"O1": [3]}), "3"),
    ]:
        with pytest.raises(InputError, match=value):
            gantt(instance, Schedule([placement]))


@pytest.mark.parametrize(
    ("organizations", "jobs", "processors"),
    mostly_slow([(5, 60, 128), (20, 500, 512)], quick=[(5, 60, 128)]),
)
def test_papers_sizes_stay_on_the_page(organizations, jobs, processors):
    instance = oas.generate.uni(seed=3, organizations=organizations, jobs=jobs, processors=processors)
    schedule = find_method("ILBA", MospInstance)(instance)
    figure = schedule_figure(instance, schedule, lower_bound=1)
    (ax,) = figure.axes
    renderer = drawn(ax)
    assert figure.bbox.width == 1400 and figure.bbox.height <= 1400
    for box in [ax.get_tightbbox(renderer), ax.get_legend().get_window_extent(renderer)]:
        assert figure.bbox.x0 - 1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1
        assert figure.bbox.y0 - 1 <= box.y0 <= box.y1 <= figure.bbox.y1 + 1
    for owner, organization in enumerate(instance.organizations):
        own = {job.id: job for job in organization.jobs}
        area = sum(width * height for _, _, width, height in runs(ax, owner))
        assert area == pytest.approx(sum(float(job.time) * job.processors for job in own.values()))


def test_labels_stay_inside_their_boxes():
    instance = oas.generate.uni(seed=4, organizations=6, jobs=60, processors=128)
    ax = gantt(instance, find_method("ILBA", MospInstance)(instance))
    renderer = drawn(ax)
    written = [one for one in ax.get_children() if isinstance(one, BoxLabel) and one.get_text()]
    assert any(label.get_rotation() == 90 for label in written) and len(written) > 30
    for label in written:
        inside, box = label.get_window_extent(renderer), label.box.get_window_extent(renderer)
        assert box.x0 <= inside.x0 <= inside.x1 <= box.x1
        assert box.y0 - 1 <= inside.y0 <= inside.y1 <= box.y1 + 1


@pytest.mark.slow
def test_long_names_and_many_owners_fit_the_key():
    names = [f"the department of long names, number {k}" for k in range(12)]
    instance = MospInstance([Organization(name, 2, [RigidJob(f"J{name}", 3, 1)]) for name in names])
    for figure in (
        schedule_figure(instance, local_schedule(instance), lower_bound=3),
        comparison_figure(instance, {"one": local_schedule(instance), "two": local_schedule(instance)}, lower_bound=3),
    ):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        legend = figure.legends[0] if figure.legends else figure.axes[0].get_legend()
        box, page = legend.get_window_extent(canvas.get_renderer()), figure.bbox
        assert page.x0 <= box.x0 <= box.x1 <= page.x1 and page.y0 <= box.y0 <= box.y1 <= page.y1
        first = figure.axes[0].get_window_extent(canvas.get_renderer())
        assert box.y0 >= first.y1


def test_jobs_in_a_pool_have_their_owners_colour():
    instance = fair((2, [(3,), (2,)]), (1, [(4,)]), horizon=3)
    ax = gantt(instance, schedule_from_starts(instance, [0, 0, 0]))
    assert runs(ax, 0) == [(0, 0, 3, 1), (0, 1, 2, 1)]
    assert [one[0] for one in runs(ax, 1)] == [0] and len(runs(ax, 1)) == 1
    assert strips(ax) == [job_colour(0).lower(), job_colour(1).lower()]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A\nm = 2", "B\nm = 1"]


def test_the_horizon_is_drawn_even_beyond_the_schedule():
    instance = fair((2, [(3,), (2,)]), (1, [(4,)]), horizon=9)
    ax = gantt(instance, schedule_from_starts(instance, [0, 0, 0]))
    assert [9, 9] in [list(line.get_xdata()) for line in ax.lines]
    assert ax.get_xlim()[1] >= 9
    assert "horizon 9: no job starts from here on" in [
        text for legend in ax.figure.legends for text in key_of(legend)
    ] + (key_of(ax.get_legend()) if ax.get_legend() else [])


def test_the_example_is_drawn(tmp_path):
    instance = oas.load_example("fair")
    schedule = schedule_from_starts(instance, [0, 0, 0, 3, 3, 4, 6, 9, 10, 9])
    figure = schedule.plot(instance)
    oas.plots.save_figure(figure, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000
