"""The loops of `heuristics.mosp.search.ruin_recreate_kernels`, compiled."""

from __future__ import annotations

from heuristics.mosp.search import ruin_recreate_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        ruin_recreate_kernels,
        entries=(
            "anneal",
            "rebuild",
        ),
    )
)
