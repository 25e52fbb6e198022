"""Charts specific to fair sharing, and the style of its Gantt charts: owners by colour, and the horizon."""

from __future__ import annotations

from oas.plots.lanes import ChartStyle

STYLE = ChartStyle("oas.fair.plots.charts:SharersLook")
