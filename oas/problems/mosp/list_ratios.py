"""Bounds on the ratio of list schedules under reservations, as functions of α (figure 4 of the reservations paper).

α is the share of a cluster's processors that is always free, and that no job exceeds. Source: Eyraud-Dubois, Mounié,
Trystram, *Analysis of Scheduling Algorithms with Reservations*, IPDPS 2007, section 4.2.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact


def share(alpha: Exact) -> Fraction:
    """Return α as a Fraction.

    Raises
    ------
    InputError
        If it is not above 0, or above 1.
    """
    found = exact(alpha, "alpha")
    if not 0 < found <= 1:
        raise InputError("must be above 0 and at most 1", field="alpha", value=str(found))
    return found


def attained(alpha: Fraction) -> Fraction:
    """Return B₁, which some list schedule attains: ⌈2/α⌉ - 1 + 1/N, N as `short_jobs`.

    Where 2/α is an integer, that is 2/α - 1 + α/2, of Proposition 2. The abstract's 2/α - 1 leaves out the last term.
    """
    return ceil(2 / alpha) - 1 + Fraction(1, short_jobs(alpha))


def short_jobs(alpha: Fraction) -> int:
    """Return N = ⌊(1 - α/2) / (1 - (α/2)(⌈2/α⌉ - 1))⌋ + 1, one more than fit beside a job of αm/2 processors."""
    half = alpha / 2
    return floor((1 - half) / (1 - half * (ceil(2 / alpha) - 1))) + 1


def attained_at_least(alpha: Fraction) -> Fraction:
    """Return B₂ = ⌈2/α⌉ - (⌈2/α⌉ - 1) · α/2, at most B₁, and B₁ where 2/α is an integer."""
    whole = ceil(2 / alpha)
    return whole - (whole - 1) * alpha / 2


def proved(alpha: Fraction) -> Fraction:
    """Return 2/α, which no list schedule exceeds (Proposition 3)."""
    return 2 / alpha
