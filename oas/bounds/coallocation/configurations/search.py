"""What the worker is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.problems.coallocation.ticks import ScaledCoallocation


@dataclass(frozen=True)
class Search:
    """Bound this from below; stop once `upper` ticks are reached; look for so many other weights of the root."""

    scaled: ScaledCoallocation
    upper: int
    alternatives: int = 0
