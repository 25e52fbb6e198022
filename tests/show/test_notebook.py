"""What notebooks and the prompt show of instances, schedules, results and studies, and their figures."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction as F
from xml.etree import ElementTree

import matplotlib
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import heuristics
import oas
from oas.core.errors import InputError
from oas.core.result import Bound, Proof, ProofKind, Result, Status, Termination
from oas.io import load_answer
from oas.show.gantt import MAX_BOXES, MAX_CLUSTERS
from oas.show.html import MAX_ROWS

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


def test_ids_and_styles_of_two_cells_do_not_meet() -> None:
    cells = [heuristics.FCFS(GRID)._repr_html_(), heuristics.FCFS(SHARED)._repr_html_()]
    (one,), (other,) = map(charts, cells)
    assert ids(one) and not ids(one) & ids(other)
    for cell, chart in zip(cells, (one, other), strict=True):
        (rule,) = re.findall(r"<style[^>]*>([^{]*)\{", cell)
        assert rule.split()[0] == f"#{chart.get('id')}"


def test_a_users_matplotlib_is_left_alone_and_does_not_show() -> None:
    plain = heuristics.FCFS(GRID)._repr_html_()
    with matplotlib.rc_context({"figure.facecolor": "black", "text.color": "white", "font.size": 30}):
        before = dict(matplotlib.rcParams)
        assert heuristics.FCFS(GRID)._repr_html_() == plain
        assert dict(matplotlib.rcParams) == before


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


def test_an_organization_alone_shows_no_local_schedule() -> None:
    own = oas.Organization("O", 2, [oas.RigidJob("a", 3, 1)], [oas.Reservation(1, 2, 1)])
    lone, carried = (oas.MospInstance([own], None, local)._repr_html_() for local in (None, "HF"))
    assert len(charts(carried)) == 1 and not charts(lone)
    assert "–" in lone and "–" not in carried


def test_long_lists_are_cut_and_large_charts_left_out() -> None:
    wide = oas.Schedule(oas.Placement(f"j{n}", n, n + 1, {"C": [0]}) for n in range(MAX_BOXES + 1))
    html = wide._repr_html_()
    assert not charts(html) and "No Gantt chart" in html
    assert f"… and {MAX_BOXES + 1 - MAX_ROWS} more" in html and row_count(html) == MAX_ROWS + 1
    many = oas.Schedule(oas.Placement(f"j{n}", 0, 1, {f"C{n}": [0]}) for n in range(MAX_CLUSTERS + 1))
    far = oas.Schedule([oas.Placement("j", 0, 1, {"C": [10**9]})])
    for schedule in (many, far):
        assert "No Gantt chart" in schedule._repr_html_()
    jobs = oas.generate.uni(seed=1, jobs=500, organizations=2, processors=8)._repr_html_()
    assert "… and 490 more" in jobs and len(jobs) < 20_000


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


def test_a_result_draws_the_figure_of_its_instance(result):
    figure = result.plot(title="shared", unit="min")
    assert figure.axes[0].get_title(loc="left") == "shared" and figure.axes[0].get_xlabel() == "time [min]"
    assert "jobs of O1" in legend(figure) and any(text.startswith("owner's deadline") for text in legend(figure))
    assert any(text.startswith("lower bound") for text in legend(figure))
    assert figure._repr_png_().startswith(b"\x89PNG")


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


def test_what_they_say() -> None:
    instance = oas.MospInstance([oas.Organization("O1", 4, [oas.RigidJob("a", "5/2", 3)])], name="one")
    result = oas.solve(instance)
    assert repr(instance).splitlines() == [
        "MospInstance one: 1 job of 1 organization, 4 processors, locality 1",
        "  O1: 4 processors, 1 job, alone done at 2.5",
    ]
    alone = oas.MospInstance(instance.organizations, locality=None, name="one")
    assert repr(alone).splitlines()[1:] == ["  O1: 4 processors, 1 job"]
    assert "makespan 5/2 (about 2.5), lower bound 5/2 (about 2.5), gap 0 %" in repr(result)
    assert repr(result.schedule).endswith("1 job, makespan 5/2 (about 2.5)\n  a: [0, 2.5) on O1 0–2")
    run = oas.Placement("b", 1, 2, {"A": [0, 1, 2, 5, 7, 8], "B": [3]})
    assert repr(run) == "Placement b: [1, 2) on A 0–2, 5, 7–8, B 3"
    many = oas.Schedule([oas.Placement(f"J{k}", 0, 1, {"A": [k]}) for k in range(1003)])
    assert repr(many).splitlines()[-1] == "  … and 1,000 more"


def test_studies() -> None:
    compared = oas.compare(TINY, heuristics=["FCFS"])
    assert repr(compared).splitlines()[0].startswith("Comparison on tiny")
    assert [line.split(":")[0] for line in repr(compared).splitlines()[1:]] == ["  exact", "  FCFS"]
    assert len(repr(compared.rows[1])) < 600
    assert len(repr(oas.slot_study(TINY, [50])).splitlines()) <= 4
    shared = oas.generate.uni(seed=1, organizations=2, jobs=4, processors=4)
    assert repr(oas.price(shared, [1, None])).splitlines()[-1].startswith("  no locality: makespan")
