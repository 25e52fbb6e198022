"""Exact moments as integers, which are compared many times faster than fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

_LONGEST = 2**256  # of common denominators; beyond, arithmetic takes longer than comparing fractions does


def comparable(moments: Sequence[Fraction]) -> list[int]:
    """Return an integer for each moment; they are ordered as the moments are, and equal where those are.

    They count a common unit of the moments or, where that is too small, the distinct moments that are earlier.
    """
    unit = common_denominator(moments, _LONGEST)
    if unit == 1:
        return [moment.numerator for moment in moments]
    if unit <= _LONGEST:
        return [moment.numerator * (unit // moment.denominator) for moment in moments]
    ranks = {moment: rank for rank, moment in enumerate(sorted(set(moments)))}
    return [ranks[moment] for moment in moments]
