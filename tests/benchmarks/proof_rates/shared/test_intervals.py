"""Wilson's interval against published figures and against what defines it."""

from __future__ import annotations

from math import sqrt

import pytest

from benchmarks.proof_rates.shared.intervals import Z95, interval_text, wilson


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(successes: int, total: int, low: float, high: float) -> None:
    assert wilson(successes, total) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


@pytest.mark.parametrize(("successes", "total"), [(1, 12), (6, 12), (55, 72), (131, 144)])
def test_at_its_ends_the_share_is_just_as_far_off_as_chance_allows(successes: int, total: int) -> None:
    for end in wilson(successes, total):
        assert abs(successes / total - end) == pytest.approx(Z95 * sqrt(end * (1 - end) / total))


def test_none_and_all_have_an_end_of_their_own() -> None:
    assert wilson(0, 7)[0] == 0.0 and wilson(7, 7)[1] == 1.0
    assert wilson(0, 7)[1] == pytest.approx(1 - wilson(7, 7)[0])


@pytest.mark.parametrize(("successes", "total"), [(1, 0), (0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(successes: int, total: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} of {total} is no share"):
        wilson(successes, total)


def test_it_is_written_in_percent() -> None:
    assert interval_text(9, 10) == "59.6 to 98.2 %"
    assert interval_text(0, 0) == "–"
