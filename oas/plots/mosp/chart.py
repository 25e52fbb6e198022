"""The Gantt chart style of MOSP."""

from __future__ import annotations

from oas.plots.chart_style import ChartStyle
from oas.plots.mosp.reservations import reserved_boxes

STYLE = ChartStyle("oas.plots.mosp.style:OrganizationsLook", reserved=reserved_boxes)
