"""Confidence intervals, held against an outside library's quantiles."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import pytest
from scipy.stats import t as student

from oas.core.errors import InputError
from oas.studies.fair.interval import mean_of, student_quantile, within_student


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_quantiles(confidence):
    for degrees in [*range(1, 31), 99, 1000]:
        expected = student.ppf((1 + confidence) / 2, degrees)
        assert student_quantile(degrees, confidence) == pytest.approx(expected, rel=1e-10)
        assert within_student(expected, degrees) == pytest.approx(confidence, rel=1e-10)
    assert student_quantile(10**5, confidence) == pytest.approx(NormalDist().inv_cdf((1 + confidence) / 2), rel=1e-4)


def test_the_mean_is_exact_and_its_interval_students():
    found = mean_of([1, 2, 4, Fraction(1, 3)])
    assert (found.value, found.count, found.least, found.most) == (Fraction(11, 6), 4, Fraction(1, 3), 4)
    spread = (sum((float(one) - 11 / 6) ** 2 for one in (1, 2, 4, 1 / 3)) / 3 / 4) ** 0.5
    assert found.margin == pytest.approx(3.182446305 * spread)
    assert mean_of([5, 5]).margin == 0 and mean_of([5]).margin is None
    with pytest.raises(InputError, match="sample"):
        mean_of([])
