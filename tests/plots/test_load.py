"""Queue and utilisation over time."""

from __future__ import annotations

import pytest

import heuristics
import oas
from oas.core.errors import InputError

JOBS = [oas.RigidJob("a", 4, 2), oas.RigidJob("b", 2, 2, release=1)]
INSTANCE = oas.MospInstance([oas.Organization("O", 2, JOBS)], locality=None)


def points(ax):
    return [line.get_xydata().tolist() for line in ax.get_lines()]


def test_one_schedule_is_one_line_of_steps():
    schedule = heuristics.FCFS(INSTANCE)
    ax = oas.plots.queue_chart(INSTANCE, schedule, unit="s")
    assert points(ax) == [[[0, 0], [1, 1], [4, 0], [6, 0]]]
    assert {line.get_drawstyle() for line in ax.get_lines()} == {"steps-post"}
    assert ax.get_xlabel() == "time [s]" and ax.get_legend() is None
    assert points(oas.plots.utilisation_chart(INSTANCE, schedule)) == [[[0, 100], [1, 100], [4, 100], [6, 0]]]


def test_schedules_by_name_share_the_axis(tmp_path):
    late = oas.Schedule([oas.Placement("a", 3, 7, {"O": [0, 1]}), oas.Placement("b", 1, 3, {"O": [0, 1]})])
    figure = oas.plots.load_figure(INSTANCE, {"FCFS": heuristics.FCFS(INSTANCE), "late": late})
    above, below = figure.axes
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["FCFS", "late"]
    assert below.get_legend() is None and [len(points(ax)) for ax in figure.axes] == [2, 2]
    assert above.get_xlim() == below.get_xlim() and above.get_xlim()[1] > 7
    oas.plots.save_figure(figure, tmp_path / "load.svg")
    assert (tmp_path / "load.svg").stat().st_size > 1000


def test_what_is_no_schedule_is_refused():
    with pytest.raises(InputError, match="a schedule is needed"):
        oas.plots.queue_chart(INSTANCE, INSTANCE)
