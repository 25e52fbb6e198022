"""`plot` of results, schedules and traces, and what a result knows of its instance."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import heuristics
import oas
from oas.core.errors import InputError
from oas.io import load_answer
from tests.show.test_notebook import charts

GRID = oas.generate.section4(seed=3)
SHARED = oas.generate.uni(seed=5, organizations=2, jobs=6, processors=8)


@pytest.fixture(scope="module")
def result():
    return oas.solve(SHARED)


def legend(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_a_result_draws_the_figure_of_its_instance(result):
    figure = result.plot(title="shared", unit="min")
    assert figure.axes[0].get_title(loc="left") == "shared" and figure.axes[0].get_xlabel() == "time [min]"
    assert "jobs of O1" in legend(figure) and any(text.startswith("owner's deadline") for text in legend(figure))
    assert any(text.startswith("lower bound") for text in legend(figure))
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_of_co_allocation_with_the_link_loads():
    assert len(oas.solve(GRID).plot().axes) == 1 + len(GRID.clusters)


def test_compared_results_know_their_instance():
    study = oas.compare(SHARED, heuristics=["ILBA"])
    assert study.result.instance is SHARED and study.result.plot().axes


def test_the_instance_is_neither_compared_nor_saved(result, tmp_path):
    assert result.instance is SHARED and result == replace(result, instance=None)
    oas.save(result, tmp_path / "result.json")
    read = load_answer(tmp_path / "result.json")
    assert read.instance is None and read == result


def test_a_result_that_does_not_know_its_instance_says_what_to_do(result):
    alone = replace(result, instance=None)
    with pytest.raises(InputError, match=r"result\.plot\(instance\)"):
        alone.plot()
    assert legend(alone.plot(SHARED)) == legend(result.plot())


def test_another_instance_is_refused(result):
    with pytest.raises(InputError, match=r"instance: is not what the result answers; result\.schedule\.plot"):
        result.plot(GRID)
    with pytest.raises(InputError, match="an instance is needed, not str"):
        result.plot("shared.json")
    with pytest.raises(InputError, match="no schedule to draw"):
        replace(result, schedule=None).plot()


def test_a_schedule_is_drawn_on_the_instance_given():
    schedule = heuristics.local(SHARED)
    figure = schedule.plot(SHARED, lower_bound=1)
    assert "lower bound 1" in legend(figure) and "jobs of O2" in legend(figure)
    with pytest.raises(InputError):
        schedule.plot(GRID)


def test_a_notebook_shows_the_chart_of_the_instance(result):
    """Idle nodes, owners and deadlines: all that the schedule alone does not tell."""
    wide = oas.CoallocationInstance([oas.Cluster("wide", [oas.NodeGroup(9, 1)], 0)], [oas.Job("j", 1, 1)])
    solved = oas.solve(wide)
    (known,), (unknown,) = (charts(one._repr_html_()) for one in (solved, replace(solved, instance=None)))
    assert float(known.get("height", "0pt")[:-2]) > float(unknown.get("height", "0pt")[:-2])
    assert result._repr_html_() != replace(result, instance=None)._repr_html_()
    assert "schedule.plot(instance)" in solved.schedule._repr_html_()


def test_a_result_of_its_own_import_stays_light():
    code = (
        "import sys, oas; from oas.core.trace import Trace; Trace();"
        "print({'matplotlib', 'pandas', 'IPython'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"
