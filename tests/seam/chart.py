"""Machines are drawn plainly."""

from oas.plots.chart_style import ChartStyle

STYLE = ChartStyle()
