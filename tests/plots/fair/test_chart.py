"""Gantt charts of fair sharing: owners by colour wherever their jobs run, and the horizon."""

from __future__ import annotations

from matplotlib.patches import Rectangle

import oas
from oas.plots import gantt
from oas.plots.palette import job_colour
from oas.problems.fair.runs import schedule_from_starts
from tests.plots.mosp.test_organizations import key_of, runs, strips
from tests.problems.fair.instances import fair


def test_jobs_have_their_owners_colour_wherever_they_run():
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


def test_a_wide_job_spans_organizations():
    instance = fair((2, [(1,), (2, 0, 2)]), (1, [(5,)]), horizon=9)
    ax = gantt(instance, schedule_from_starts(instance, [0, 1, 0]))
    boxes = [patch for patch in ax.patches if type(patch) is Rectangle and patch.get_clip_on()]
    assert len(runs(ax, 0)) == 3 and boxes


def test_the_example_is_drawn(tmp_path):
    instance = oas.load_example("fair")
    schedule = schedule_from_starts(instance, [0, 0, 0, 3, 3, 4, 6, 9, 10, 9])
    figure = schedule.plot(instance)
    oas.plots.save_figure(figure, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000
