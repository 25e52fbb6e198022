from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.problems.fair.splits import split_processors


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        ((17, 5, "uniform"), [4, 4, 3, 3, 3]),
        ((30, 5, "uniform"), [6, 6, 6, 6, 6]),
        ((30, 5, "zipf"), [13, 7, 4, 3, 3]),
        ((17, 5, "zipf"), [7, 4, 2, 2, 2]),
        ((12, 3, "zipf"), [7, 3, 2]),
        ((5, 5, "zipf"), [1, 1, 1, 1, 1]),
        ((7, 1, "zipf"), [7]),
    ],
)
def test_by_hand(arguments: tuple[int, int, str], sizes: list[int]) -> None:
    assert split_processors(*arguments) == sizes


@given(st.integers(1, 40), st.integers(0, 500), st.sampled_from(["uniform", "zipf"]))
def test_all_are_given_away_and_everyone_has_one(count: int, more: int, split: str) -> None:
    total = count + more
    sizes = split_processors(total, count, split)
    assert sum(sizes) == total and min(sizes) >= 1
    assert sizes == sorted(sizes, reverse=True)
    weights = [F(1, k if split == "zipf" else 1) for k in range(1, count + 1)]
    shares = [total * weight / sum(weights) for weight in weights]
    if min(shares) >= 1:
        assert all(abs(size - share) < 1 for size, share in zip(sizes, shares, strict=True))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((4, 5, "zipf"), "processors"),
        ((0, 1, "zipf"), "processors"),
        ((4, 0, "zipf"), "organizations"),
        ((4, 2, "zipff"), "machines"),
    ],
)
def test_what_is_refused(arguments: tuple[int, int, str], field: str) -> None:
    with pytest.raises(InputError) as caught:
        split_processors(*arguments)
    assert caught.value.field == field
