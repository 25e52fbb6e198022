"""Numbers and names as written in figures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from oas.core.formats import plural, show_count
from oas.plots.axes import axis_power, format_number, scaled_formatter
from oas.plots.labels import drawable, shorten_middle


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (7, "7"),
        (4912968, "4,912,968"),
        (Fraction(37, 30), "1.23333"),
        (Fraction(1, 2), "0.5"),
        (Fraction(14738905, 3), "4,912,968.3"),
        (Fraction(1, 400), "0.0025"),
        (Fraction(-5, 2), "-2.5"),
        (10**12, "1·10¹²"),
        (1234567 * 10**10, "12.3457·10¹⁵"),
        (Fraction(1, 4000), "250·10⁻⁶"),
        (Fraction(1, 10**40), "100·10⁻⁴²"),
    ],
)
def test_format_number(value, text):
    assert format_number(Fraction(value)) == text


@pytest.mark.parametrize(
    ("largest", "power"), [(0.0, 0), (0.5, 0), (999_999.0, 0), (1e6, 6), (9.9e8, 6), (1e9, 9), (0.002, -3), (2e-7, -9)]
)
def test_axis_power(largest, power):
    assert axis_power(largest) == power


def test_ticks_are_grouped_and_scaled():
    assert scaled_formatter(0)(250000, 0) == "250,000"
    assert scaled_formatter(6, "·10⁶")(2500000, 0) == "2.5·10⁶"
    assert scaled_formatter(6, "·10⁶")(0, 0) == "0"


def test_long_names_keep_both_ends():
    assert shorten_middle("job-000123", 7) == "job…123"
    assert shorten_middle("short", 5) == "short"
    assert [len(shorten_middle("x" * 50, limit)) for limit in range(1, 50)] == list(range(1, 50))


def test_signs_the_font_lacks_become_question_marks():
    assert drawable("$a_b^ Γ ж <&>") == "$a_b^ Γ ж <&>"
    assert drawable("作1") == "?1"


def test_counts_take_the_form_that_goes_with_them() -> None:
    assert [show_count(number, "job") for number in (0, 1, 2, 1000)] == ["0 jobs", "1 job", "2 jobs", "1,000 jobs"]
    assert [show_count(number, "entry", "entries") for number in (1, 3)] == ["1 entry", "3 entries"]
    assert (plural(1, "node"), plural(5, "node")) == ("node", "nodes")
