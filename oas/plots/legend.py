"""The legend above a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from oas.plots.axes import format_number
from oas.plots.palette import BOUND

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.artist import Artist

BOUND_LINE: dict[str, Any] = {"color": BOUND, "linewidth": 1.6, "linestyle": (0, (3, 2))}
_LETTER, _HANDLE = 4.6, 37.0  # points, at the size of a legend's text


def bound_entry(bound: Fraction) -> Line2D:
    """Return the legend's entry for the line of a lower bound."""
    return Line2D([], [], **BOUND_LINE, label=f"lower bound {format_number(bound)}")


def legend_width(entries: Sequence[Artist], columns: int) -> float:
    """Return about how wide a legend is, in points, whose entries run down `columns` columns."""
    widths = [_HANDLE + _LETTER * len(str(entry.get_label())) for entry in entries]
    rows, longer = divmod(len(widths), columns)
    total = 0.0
    for column in range(columns):
        first = column * rows + min(column, longer)
        total += max(widths[first : first + rows + (column < longer)])
    return total


def legend_columns(entries: Sequence[Artist], room: float = 660.0) -> int:
    """Return in how many columns `entries` fit a width of `room` points, in rows as even as can be; at least one."""
    most = next((count for count in range(len(entries), 1, -1) if legend_width(entries, count) <= room), 1)
    rows = max(1, -(-len(entries) // most))
    return max(1, -(-len(entries) // rows))


def legend_rows(entries: Sequence[Artist]) -> int:
    """Return how many rows these columns have."""
    return -(-len(entries) // legend_columns(entries))
