"""The loops of `heuristics.fair.coalitions`, compiled."""

from __future__ import annotations

from heuristics.fair.coalitions import ends_kernels, kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), ends_kernels, kernels, entries=("run",)))
