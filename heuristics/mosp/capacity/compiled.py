"""The loops of `heuristics.mosp.capacity.kernels`, compiled."""

from __future__ import annotations

from heuristics.mosp.capacity import kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        kernels,
        entries=(
            "occupy",
            "occupy_all",
            "earliest_of",
            "list_schedule",
            "easy",
            "conservative",
        ),
    )
)
