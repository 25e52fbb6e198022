"""The loops of `heuristics.mosp.search.orders_kernels`, and those they call, compiled."""

from __future__ import annotations

from heuristics.mosp.capacity import kernels
from heuristics.mosp.search import orders_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        kernels,
        orders_kernels,
        entries=(
            "anneal_orders",
            "overhang",
            "keep",
        ),
    )
)
