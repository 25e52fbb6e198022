"""Charts of co-allocation, and the style of its Gantt charts."""

from __future__ import annotations

from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN
from oas.plots.lanes import ChartStyle

STYLE = ChartStyle(
    "oas.coallocation.plots.style:look",
    figure="oas.coallocation.plots.link_chart:with_links",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)
