"""The loop of `oas.io.logs.swf_kernels`, compiled."""

from __future__ import annotations

from oas.core.compiling import compiled_names
from oas.io.logs import swf_kernels

globals().update(compiled_names(globals(), swf_kernels, entries=("plain_lines",)))
