"""Names are drawn as they are in every chart: none is a formula, and none hides its line from a legend."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import heuristics
import oas
from oas import plots
from oas.campaigns.report.profile_chart import profile_chart
from oas.campaigns.report.proof_chart import proof_chart
from oas.core.trace import Trace
from oas.plots.fair.ledger_chart import LedgerColumn, LedgerLine, LedgerPanel
from oas.plots.lanes import frame_of
from oas.problems.fair.runs import schedule_from_starts
from oas.show.gantt import inline_gantt
from tests.plots.coallocation.test_saturation_price_chart import FORBID, PLAIN, SaturationPoint, point
from tests.plots.coallocation.test_slot_sizes import OPEN
from tests.plots.mosp.test_placement import CURVE
from tests.plots.mosp.test_price import STUDY

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
COLUMN = LedgerColumn(NAME, NAME, {NAME: LedgerPanel(NAME, MANY)})
PRICE = [replace(STUDY[0], ends={NAME: F(1), "O": F(2)})]

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
    "saturation_price_chart": lambda: plots.saturation_price_chart(
        SaturationPoint(PLAIN, FORBID, None, PLAIN), [point(1, 24, 24)], **SAID
    ),
    "schedule_figure": lambda: plots.schedule_figure(SHARED, ALONE, title=NAME, unit=NAME, lower_bound=3),
    "slot_size_figure": lambda: plots.slot_size_figure(OPEN, title=NAME, unit=NAME),
    "trace_chart": lambda: plots.trace_chart(Trace(), **SAID),
    "utilisation_chart": lambda: plots.utilisation_chart(SHARED, {NAME: ALONE, "other": ALONE}, unit=NAME),
    "profile_chart": lambda: profile_chart({NAME: [(1, F(1))]}, ratio=NAME, heading=NAME),
    "proof_chart": lambda: proof_chart({NAME: [(1, F(1))]}, limit=2.0, heading=NAME),
}


def test_every_chart_is_here():
    assert set(plots.__all__) - {"save_figure"} <= set(CHARTS)


@pytest.mark.parametrize("name", CHARTS)
def test_names_are_no_formulas(name):
    chart = CHARTS[name]()
    figure = chart.get_figure(root=True)
    FigureCanvasAgg(figure).draw()
    texts = [text for text in figure.findobj(Text) if NAME.removeprefix("_") in text.get_text()]
    assert texts and not any(text.get_parse_math() or text.get_usetex() for text in texts)


def test_a_notebook_draws_names_too():
    assert frame_of(SHARED).clusters[0][0] == NAME and "<svg" in inline_gantt(SHARED, ALONE)
