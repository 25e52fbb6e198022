"""Arrays that kernels work on, and the smallest instance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from oas.problems.mosp.ticks import ScaledMosp


def zeros(*shape: int) -> Any:
    """Return integers of this shape, all 0."""
    return np.zeros(shape, dtype=np.int64)


def numbers(values: Any) -> Any:
    """Return these integers as an array."""
    return np.array(values, dtype=np.int64)


def one_job(clusters: int = 1) -> ScaledMosp:
    """Return one job of one tick and one processor, on so many clusters of one processor each."""
    return ScaledMosp(Fraction(1), (1,) * clusters, (1,), (1,), (0,), (0,), (), (0,), (None,))
