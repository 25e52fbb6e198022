"""The high-jobs bound: of jobs higher than half a cluster one runs at a time, of those higher than a third two, …."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.volume import Volumes

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance


def high_jobs(instance: MospInstance) -> Fraction:
    """Return the greatest bound from counting jobs: c free processors take at most ⌊c/w⌋ jobs of w or more.

    f(q) = ⌊q/w⌋ for each width w of a job; a job of twice the width counts twice.
    """
    volumes = Volumes(instance)
    return volumes.bound(_fitting, volumes.widths)


def _fitting(unit: Any, width: Any) -> Any:
    return width // unit


BOUND = LowerBound("high jobs", high_jobs)
