"""Charts of MOSP, and the style of its Gantt charts."""

from __future__ import annotations

from oas.plots.lanes import ChartStyle
from oas.plots.mosp.reservations import reserved_boxes

STYLE = ChartStyle("oas.plots.mosp.style:OrganizationsLook", reserved=reserved_boxes)
