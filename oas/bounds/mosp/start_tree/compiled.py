"""The loops of `oas.bounds.mosp.start_tree.kernels`, compiled."""

from __future__ import annotations

from oas.bounds.mosp.start_tree import kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), kernels, entries=("begin", "search")))
