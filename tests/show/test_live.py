"""The progress of a solve: a chart in a notebook, lines elsewhere."""

from __future__ import annotations

import time
from fractions import Fraction as F

import nbformat
import pytest
from nbclient import NotebookClient

import oas
from oas.exact.progress import SolveProgress
from oas.show.live import in_notebook
from oas.show.progress import ProgressLine
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


def test_news_are_told_every_five_seconds_and_at_the_end(capsys) -> None:
    lines = shown(capsys, [(float(second), "search", second, 90, 0) for second in range(1, 14)])
    assert [line.split()[0] for line in lines] == ["1.0", "6.0", "11.0", "13.0"]
    assert "bound 13" in lines[-1]
