"""Machines are drawn plainly."""

from oas.plots.lanes import ChartStyle

STYLE = ChartStyle()
