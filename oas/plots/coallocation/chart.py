"""The Gantt chart style of co-allocation."""

from __future__ import annotations

from oas.plots.chart_style import ChartStyle
from oas.plots.coallocation.schedule_chart import with_links
from oas.plots.coallocation.style import CoallocationLook

STYLE = ChartStyle(CoallocationLook, figure=with_links)
