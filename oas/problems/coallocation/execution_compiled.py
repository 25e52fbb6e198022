"""The loops of `oas.problems.coallocation.execution_kernels`, compiled."""

from __future__ import annotations

from oas.core.compiling import compiled_names
from oas.problems.coallocation import execution_kernels

globals().update(compiled_names(globals(), execution_kernels, entries=("run",)))
