"""The loops of `heuristics.coallocation.search.annealing_kernels`, compiled."""

from __future__ import annotations

from heuristics.coallocation.search import annealing_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(
        globals(),
        annealing_kernels,
        entries=(
            "anneal",
            "place_job",
        ),
    )
)
