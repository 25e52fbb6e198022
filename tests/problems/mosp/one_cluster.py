"""The optima of the tiny instances of one cluster with reservations and releases, and these instances."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import alone
from oas.problems.mosp.ticks import coarsened

if TYPE_CHECKING:
    from fractions import Fraction as F

__all__ = ["alone", "optimum", "unit"]


@cache
def optimum(seed: int) -> int:
    """In units."""
    found = brute_force(alone(seed))[0] / unit(seed)
    assert found.denominator == 1
    return int(found)


def unit(seed: int) -> F:
    return coarsened(alone(seed).scaled())[0].tick
