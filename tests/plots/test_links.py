"""The load of the links beneath the Gantt chart, and what saturated links make of both."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import execution_figure, link_load
from oas.plots.coallocation.link_chart import link_layers
from oas.plots.coallocation.phases import Phase, slowed_phases
from oas.plots.palette import job_colour, slowed_shade
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.progress import schedule_from_starts
from tests.problems.coallocation.grids import four_jobs as slowed_grid
from tests.problems.coallocation.grids import started


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


def test_layers_follow_equation_4(shared):
    moments, layers = link_layers(*shared, "a")
    assert moments == [0, 2, 3, F(7, 2)]
    assert layers == [(0, [3, 3, 0]), (1, [0, 1, 1])]
    assert all(isinstance(load, F) for _, loads in layers for load in loads)


def test_the_drawn_total_is_the_sum_of_the_stack(shared):
    ax = link_load(*shared, "a")
    assert outline(ax) == ([3, 4, 1], [0, 2, 3, 3.5])
    below, above = (patch.get_data() for patch in ax.patches[:2])
    assert (list(below.values), list(below.baseline), list(below.edges)) == ([3, 3], [0, 0], [0, 2, 3])
    assert (list(above.values), list(above.baseline), list(above.edges)) == ([4, 1], [3, 0], [2, 3, 3.5])
    colours = [to_hex(patch.get_facecolor()) for patch in ax.patches[:2]]
    assert colours == [job_colour(0).lower(), job_colour(1).lower()]


def test_an_overloaded_link_shows_above_its_limit(shared):
    instance, schedule = shared
    tight = CoallocationInstance([Cluster("a", [NodeGroup(4, 1)], 2), instance.clusters[1]], instance.jobs)
    ax = link_load(tight, schedule, "a")
    assert max(outline(ax)[0]) == 4
    assert ax.get_ylim()[1] > 4
    assert [list(line.get_ydata()) for line in ax.lines] == [[2, 2]]


def test_unknown_cluster_and_foreign_schedule_are_refused(shared):
    instance, schedule = shared
    with pytest.raises(InputError, match="'c'"):
        link_load(instance, schedule, "c")
    with pytest.raises(InputError, match="stranger"):
        link_load(instance, Schedule([Placement("stranger", 0, 1, {"a": [0]})]), "a")


HALF = {"policy": "slowdown", "threshold": "1/2"}


def optimum(saturation="slowdown"):
    """The four jobs and their optimum of 64/3, with SC = 2 on Q in [26/3, 32/3) and on R in [32/3, 38/3)."""
    instance = slowed_grid(saturation)
    return instance, schedule_from_starts(instance, started(instance, [0, F(32, 3), F(26, 3), 0]), "by hand")


def drawn(figure):
    FigureCanvasAgg(figure).draw()
    return figure


def shaded(ax, job, slowdown):
    """Rectangles in the shade of a job at this SC, as (cluster's top lane, start, length)."""
    colour = slowed_shade(job_colour(job), slowdown)
    found = [one for one in ax.patches if type(one) is Rectangle and to_hex(one.get_facecolor()) == colour]
    return sorted((one.get_y(), one.get_x(), one.get_width()) for one in found)


def test_phases_by_hand():
    found = slowed_phases(*optimum())
    assert found["A"] == [Phase(0, F(26, 3), 1), Phase(F(26, 3), F(32, 3), 2)]
    assert found["C"] == [Phase(F(26, 3), F(32, 3), 2), Phase(F(32, 3), F(64, 3), 1)]
    assert [(one.end, one.slowdown) for one in found["D"]] == [(F(32, 3), 1), (F(38, 3), 2)]
    assert all(isinstance(one.slowdown, F) for phases in found.values() for one in phases)


def test_phases_under_max_min():
    """Job q is held up on b; p gets what it leaves of a."""
    clusters = [Cluster(name, [NodeGroup(4, 1)], bandwidth) for name, bandwidth in (("a", 2), ("b", 1), ("c", 9))]
    jobs = [Job("p", 2, 4, 2, F(1, 2)), Job("q", 2, 4, 2, F(1, 2)), Job("r", 2, 4, 2, F(1, 2))]
    places = ({"a": [0], "c": [0]}, {"a": [1], "b": [0]}, {"b": [1], "c": [1]})
    schedule = Schedule([Placement(job.id, 0, 1, nodes) for job, nodes in zip(jobs, places, strict=True)])
    factors = {}
    for sharing in ("paper", "max-min"):
        instance = CoallocationInstance(clusters, jobs, 0, {"policy": "slowdown", "sharing": sharing})
        factors[sharing] = [slowed_phases(instance, schedule)[job.id][0].slowdown for job in jobs]
    assert factors == {"paper": [2, 4, 4], "max-min": [F(4, 3), 4, 4]}


@pytest.mark.parametrize(
    ("threshold", "lines", "words"),
    [
        ("1/2", [100, 200], {"MBW 1", "limit 200 %"}),
        ("1/9", [100], {"limit 900 % ↑\nMBW 1"}),
        (1, [100], {"MBW 1, limit"}),
    ],
)
def test_the_threshold_is_a_line(threshold, lines, words):
    instance = slowed_grid({"policy": "slowdown", "threshold": threshold})
    schedule = schedule_from_starts(instance, started(instance, [0, 12, 10, 0]))
    ax = link_load(instance, schedule, "Q")
    assert [line.get_ydata()[0] for line in ax.lines] == lines
    assert {text.get_text() for text in ax.texts} == words | {"Q"}


def test_a_plan_beside_its_execution():
    planned = slowed_grid("forbid")
    plan = schedule_from_starts(planned, started(planned, [0, 12, 10, 0]))
    instance, executed = optimum(HALF)
    figure = drawn(execution_figure(planned, plan, instance, executed, unit="h"))
    upper, lower = figure.axes[0], figure.axes[5]
    assert len(figure.axes) == 10 and upper.get_xlim() == lower.get_xlim()
    assert [ax.get_title(loc="left") for ax in (upper, lower)] == [
        "planned: forbid",
        "executed: slowdown, threshold 1/2",
    ]
    assert "makespan 21.3333  (-3.0 % to the plan, 22)" in [text.get_text() for text in lower.texts]
    assert not shaded(upper, 0, 2) and shaded(lower, 0, 2)
    assert shaded(upper, 0, 1) and shaded(lower, 0, 1)  # one colour for a job in both
    assert [ax.get_xlabel() for ax in figure.axes[:-1]] == [""] * 9
