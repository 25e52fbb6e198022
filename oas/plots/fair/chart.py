"""The Gantt chart style of fair sharing: owners by colour, and the horizon."""

from __future__ import annotations

from oas.plots.chart_style import ChartStyle

STYLE = ChartStyle("oas.plots.fair.style:SharersLook")
