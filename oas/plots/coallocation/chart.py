"""The Gantt chart style of co-allocation."""

from __future__ import annotations

from oas.plots.chart_style import ChartStyle
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

STYLE = ChartStyle(
    "oas.plots.coallocation.slowed_style:look",
    figure="oas.plots.coallocation.schedule_chart:with_links",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)
