"""The figure of the ratios of list scheduling over α, and the functions that it draws."""

from __future__ import annotations

from fractions import Fraction as F
from math import ceil

import pytest

from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.generate.mosp.worst_cases import WORST_CASES
from oas.plots import list_ratio_chart
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.list_ratios import attained, attained_at_least, proved

RATIONALS = sorted({F(p, q) for q in range(1, 110) for p in range(1, q + 1)})


def test_the_bounds_stand_in_their_order() -> None:
    """B₁ ≥ B₂, equal exactly where 2/α is an integer; both are at most 2/α."""
    for alpha in RATIONALS:
        assert attained_at_least(alpha) <= attained(alpha) <= proved(alpha)
        whole = (2 / alpha).denominator == 1
        assert (attained_at_least(alpha) == attained(alpha)) == whole
        if whole:
            assert attained(alpha) == 2 / alpha - 1 + alpha / 2
    assert len(RATIONALS) > 3000


def test_bounds_as_printed() -> None:
    """The formulas of section 4.2, written out; figure 4 at α = 1/2: 4, 3.25."""
    for alpha in RATIONALS[::37]:
        half, whole = alpha / 2, ceil(2 / alpha)
        inner = (1 - half) / (1 - half * (whole - 1))
        assert attained(alpha) == whole - 1 + 1 / F(int(inner) + 1)
        assert attained_at_least(alpha) == whole - (whole - 1) / (2 / alpha)
    assert (proved(F(1, 2)), attained(F(1, 2))) == (4, F(13, 4))


@pytest.mark.parametrize("alpha", [one for one in RATIONALS if one > F(1, 9) and one.denominator < 30][::19])
def test_list_scheduling_attains_b1(alpha: F) -> None:
    """On the instance made for α, of which the optimum is 1."""
    instance = WORST_CASES["tight-lsrc-alpha"].function(alpha=alpha)
    assert find_method("LSRC(FCFS)", MospInstance)(instance).makespan == attained(alpha)


def test_curves_and_points_are_what_they_say() -> None:
    axes = list_ratio_chart({"1/2": "13/4", F(2, 3): F(7, 3), 1: "3/2"}, heading="$H$")
    above, first, second, points = axes.lines
    for line, curve in ((above, proved), (first, attained), (second, attained_at_least)):
        places, heights = line.get_xdata(), line.get_ydata()
        assert (places[0], places[-1], len(places)) == (0.2, 1, 801)
        assert list(heights[::100]) == [float(curve(F(index, 1000))) for index in range(200, 1001, 100)]
    assert list(zip(points.get_xdata(), points.get_ydata(), strict=True)) == [(0.5, 3.25), (2 / 3, 7 / 3), (1, 1.5)]
    assert axes.get_title(loc="left") == "$H$"
    assert len(axes.get_legend().get_texts()) == 4


@pytest.mark.parametrize(
    ("points", "field"), [({0: 1}, "alpha"), ({"3/2": 1}, "alpha"), ({1: "1/2"}, "points"), ({1: 1.3}, "points")]
)
def test_what_is_no_point_is_refused(points: dict[object, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        list_ratio_chart(points)  # type: ignore[arg-type]
    assert caught.value.field == field
