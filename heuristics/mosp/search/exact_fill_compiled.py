"""The loops of `heuristics.mosp.search.exact_fill_kernels`, and those they call, compiled."""

from __future__ import annotations

from heuristics.mosp.search import exact_fill_kernels, filling_kernels, ruin_recreate_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        ruin_recreate_kernels,
        filling_kernels,
        exact_fill_kernels,
        entries=("sweep_exactly",),
    )
)
