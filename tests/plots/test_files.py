"""Figures into files, names drawn as they are in every chart, and what importing and drawing leave behind."""

import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import pandas
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import heuristics
import oas
from oas import plots
from oas.campaigns.report.charts import profile_chart, proof_chart
from oas.core.errors import InputError
from oas.core.result import Trace
from oas.fair.plots.charts import LedgerColumn, LedgerLine
from oas.fair.ticks import schedule_from_starts
from oas.plots import labels, save_figure
from tests.plots.test_study_charts import CURVE, FORBID, PLAIN, SLOTS_OPEN, STUDY, SaturationPoint, point
from tests.slow import every_fourth_quick

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_same_data_gives_the_same_bytes_in_every_process(tmp_path):
    code = """
import sys
from oas.plots import comparison_figure, save_figure
from heuristics import FCFS
from tests.coallocation.grids import grid
instance = grid(8, [4, 4, 4], slot=335000, seed=3)
for suffix in ("png", "svg", "pdf"):
    figure = comparison_figure(instance, {"FCFS": FCFS(instance)}, lower_bound=1)
    save_figure(figure, f"{sys.argv[1]}/{sys.argv[2]}.{suffix}")
"""
    for name, seed in (("one", "1"), ("two", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(tmp_path), name], check=True, cwd=ROOT, env=environment)
    for suffix in ("png", "svg", "pdf"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


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


def test_importing_loads_no_matplotlib_and_drawing_no_pyplot():
    code = """
import sys, oas, oas.plots
assert "matplotlib" not in sys.modules
instance = oas.CoallocationInstance([oas.Cluster("a", [oas.NodeGroup(1, 1)], 0)], [oas.Job("j", 1, 1)])
schedule = oas.Schedule([oas.Placement("j", 0, 1, {"a": [0]})])
oas.plots.gantt(instance, schedule)
oas.plots.schedule_figure(instance, schedule)
oas.plots.comparison_figure(instance, {"one": schedule}, lower_bound=1)
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


NAME = r"_$\undefined{$"
SAID = {"heading": NAME, "unit": NAME}
LINKS = oas.CoallocationInstance(
    [oas.Cluster(name, [oas.NodeGroup(2, 1)], 1) for name in (NAME, "C")], [oas.Job(NAME, 3, 5, 1)], name=NAME
)
RUN = oas.Schedule([oas.Placement(NAME, 0, 5, {NAME: [0, 1], "C": [0]})], NAME)
SLOWED = LINKS.with_saturation("slowdown")
SHARED = oas.MospInstance([oas.Organization(NAME, 2, [oas.RigidJob(NAME, 3, 1)]), oas.Organization("O", 2, [])])
ALONE = heuristics.local(SHARED)
FAIR = oas.FairInstance([oas.Organization(NAME, 2, [oas.RigidJob(NAME, 3, 1)])], horizon=9, name=NAME)
MANY = {f"{NAME} {number}": LedgerLine([0.0, number]) for number in range(9)}
COLUMN = LedgerColumn(NAME, NAME, {NAME: (NAME, MANY)})
PRICE = [replace(STUDY[0], ends={NAME: F(1), "O": F(2)})]
SOLUTION = pandas.DataFrame([{"job": NAME, "nodes": {NAME: 2, "C": 1}, "start": 0.0, "end": 5.0, "value": 1.0}])

CHARTS = {
    "comparison_figure": lambda: plots.comparison_figure(LINKS, {NAME: RUN}, lower_bound=1, outlined={NAME: NAME}),
    "execution_figure": lambda: plots.execution_figure(LINKS, RUN, SLOWED, RUN, unit=NAME),
    "gantt": lambda: plots.gantt(FAIR, schedule_from_starts(FAIR, [0])),
    "gap_chart": lambda: plots.gap_chart({NAME: [0.5]}, label=NAME, heading=NAME),
    "ledger_chart": lambda: plots.ledger_chart([0.0, 1.0], MANY, label=NAME, scale=NAME, **SAID),
    "ledger_figure": lambda: plots.ledger_figure([0.0, 1.0], [COLUMN, LedgerColumn(NAME, "", {})], words=NAME, **SAID),
    "link_load": lambda: plots.link_load(LINKS, RUN, NAME, unit=NAME),
    "list_ratio_chart": lambda: plots.list_ratio_chart({"1/2": 2}, heading=NAME),
    "load_figure": lambda: plots.load_figure(SHARED, {NAME: ALONE, "other": ALONE}, unit=NAME),
    "placement_figure": lambda: plots.placement_figure(CURVE, without=F(6), **SAID),
    "price_figure": lambda: plots.price_figure(PRICE, **SAID),
    "queue_chart": lambda: plots.queue_chart(SHARED, {NAME: ALONE, "other": ALONE}, unit=NAME),
    "relaxation_chart": lambda: plots.relaxation_chart(LINKS, SOLUTION, **SAID),
    "saturation_price_chart": lambda: plots.saturation_price_chart(
        SaturationPoint(PLAIN, FORBID, None, PLAIN), [point(1, 24, 24)], **SAID
    ),
    "schedule_figure": lambda: plots.schedule_figure(SHARED, ALONE, title=NAME, unit=NAME, lower_bound=3),
    "slot_size_figure": lambda: plots.slot_size_figure(SLOTS_OPEN, title=NAME, unit=NAME),
    "trace_chart": lambda: plots.trace_chart(Trace(), **SAID),
    "utilisation_chart": lambda: plots.utilisation_chart(SHARED, {NAME: ALONE, "other": ALONE}, unit=NAME),
    "profile_chart": lambda: profile_chart({NAME: [(1, F(1))]}, ratio=NAME, heading=NAME),
    "proof_chart": lambda: proof_chart({NAME: [(1, F(1))]}, limit=2.0, heading=NAME),
}


@pytest.mark.parametrize("name", every_fourth_quick(list(CHARTS)))
def test_names_are_no_formulas(name):
    chart = CHARTS[name]()
    figure = chart.get_figure(root=True)
    FigureCanvasAgg(figure).draw()
    texts = [text for text in figure.findobj(Text) if NAME.removeprefix("_") in text.get_text()]
    assert texts and not any(text.get_parse_math() or text.get_usetex() for text in texts)


def test_svg_files_keep_text_and_unknown_signs_are_reported(tmp_path, caplog):
    labels._report_missing.cache_clear()
    instance = oas.CoallocationInstance(
        [oas.Cluster("a", [oas.NodeGroup(1, 1)], 0)], [oas.Job("render", 1, 1), oas.Job("作業", 1, 1)], 0
    )
    schedule = oas.Schedule([oas.Placement("render", 0, 1, {"a": [0]}), oas.Placement("作業", 1, 2, {"a": [0]})])
    save_figure(oas.plots.schedule_figure(instance, schedule), tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text()
    assert ">render</text>" in text and ">??</text>" in text
    assert caplog.text.count("some names have characters that the font") == 1
