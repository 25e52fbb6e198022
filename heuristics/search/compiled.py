"""The loops of `heuristics.search.kernels`, compiled."""

from __future__ import annotations

from heuristics.search import kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), kernels))
