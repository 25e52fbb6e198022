"""The loops of `oas.bounds.mosp.set_tree.kernels`, compiled."""

from __future__ import annotations

from oas.bounds.mosp.cluster_sets import kernels as sets
from oas.bounds.mosp.cluster_sets import windows
from oas.bounds.mosp.set_tree import kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), windows, sets, kernels, entries=("heaviest_items", "pack")))
