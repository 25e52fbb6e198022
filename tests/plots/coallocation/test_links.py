"""The load of the links, and the figure that shows it beneath the Gantt chart."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import link_load, schedule_figure
from oas.plots.coallocation.link_chart import link_layers
from oas.plots.palette import job_colour
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.plots.greedy import greedy
from tests.problems.coallocation.grids import grid


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
    assert moments == [0, 2, 3, Fraction(7, 2)]
    assert layers == [(0, [3, 3, 0]), (1, [0, 1, 1])]
    assert all(isinstance(load, Fraction) for _, loads in layers for load in loads)


def test_the_drawn_total_is_the_sum_of_the_stack(shared):
    ax = link_load(*shared, "a")
    assert outline(ax) == ([3, 4, 1], [0, 2, 3, 3.5])
    below, above = (patch.get_data() for patch in ax.patches[:2])
    assert (list(below.values), list(below.baseline), list(below.edges)) == ([3, 3], [0, 0], [0, 2, 3])
    assert (list(above.values), list(above.baseline), list(above.edges)) == ([4, 1], [3, 0], [2, 3, 3.5])
    colours = [to_hex(patch.get_facecolor()) for patch in ax.patches[:2]]
    assert colours == [job_colour(0).lower(), job_colour(1).lower()]


def test_limit_is_a_line_in_reach_and_a_word_out_of_reach(shared):
    near, far = link_load(*shared, "a"), link_load(*shared, "b")
    assert [list(line.get_ydata()) for line in near.lines] == [[5, 5]]
    assert near.get_ylim() == (0, 6)
    assert "limit 5" in [text.get_text() for text in near.texts]
    assert not far.lines
    assert far.get_ylim()[1] < 1000
    assert "limit 1,000 ↑" in [text.get_text() for text in far.texts]


def test_an_overloaded_link_shows_above_its_limit(shared):
    instance, schedule = shared
    tight = CoallocationInstance([Cluster("a", [NodeGroup(4, 1)], 2), instance.clusters[1]], instance.jobs)
    ax = link_load(tight, schedule, "a")
    assert max(outline(ax)[0]) == 4
    assert ax.get_ylim()[1] > 4
    assert [list(line.get_ydata()) for line in ax.lines] == [[2, 2]]


def test_peak_is_the_exact_maximum_on_a_random_grid():
    instance = grid(8, [4, 4, 4], slot=335000, seed=3)
    schedule = greedy(instance)
    jobs = {job.id: job for job in instance.jobs}
    for cluster in instance.clusters:
        peaks = []
        for moment in {placement.start for placement in schedule.placements}:
            total = Fraction(0)
            for placement in schedule.placements:
                job, here = jobs[placement.job], len(placement.nodes.get(cluster.id, ()))
                if placement.start <= moment < placement.end and job.tasks > 1:
                    total += here * job.bandwidth * Fraction(job.tasks - here, job.tasks - 1)
            peaks.append(total)
        assert max(peaks) > 0
        drawn, _ = outline(link_load(instance, schedule, cluster.id))
        assert max(drawn) == float(max(peaks))


def test_figure_has_a_panel_for_each_link_on_one_time_axis(shared):
    figure = schedule_figure(*shared, unit="h")
    chart, *links = figure.axes
    assert len(links) == 2
    assert all(ax.get_shared_x_axes().joined(chart, ax) for ax in links)
    assert len({ax.get_xlim() for ax in figure.axes}) == 1
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "time [h]"]
    assert [{"a", "b"} & {text.get_text() for text in ax.texts} for ax in links] == [{"a"}, {"b"}]


def test_panels_stand_under_one_another_without_overlap():
    instance = grid(10, [3] * 6, slot=250000, seed=5)
    figure = schedule_figure(instance, greedy(instance))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [ax.get_tightbbox(canvas.get_renderer()) for ax in figure.axes]
    for upper, lower in itertools.pairwise(boxes):
        assert lower.y1 <= upper.y0 + 1
    assert len({(round(ax.get_position().x0, 6), round(ax.get_position().x1, 6)) for ax in figure.axes}) == 1
    assert min(box.x0 for box in boxes) >= -1
    assert max(box.x1 for box in boxes) <= figure.bbox.x1 + 1


def test_unknown_cluster_and_foreign_schedule_are_refused(shared):
    instance, schedule = shared
    with pytest.raises(InputError, match="'c'"):
        link_load(instance, schedule, "c")
    with pytest.raises(InputError, match="stranger"):
        link_load(instance, Schedule([Placement("stranger", 0, 1, {"a": [0]})]), "a")


def test_a_cluster_named_like_a_formula_is_written_as_it_is():
    name = "$\\nonsense$"
    instance = CoallocationInstance([Cluster(name, [NodeGroup(1, 1)], 0)], [Job("j", 1, 1)])
    ax = link_load(instance, Schedule([Placement("j", 0, 1, {name: [0]})]), name)
    FigureCanvasAgg(ax.figure).draw()
    assert name in [text.get_text() for text in ax.texts]
