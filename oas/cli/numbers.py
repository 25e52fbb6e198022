"""How tables show numbers, as everywhere (`oas.core.numbers`)."""

from __future__ import annotations

from oas.core.numbers import (
    MISSING,
    show_exact,
    show_factor,
    show_percent,
    show_ratio,
    show_seconds,
    show_slots,
    show_time,
)

__all__ = [
    "MISSING",
    "show_exact",
    "show_factor",
    "show_percent",
    "show_ratio",
    "show_seconds",
    "show_slots",
    "show_time",
]
