"""The loops of `heuristics.search.coallocation_ruin_kernels`, compiled."""

from __future__ import annotations

from heuristics.search import coallocation_ruin_kernels, coallocation_ruin_placing
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), coallocation_ruin_placing, coallocation_ruin_kernels))
