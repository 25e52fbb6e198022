"""The loops of `oas.bounds.coallocation.configurations.kernels`, compiled."""

from __future__ import annotations

from oas.bounds.coallocation.configurations import kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), kernels, entries=("split",)))
