"""The loops of `oas.core.promise_kernels`, compiled."""

from __future__ import annotations

from oas.core import promise_kernels
from oas.core.compiling import compiled_names

globals().update(compiled_names(globals(), promise_kernels, entries=("build", "in_turn", "sweep")))
