"""The loops of `heuristics.mosp.search.pool_beam_kernels`, and the one they call, compiled."""

from __future__ import annotations

from heuristics.mosp.search import pool_beam_kernels, ruin_recreate_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        ruin_recreate_kernels,
        pool_beam_kernels,
        entries=(
            "begin",
            "sweep",
            "unfinished",
            "best_row",
        ),
    )
)
