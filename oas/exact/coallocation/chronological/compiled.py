"""The loops of `oas.exact.coallocation.chronological.kernels`, compiled."""

from __future__ import annotations

from oas.core.compiling import compiled_names
from oas.exact.coallocation.chronological import kernels

globals().update(compiled_names(globals(), kernels, entries=("search",)))
