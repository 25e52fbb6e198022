"""Displays in notebooks and at the prompt, progress of a solve, and instances from data frames."""

import re
import time
from dataclasses import replace
from fractions import Fraction as F
from xml.etree import ElementTree

import nbformat
import pandas
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nbclient import NotebookClient

import heuristics
import oas
from oas.core.errors import InputError
from oas.core.result import Result, Status, Termination
from oas.show.progress import in_notebook

EVIL = "<script>alert('&\"')</script>-->"
GRID = oas.generate.tiny(seed=4)
PAPER_GRID = oas.generate.section4(seed=3)
SHARED = oas.generate.uni(seed=5, organizations=2, jobs=6, processors=8)


def charts(html):
    """The SVGs of a page, each well-formed."""
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def ids(chart):
    return {element.get("id", "") for element in chart.iter()} - {""}


@pytest.mark.parametrize("content", [SHARED, heuristics.FCFS(GRID), heuristics.FCFS(SHARED)], ids=["shared", "a", "b"])
def test_the_same_bytes_every_time_with_one_chart(content):
    html = content._repr_html_()
    assert html == content._repr_html_()
    (chart,) = charts(html)
    assert len(html) < 150_000
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', html))
    assert used <= ids(chart)


def test_ids_are_text_not_markup():
    grid = oas.CoallocationInstance([oas.Cluster(EVIL, [oas.NodeGroup(2, 1)], 0)], [oas.Job(EVIL, 1, 1)], name=EVIL)
    shared = oas.MospInstance([oas.Organization(EVIL, 1, [oas.RigidJob(EVIL, 1, 1)])], name=EVIL)
    schedule = oas.Schedule(heuristics.FCFS(grid).placements, EVIL)
    result = Result(Status.FEASIBLE, Termination.ERROR, schedule, None, None, "", message=EVIL)
    studies = (oas.compare(shared, heuristics=["FCFS"]), oas.price(shared, [1]))
    for shown in (grid, shared, schedule, result, *studies, oas.appraise((shared, heuristics.local(shared)))):
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
def test_no_schedule_however_wrong_raises(drawn):
    """Nothing is promised of a schedule before it is verified; it is shown all the same."""
    html = oas.Schedule(drawn)._repr_html_()
    assert len(charts(html)) == any(one.nodes for one in drawn)


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
    with pytest.raises(InputError, match=r"instance: is not the instance of the result; use result\.schedule\.plot"):
        result.plot(PAPER_GRID)
    with pytest.raises(InputError, match="an instance is needed, not str"):
        result.plot("shared.json")
    with pytest.raises(InputError, match="no schedule to draw"):
        replace(result, schedule=None).plot()


def test_elsewhere_than_in_a_notebook_it_changes_no_result(capsys):
    assert not in_notebook()
    seen = []
    shown = oas.solve(PAPER_GRID, display=True, on_progress=seen.append)
    quiet = oas.solve(PAPER_GRID)
    assert (shown.schedule, shown.lower_bound, shown.proof) == (quiet.schedule, quiet.lower_bound, quiet.proof)
    assert seen[-1].objective == shown.objective
    assert capsys.readouterr().out == ""


def test_a_line_on_stderr_says_how_far_it_is(capsys):
    """A comparison that ends within the first second writes no line, so this one is slowed down."""

    def slow(instance, *, seed=0):
        time.sleep(2.5)
        return oas.Schedule([])

    oas.compare(PAPER_GRID, heuristics=[slow], display=True)
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


POOL = oas.generate.uni(seed=5, organizations=3, jobs=12, processors=16)
TWO = {"organization": ["A", "B"], "time": [1, 2], "processors": [1, 1]}
SIZES = {"A": 1, "B": 2}


def test_frames_of_an_instance_make_it_again():
    grid = oas.CoallocationInstance.from_frame(
        PAPER_GRID.to_frame(), PAPER_GRID.clusters_frame(), slot=PAPER_GRID.slot, name=PAPER_GRID.name
    )
    shared = oas.MospInstance.from_frame(POOL.to_frame(), POOL.clusters_frame(), name=POOL.name)
    assert (grid, shared) == (PAPER_GRID, POOL)
    assert (grid.digest, shared.digest) == (PAPER_GRID.digest, POOL.digest)


def test_releases_reservations_locality_and_local_schedules_come_back():
    owner = oas.Organization("A", 3, [oas.RigidJob("x", "3/2", 2, "1/4")], [oas.Reservation(5, 6, 1)])
    other = oas.Organization("B", 2, [oas.RigidJob("y", 1, 1)])
    instance = oas.MospInstance([owner, other], locality="5/4", local={"x": 7, "y": 2})
    again = oas.MospInstance.from_frame(
        instance.to_frame(), instance.clusters_frame(), locality="5/4", reservations={"A": owner.reservations}
    )
    assert again == instance


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=5), st.integers(0, 6))
def test_floats_are_rounded_exactly(numbers, decimals):
    exact = [F(number, 10**decimals) for number in numbers]
    jobs = {"tasks": [1] * len(exact), "base_time": [float(one) for one in exact]}
    made = oas.CoallocationInstance.from_frame(jobs, [oas.Cluster("c", [oas.NodeGroup(1, 1)], 0)], decimals=decimals)
    assert [job.base_time for job in made.jobs] == exact


MISTAKES = {
    "jobs[1].time: is missing": {**TWO, "time": [1, float("nan")]},
    "jobs[1].time: is 0 when rounded": {**TWO, "time": [1, 0.0004]},
    "jobs[0].processors: must be an integer": {**TWO, "processors": [1.5, 1]},
    "jobs[1].organization: is not among": {**TWO, "organization": ["A", "C"]},
    "jobs[0].time: must be a finite number": {**TWO, "time": [float("inf"), 1]},
    "jobs: the frame has no column time; it has: organization, processors": {
        key: value for key, value in TWO.items() if key != "time"
    },
    "jobs: the frame has two columns": pandas.DataFrame([[1, 2]], columns=["time", "time"]),
    "organizations[0].jobs[1].id: the id is taken": {**TWO, "job": ["x", "x"], "organization": ["A", "A"]},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_name_row_and_column(message):
    with pytest.raises(InputError) as caught:
        oas.MospInstance.from_frame(MISTAKES[message], SIZES)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clusters": 7}, "clusters: must be a data frame"),
        ({"clusters": []}, "clusters: at least one cluster is needed"),
        (
            {"clusters": {"cluster": ["c", "c"], "bandwidth": [1, 2], "nodes": 30}},
            "clusters[1].bandwidth: differs from that of c",
        ),
        ({"decimals": -1}, "decimals: must be at least 0"),
        ({"slot": 0.5}, "slot: a float may be rounded"),
    ],
)
def test_mistakes_about_clusters(arguments, message):
    with pytest.raises(InputError) as caught:
        oas.CoallocationInstance.from_frame(
            PAPER_GRID.to_frame(), **{"clusters": PAPER_GRID.clusters_frame(), **arguments}
        )
    assert str(caught.value).startswith(message)
