"""Charts of organizations and of fair sharing, against the schedules they show."""

from __future__ import annotations

from fractions import Fraction

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.plots import comparison_figure, gantt, schedule_figure
from oas.plots.mosp.reservations import reserved_boxes
from oas.plots.palette import dark, job_colour
from oas.problems.fair.runs import schedule_from_starts
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.plots.test_gantt import texts
from tests.problems.fair.instances import fair
from tests.problems.mosp.instances import random_instance


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


def test_jobs_in_a_pool_have_their_owners_colour():
    instance = fair((2, [(3,), (2,)]), (1, [(4,)]), horizon=3)
    ax = gantt(instance, schedule_from_starts(instance, [0, 0, 0]))
    assert runs(ax, 0) == [(0, 0, 3, 1), (0, 1, 2, 1)]
    assert [one[0] for one in runs(ax, 1)] == [0] and len(runs(ax, 1)) == 1
    assert strips(ax) == [job_colour(0).lower(), job_colour(1).lower()]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A\nm = 2", "B\nm = 1"]
