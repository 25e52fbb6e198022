"""The loops of `heuristics.fair.second`, compiled."""

from __future__ import annotations

from heuristics.fair.second import kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), kernels, entries=("proceed",)))
