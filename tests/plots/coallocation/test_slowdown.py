"""Charts where saturated links slow jobs down: shades, links in percent, a plan beside its execution."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import execution_figure, gantt, link_load, schedule_figure
from oas.plots.coallocation.phases import Phase, slowed_phases
from oas.plots.palette import job_colour, luminance, slowed_shade
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.progress import schedule_from_starts
from tests.problems.coallocation.test_progress import started
from tests.problems.coallocation.test_saturation import grid

HALF = {"policy": "slowdown", "threshold": "1/2"}


def optimum(saturation="slowdown"):
    """The four jobs and their optimum of 64/3, with SC = 2 on Q in [26/3, 32/3) and on R in [32/3, 38/3)."""
    instance = grid(saturation)
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


def test_phases_of_a_run_that_holds_its_links_until_its_slot_ends():
    instance = grid("slowdown", slot=4)
    schedule = schedule_from_starts(instance, started(instance, [0, 12, 8, 0]))
    assert slowed_phases(instance, schedule)["A"] == [Phase(0, 8, 1), Phase(8, 12, 2)]


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


def test_bars_are_darker_where_jobs_are_slowed_down():
    instance, schedule = optimum()
    ax = gantt(instance, schedule)
    tops = {round(top) for top, _, _ in shaded(ax, 0, 2)}
    assert len(tops) == 2  # on P and on Q
    assert {(round(start, 9), round(length, 9)) for _, start, length in shaded(ax, 0, 2)} == {(round(26 / 3, 9), 2.0)}
    assert {length for _, _, length in shaded(ax, 0, 1)} == {float(F(32, 3))}
    for job in range(12):
        shades = [luminance(slowed_shade(job_colour(job), one)) for one in (F(1), F(11, 10), F(2), F(5))]
        assert shades == sorted(set(shades), reverse=True)


def test_the_legend_names_the_slowdowns():
    words = [text.get_text() for text in gantt(*optimum()).get_legend().get_texts()]
    assert words[:2] == ["no slowdown", "SC = 2"]
    forbidden = grid("slowdown")
    apart = schedule_from_starts(forbidden, started(forbidden, [0, 12, 10, 0]))
    assert "no slowdown" not in [text.get_text() for text in gantt(forbidden, apart).get_legend().get_texts()]


def test_links_are_drawn_in_percent_of_their_bandwidth():
    instance, schedule = optimum()
    ax = link_load(instance, schedule, "Q")
    data = next(one for one in reversed(ax.patches) if hasattr(one, "get_data")).get_data()
    assert list(data.values) == [100, 200, 100] and ax.get_ylim()[1] > 200
    assert "MBW 1" in [text.get_text() for text in ax.texts]
    assert [list(line.get_ydata()) for line in ax.lines] == [[100, 100]]


@pytest.mark.parametrize(
    ("threshold", "lines", "words"),
    [
        ("1/2", [100, 200], {"MBW 1", "limit 200 %"}),
        ("1/9", [100], {"limit 900 % ↑\nMBW 1"}),
        (1, [100], {"MBW 1, limit"}),
    ],
)
def test_the_threshold_is_a_line(threshold, lines, words):
    instance = grid({"policy": "slowdown", "threshold": threshold})
    schedule = schedule_from_starts(instance, started(instance, [0, 12, 10, 0]))
    ax = link_load(instance, schedule, "Q")
    assert [line.get_ydata()[0] for line in ax.lines] == lines
    assert {text.get_text() for text in ax.texts} == words | {"Q"}


def test_a_link_that_carries_nothing_has_no_percentage():
    instance = grid("slowdown", bandwidth=(0, 9, 9, 9))
    schedule = Schedule([Placement("C", 0, 12, {"Q": [0], "S": [0]}), Placement("A", 0, 10, {"P": [0], "Q": [1]})])
    assert "limit 0" in [text.get_text() for text in link_load(instance, schedule, "P").texts]
    assert slowed_phases(instance, schedule)["C"] == [Phase(0, 12, 1)]


def test_a_schedule_in_full_has_its_links_beneath():
    instance, schedule = optimum(HALF)
    figure = drawn(schedule_figure(instance, schedule, lower_bound=F(64, 3)))
    assert len(figure.axes) == 5
    assert "makespan 21.3333  (optimal)" in [text.get_text() for text in figure.axes[0].texts]


def test_a_plan_beside_its_execution():
    planned = grid("forbid")
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


def test_a_plan_is_of_the_same_jobs():
    instance, executed = optimum()
    other = CoallocationInstance(instance.clusters, instance.jobs[:3], 0, "slowdown")
    with pytest.raises(InputError, match="instance: must have the clusters and jobs of the plan"):
        execution_figure(other, executed, instance, executed)
