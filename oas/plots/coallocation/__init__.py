"""Charts of co-allocation, and the style of its Gantt charts."""

from __future__ import annotations

from oas.plots.lanes import ChartStyle
from oas.problems.registry import FORBID, MAX_MIN, SLOWDOWN

STYLE = ChartStyle(
    "oas.plots.coallocation.style:look",
    figure="oas.plots.coallocation.link_chart:with_links",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)
