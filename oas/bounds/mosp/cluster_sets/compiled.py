"""The loops of `oas.bounds.mosp.cluster_sets.kernels`, compiled."""

from __future__ import annotations

from oas.bounds.mosp.cluster_sets import kernels, windows
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), windows, kernels, entries=("heaviest",)))
