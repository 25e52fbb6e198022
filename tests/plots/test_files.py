"""Figures into files; and what importing and drawing leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.plots import save_figure, schedule_figure
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hostile():
    """An instance and a schedule whose names would break careless XML or mathtext."""
    clusters = [Cluster("<a> & $b", [NodeGroup(2, 1)], 5), Cluster("--c--", [NodeGroup(1, 1)], 5)]
    instance = CoallocationInstance(clusters, [Job("]]> $x_ -- &amp;", 3, 50, 1)], 10)
    place = {"<a> & $b": [0, 1], "--c--": [0]}
    return instance, Schedule([Placement(instance.jobs[0].id, 0, 50, place)], "<!-- $m -->")


def test_svg_is_xml_without_a_date(hostile, tmp_path):
    save_figure(schedule_figure(*hostile), tmp_path / "figure.svg")
    content = (tmp_path / "figure.svg").read_bytes()
    assert ET.fromstring(content).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"dc:date" not in content


@pytest.mark.slow
def test_the_same_data_gives_the_same_bytes_in_every_process(tmp_path):
    code = """
import sys
from oas.plots import comparison_figure, save_figure
from tests.plots.greedy import greedy
from tests.problems.coallocation.grids import grid
instance = grid(8, [4, 4, 4], slot=335000, seed=3)
for suffix in ("png", "svg", "pdf"):
    figure = comparison_figure(instance, {"greedy": greedy(instance)}, lower_bound=1)
    save_figure(figure, f"{sys.argv[1]}/{sys.argv[2]}.{suffix}")
"""
    for name, seed in (("one", "1"), ("two", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(tmp_path), name], check=True, cwd=ROOT, env=environment)
    for suffix in ("png", "svg", "pdf"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_pdf_has_its_names_as_text_fonts_and_no_date(hostile, tmp_path):
    save_figure(schedule_figure(*hostile), tmp_path / "figure.pdf")
    content = (tmp_path / "figure.pdf").read_bytes()
    assert content.startswith(b"%PDF-") and b"/Type /Page" in content
    assert b"/FontFile2" in content  # TrueType, not Type 3
    assert b"Date" not in content


def test_png_has_the_promised_width(hostile, tmp_path):
    save_figure(schedule_figure(*hostile), tmp_path / "picture.PNG")
    content = (tmp_path / "picture.PNG").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") == 1400


def test_folder_is_made_and_nothing_else_is_left(tmp_path):
    target = tmp_path / "deep" / "er" / "figure.svg"
    save_figure(Figure(), str(target))
    assert os.listdir(target.parent) == ["figure.svg"]


@pytest.mark.parametrize("name", ["figure.eps", "figure", "figure.svgz", ".png"])
def test_other_suffixes_are_refused_by_name(name, tmp_path):
    with pytest.raises(InputError, match=r"\.png or \.svg or \.pdf"):
        save_figure(Figure(), tmp_path / name)
    assert not os.listdir(tmp_path)


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    target = tmp_path / "figure.svg"
    target.write_text("old")

    def refuse(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        save_figure(Figure(), target)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["figure.svg"]


def run_apart(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_importing_loads_no_matplotlib():
    assert run_apart("import sys, oas, oas.plots; oas.plots; print('matplotlib' in sys.modules)") == "False"


def test_drawing_does_not_touch_pyplot():
    code = """
import sys
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.schedule import Placement, Schedule
from oas import plots
instance = CoallocationInstance([Cluster("a", [NodeGroup(1, 1)], 0)], [Job("j", 1, 1)])
schedule = Schedule([Placement("j", 0, 1, {"a": [0]})])
plots.gantt(instance, schedule)
plots.schedule_figure(instance, schedule)
plots.comparison_figure(instance, {"one": schedule}, lower_bound=1)
print("matplotlib.pyplot" in sys.modules)
"""
    assert run_apart(code) == "False"


def test_the_public_names_are_all_there():
    from oas import plots

    assert sorted(plots.__all__) == dir(plots)
    assert all(callable(getattr(plots, name)) for name in plots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        plots.pie  # noqa: B018
