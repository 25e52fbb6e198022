"""The Gantt chart style of co-allocation."""

from __future__ import annotations

from oas.plots.chart_style import ChartStyle
from oas.plots.coallocation.schedule_chart import with_links
from oas.plots.coallocation.slowed_style import look
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

STYLE = ChartStyle(look, figure=with_links, variants=(FORBID, SLOWDOWN, MAX_MIN))
