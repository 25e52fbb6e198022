"""The loops of `oas.exact.chronological.kernels`, compiled."""

from __future__ import annotations

from oas.core.compiling import compiled_names
from oas.exact.chronological import kernels

globals().update(compiled_names(globals(), kernels))
