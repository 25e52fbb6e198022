"""The progress of a solve: a chart in a notebook, lines elsewhere."""

from __future__ import annotations

import time
from fractions import Fraction as F

import nbformat
import pytest
from nbclient import NotebookClient

import oas
from oas.exact.progress import SolveProgress
from oas.show import progress
from oas.show.live import in_notebook
from oas.show.live_chart import LEAST_SECONDS, LiveChart
from oas.show.progress import UNLIMITED, WAYS_OUT, ProgressLine
from tests.show.test_notebook import charts

GRID = oas.generate.section4(seed=3)


def test_elsewhere_than_in_a_notebook_it_changes_no_result(capsys):
    assert not in_notebook()
    seen = []
    shown = oas.solve(GRID, display=True, on_progress=seen.append)
    quiet = oas.solve(GRID)
    assert (shown.schedule, shown.lower_bound, shown.proof) == (quiet.schedule, quiet.lower_bound, quiet.proof)
    assert seen[-1].objective == shown.objective
    assert capsys.readouterr().out == ""


def test_a_line_on_stderr_says_how_far_it_is(capsys):
    """What ends within the first second says nothing, so the comparison is held up for longer."""

    def slow(instance, *, seed=0):
        time.sleep(2.5)
        return oas.Schedule([])

    oas.compare(GRID, heuristics=[slow], display=True)
    assert "slow" in capsys.readouterr().err


class Counted(LiveChart):
    """Counts its drawings."""

    count = 0

    def html(self, seen):
        self.count += 1
        return super().html(seen)


def test_it_is_drawn_at_most_twice_a_second_and_at_the_end(capsys):
    chart = Counted()
    began = time.monotonic()
    with chart:
        for number in range(2000):
            chart(SolveProgress("search", number / 1000, F(1), F(3000 - number)))
    seconds = time.monotonic() - began
    assert 2 <= chart.count <= 2 + seconds / LEAST_SECONDS
    assert len(chart.trace.points) == 2000


def test_the_chart_and_the_line_above_it():
    chart = LiveChart()
    seen = SolveProgress("search", 2.0, F(3), F(4))
    chart.trace(seen)
    html = chart.html(seen)
    assert len(charts(html)) == 1 and "2.0 s, search, bound 3, makespan 4, gap 33.33 %" in html
    assert not charts(LiveChart().html(SolveProgress("start", 0.0, None, None)))


@pytest.mark.slow
def test_in_a_notebook_each_solve_leaves_one_chart():
    cells = [
        "import oas; grid = oas.generate.section4(seed=3)",
        "result = oas.solve(grid, display=True)",
        "study = oas.compare(oas.generate.uni(seed=5, organizations=2, jobs=6), heuristics=['ILBA'], display=True)",
        "result.plot()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])
    NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    _, solved, compared, plotted = notebook.cells
    for cell in (solved, compared):
        (output,) = [one for one in cell.outputs if one.output_type == "display_data"]
        assert len(charts(output.data["text/html"])) == 1 and "gap 0 %" in output.data["text/html"]
    assert "image/png" in plotted.outputs[0].data


def shown(capsys, steps, *, unlimited: bool = False) -> list[str]:
    """The lines after (seconds, stage, bound, makespan, seconds without news) one after the other."""
    line = ProgressLine(quiet=True, unlimited=unlimited)
    line._live = False
    for seconds, stage, bound, makespan, quiet in steps:
        seen = SolveProgress(stage, seconds, F(bound), F(makespan))
        line(seen)
        line._remind(quiet)
        line._show(seen, seconds)
    line.__exit__(None, None, None)
    return capsys.readouterr().err.splitlines()


def test_a_line_without_news_comes_after_twice_the_pause(capsys) -> None:
    lines = shown(capsys, [(float(second), "search", 3, 4, 0) for second in range(1, 80)])
    assert [line.split()[0] for line in lines] == ["1.0", "6.0", "16.0", "36.0", "76.0"]


def test_news_are_told_every_five_seconds_and_at_the_end(capsys) -> None:
    lines = shown(capsys, [(float(second), "search", second, 90, 0) for second in range(1, 14)])
    assert [line.split()[0] for line in lines] == ["1.0", "6.0", "11.0", "13.0"]
    assert "bound 13" in lines[-1]


def test_each_stage_has_its_line(capsys) -> None:
    lines = shown(capsys, [(1.0, "start", 3, 4, 0), (1.1, "bounds", 3, 4, 0), (1.2, "search", 3, 4, 0)])
    assert [line.split()[2] for line in lines] == ["start", "bounds", "search"]


def test_no_limit_is_said_once_and_the_ways_out_after_a_minute_without_news(capsys) -> None:
    steps = [
        (1.0, "search", 3, 4, 1),
        (30.0, "search", 3, 4, 30),
        (61.0, "search", 3, 4, 61),
        (99.0, "search", 3, 4, 99),
    ]
    lines = shown(capsys, steps, unlimited=True)
    assert lines[0] == UNLIMITED and lines.count(UNLIMITED) == lines.count(WAYS_OUT) == 1
    assert lines.index(WAYS_OUT) > 1 and progress.HINT_SECONDS == 60
    assert UNLIMITED not in shown(capsys, steps)
