"""What the worker is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance


@dataclass(frozen=True)
class Search:
    """Bound this from below; stop once `upper` ticks are reached."""

    instance: MospInstance
    upper: int
