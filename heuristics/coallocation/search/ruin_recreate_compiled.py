"""The loops of `heuristics.coallocation.search.ruin_recreate_kernels`, compiled."""

from __future__ import annotations

from heuristics.coallocation.search import ruin_recreate_kernels, ruin_recreate_placing
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        ruin_recreate_placing,
        ruin_recreate_kernels,
        entries=(
            "anneal",
            "rebuild",
        ),
    )
)
