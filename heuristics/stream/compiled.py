"""The loops of `heuristics.stream`, compiled."""

from __future__ import annotations

from heuristics.stream import policy_kernels, profile_kernels
from oas.core.compiling import compiled_names

globals().update(
    compiled_names(globals(), profile_kernels, policy_kernels, entries=("fill", "conservative", "strict", "overtaking"))
)
