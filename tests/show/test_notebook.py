"""What notebooks and the prompt show of instances, schedules, results and studies, and their figures."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction as F
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import heuristics
import oas
from oas.core.errors import InputError
from oas.core.result import Bound, Proof, ProofKind, Result, Status, Termination

EVIL = "<script>alert('&\"')</script>-->"
GRID = oas.generate.tiny(seed=4)
SHARED = oas.generate.uni(seed=5, organizations=2, jobs=6, processors=8)


def charts(html: str) -> list[ElementTree.Element]:
    """The SVGs of a page, each well-formed."""
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def ids(chart: ElementTree.Element) -> set[str]:
    return {element.get("id", "") for element in chart.iter()} - {""}


def row_count(html: str) -> int:
    return html.count("<tr>")


@pytest.mark.parametrize("content", [SHARED, heuristics.FCFS(GRID), heuristics.FCFS(SHARED)], ids=["shared", "a", "b"])
def test_the_same_bytes_every_time_with_one_chart(content) -> None:
    html = content._repr_html_()
    assert html == content._repr_html_()
    (chart,) = charts(html)
    assert len(html) < 150_000
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', html))
    assert used <= ids(chart)


def test_ids_are_text_not_markup() -> None:
    grid = oas.CoallocationInstance([oas.Cluster(EVIL, [oas.NodeGroup(2, 1)], 0)], [oas.Job(EVIL, 1, 1)], name=EVIL)
    shared = oas.MospInstance([oas.Organization(EVIL, 1, [oas.RigidJob(EVIL, 1, 1)])], name=EVIL)
    schedule = oas.Schedule(heuristics.FCFS(grid).placements, EVIL)
    result = Result(Status.FEASIBLE, Termination.ERROR, schedule, None, None, "", message=EVIL)
    compared = oas.compare(shared, heuristics=["FCFS"])
    for shown in (
        grid,
        shared,
        schedule,
        result,
        compared,
        oas.price(shared, [1]),
        oas.appraise((shared, heuristics.local(shared))),
    ):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;" in html


placements = st.builds(
    oas.Placement,
    job=st.sampled_from(["a", "b", "$x_1$", "名", "x" * 200]),
    start=st.sampled_from([F(0), F(-3), F(1, 10**20), F(10**30), F(7, 3)]),
    end=st.sampled_from([F(0), F(-5), F(1, 10**21), F(10**31), F(9, 2)]),
    nodes=st.dictionaries(st.sampled_from(["A", "B", "名"]), st.lists(st.integers(0, 30), max_size=4), max_size=3),
)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@example([oas.Placement(job="a", start=F(0), end=F(-5), nodes={"A": [0]})])  # no room is left for its axes
@given(st.lists(placements, max_size=5))
def test_no_schedule_however_wrong_raises(drawn) -> None:
    """Nothing is promised of a schedule before it is verified; it is shown all the same."""
    html = oas.Schedule(drawn)._repr_html_()
    assert len(charts(html)) == any(one.nodes for one in drawn)


def test_results_show_what_they_hold() -> None:
    schedule = heuristics.FCFS(GRID)
    proof = Proof(ProofKind.BRUTE_FORCE)
    held = Result(Status.OPTIMAL, Termination.FINISHED, schedule, schedule.makespan, proof, "d", seconds={"total": 1.0})
    html = held._repr_html_()
    assert "brute force" in html and "1.000 s" in html and len(charts(html)) == 1
    nothing = Result(Status.NO_SOLUTION, Termination.KILLED, None, None, None, "d")
    assert "no solution (killed)" in nothing._repr_html_() and not charts(nothing._repr_html_())


def test_studies_show_their_tables() -> None:
    easy = oas.MospInstance([oas.Organization("O1", 2, [oas.RigidJob("a", 2, 1)]), oas.Organization("O2", 2)])
    compared = oas.compare(easy, heuristics=["FCFS", "MOCCA"])
    html = compared._repr_html_()
    assert row_count(html) == 1 + 4 and "MOCCA" in html and len(charts(html)) == 1
    assert row_count(oas.price(easy, [1, None])._repr_html_()) == 1 + 2
    slots = oas.slot_study(oas.generate.section4(seed=9), [100])._repr_html_()
    assert row_count(slots) == 1 + 2 and "<td" in slots and "100.00 %" in slots
    appraised = oas.appraise((easy, heuristics.local(easy)))._repr_html_()
    assert row_count(appraised) == 1 + 1 and "windows appraised: 1" in appraised and "0 %" in appraised


GRID_3 = oas.generate.section4(seed=3)


@pytest.fixture(scope="module")
def result():
    return oas.solve(SHARED)


def legend(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_a_result_that_does_not_know_its_instance_says_what_to_do(result):
    alone = replace(result, instance=None)
    with pytest.raises(InputError, match=r"result\.plot\(instance\)"):
        alone.plot()
    assert legend(alone.plot(SHARED)) == legend(result.plot())


def test_another_instance_is_refused(result):
    with pytest.raises(InputError, match=r"instance: is not what the result answers; result\.schedule\.plot"):
        result.plot(GRID_3)
    with pytest.raises(InputError, match="an instance is needed, not str"):
        result.plot("shared.json")
    with pytest.raises(InputError, match="no schedule to draw"):
        replace(result, schedule=None).plot()


def test_a_notebook_shows_the_chart_of_the_instance(result):
    """Idle nodes, owners and deadlines: all that the schedule alone does not tell."""
    wide = oas.CoallocationInstance([oas.Cluster("wide", [oas.NodeGroup(9, 1)], 0)], [oas.Job("j", 1, 1)])
    solved = oas.solve(wide)
    (known,), (unknown,) = (charts(one._repr_html_()) for one in (solved, replace(solved, instance=None)))
    assert float(known.get("height", "0pt")[:-2]) > float(unknown.get("height", "0pt")[:-2])
    assert result._repr_html_() != replace(result, instance=None)._repr_html_()
    assert "schedule.plot(instance)" in solved.schedule._repr_html_()


TINY = oas.generate.tiny(seed=4)
LARGE = oas.generate.uni(seed=5, organizations=4, jobs=400, processors=512)
CONTENTS = {
    "grid": TINY,
    "shared": LARGE,
    "organization": LARGE.organizations[0],
    "schedule": heuristics.FCFS(LARGE),
    "placement": heuristics.FCFS(LARGE).placements[-1],
    "scattered": oas.Placement("J", 0, 1, {f"C{k}": range(0, 10_000, 2) for k in range(100)}),
    "result": Result(Status.FEASIBLE, Termination.TIME_LIMIT, heuristics.FCFS(LARGE), F(1, 3), None, "d", "highs"),
    "no schedule": Result(Status.NO_SOLUTION, Termination.KILLED, None, None, None, "d"),
    "empty": oas.Schedule([]),
    "bound": Bound("area", F(1, 3), {"tree": list(range(10_000))}),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_few_lines(name: str) -> None:
    text = repr(CONTENTS[name])
    assert text == str(CONTENTS[name])
    assert len(text) < 600 and len(text.splitlines()) <= 6
