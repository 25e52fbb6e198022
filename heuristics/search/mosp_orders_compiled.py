"""The loops of `heuristics.search.mosp_orders_kernels`, and those they call, compiled."""

from __future__ import annotations

from heuristics.mosp.capacity import kernels
from heuristics.search import mosp_orders_kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), kernels, mosp_orders_kernels))
