"""What the worker is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.scaled_mosp import ScaledMosp


@dataclass(frozen=True)
class Search:
    """Refute makespans from `lower` up to below `upper`, in ticks."""

    scaled: ScaledMosp
    lower: int
    upper: int
