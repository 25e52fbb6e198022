"""The loops of `heuristics.coallocation.search.beam_kernels`, compiled."""

from __future__ import annotations

from heuristics.coallocation.search import beam_kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), beam_kernels, entries=("go_on",)))
