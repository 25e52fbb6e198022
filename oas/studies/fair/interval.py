"""Confidence intervals of a mean by Student's t distribution, without a library of statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """The mean of a sample, and how far the mean of the distribution may be from it.

    Attributes
    ----------
    value
        The sample's mean, exact.
    margin
        Half the length of the confidence interval around it; None for a sample of one.
    least, most
        The smallest and the greatest of the sample.
    count
        Size of the sample.
    """

    value: Fraction
    margin: float | None
    least: Fraction
    most: Fraction
    count: int


def mean_of(sample: Sequence[Fraction | int], confidence: float = CONFIDENCE) -> Mean:
    """Return the mean of a sample with its t-interval, which is exact where the values are normally distributed.

    Raises
    ------
    InputError
        If the sample is empty.
    """
    if not sample:
        raise InputError("at least one value is needed", field="sample")
    values = [Fraction(one) for one in sample]
    count = len(values)
    middle = sum(values, Fraction(0)) / count
    margin = None
    if count > 1:
        variance = sum(((one - middle) ** 2 for one in values), Fraction(0)) / (count - 1)
        margin = student_quantile(count - 1, confidence) * math.sqrt(variance / count)
    return Mean(middle, margin, min(values), max(values), count)


@cache
def student_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Return t with P(|T| ≤ t) = confidence, for T with so many degrees of freedom, by bisection."""
    low, high = 0.0, 1.0
    while within_student(high, degrees) < confidence:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within_student(middle, degrees) < confidence else (low, middle)
    return high


def within_student(t: float, degrees: int) -> float:
    """Return P(|T| ≤ t) for a whole number of degrees of freedom, at least 1.

    Source: Abramowitz, Stegun, *Handbook of Mathematical Functions*, 26.7.3 and 26.7.4: finite sums in
    θ = arctan(t/√ν).
    """
    angle = math.atan2(t, math.sqrt(degrees))
    odd = degrees % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= power / (power + 1) * math.cos(angle) ** 2
    found = math.sin(angle) * total
    return 2 / math.pi * (angle + found) if odd else found
