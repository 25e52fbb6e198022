"""The loops of `oas.exact.coallocation.saturated.grid_kernels`, compiled."""

from __future__ import annotations

from oas.core.compiling import compiled_names
from oas.exact.coallocation.saturated import grid_kernels

globals().update(compiled_names(globals(), grid_kernels, entries=("search",)))
