"""The key above a chart."""

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
_LETTER, _HANDLE = 4.8, 38.0  # points, at the size of a key's text


def bound_key(bound: Fraction) -> Line2D:
    """Return the key's entry for the line of a lower bound."""
    return Line2D([], [], **BOUND_LINE, label=f"lower bound {format_number(bound)}")


def key_width(keys: Sequence[Artist]) -> float:
    """Return about how wide the widest entry is, in points."""
    return max((_HANDLE + _LETTER * len(str(key.get_label())) for key in keys), default=0.0)


def key_columns(keys: Sequence[Artist], room: float = 640.0) -> int:
    """Return in how many columns `keys` fit a width of `room` points."""
    return max(1, min(len(keys), int(room // max(1.0, key_width(keys)))))
