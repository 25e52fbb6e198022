"""The loops of `heuristics.search.mosp_orders_kernels`, compiled."""

from __future__ import annotations

from heuristics.search import mosp_orders_kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), mosp_orders_kernels))
