"""Piecewise linear bounds against the same functions place by place, and clear shifts against every moment."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oas.studies.reservations.pieces import Piece, at_most, gaps, least, lowered, pairs, raised
from oas.studies.reservations.shifts import clear_shifts

RANGES = [(0, 6), (9, 20)]  # with places between that no function is defined at
NEW = st.builds(
    lambda first, length, value, slope: Piece(first, first + length, value, slope),
    st.integers(0, 20),
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(0, 3),
)


def values(pieces):
    """The value at each place, each of them in one piece only."""
    found = {}
    for piece in pieces:
        for place in range(piece.first, piece.last + 1):
            assert place not in found
            found[place] = piece.at(place)
    return found


def after(pieces, improve, better):
    """What pieces make of a constant, and the same place by place."""
    function = [Piece(first, last, 6) for first, last in RANGES]
    truth = values(function)
    for new in pieces:
        function = improve(function, new)
        for place in range(new.first, new.last + 1):
            if place in truth:
                truth[place] = better(truth[place], new.at(place))
    assert values(function) == truth
    return function, truth


@given(st.lists(NEW, max_size=8), st.integers(-1, 15))
def test_lowered_and_its_least_value(news, limit):
    function, truth = after(news, lowered, min)
    assert least(function) == min((value, place) for place, value in truth.items())
    held = {place for piece in function if (part := at_most(piece, limit)) for place in values([part])}
    assert held == {place for place, value in truth.items() if value <= limit}


@given(st.lists(NEW, max_size=8))
def test_raised(news):
    after(news, raised, max)


@given(st.lists(NEW, max_size=5), st.lists(NEW, max_size=5))
def test_gaps_and_pairs_of_two_functions(news, others):
    upper, _ = after(news, lowered, min)
    lower, _ = after(others, lowered, min)
    bounds = [Piece(one.first, one.last, max(0, one.value - 3), 0) for one in lower]
    low, high = values(bounds), values(upper)
    known = {place: min(low[place], high[place]) for place in high}
    below = [Piece(place, place, value) for place, value in known.items()]
    seen = {place for first, last in gaps(below, upper) for place in range(first, last + 1)}
    assert seen == {place for place in high if known[place] < high[place]}
    parts = list(pairs(below, upper))
    assert values(part for part, _ in parts) == known and values(part for _, part in parts) == high


def test_what_goes_on_in_a_line_is_one_piece():
    rising = lowered([Piece(0, 9, 50)], Piece(0, 4, 3, 1))
    assert lowered(rising, Piece(5, 9, 8, 1)) == [Piece(0, 9, 3, 1)]
    assert list(pairs([Piece(0, 3, 1), Piece(4, 9, 1)], [Piece(0, 9, 1)])) == [(Piece(0, 9, 1), Piece(0, 9, 1))]


BLOCK = st.builds(
    lambda start, length, width: (start, start + length, width),
    st.integers(0, 12),
    st.integers(1, 5),
    st.integers(1, 2),
)


@given(st.lists(BLOCK, min_size=1, max_size=3), st.lists(BLOCK, max_size=4), st.integers(-6, 0), st.integers(0, 12))
def test_clear_shifts_are_those_at_which_no_moment_holds_too_much(moving, fixed, first, last):
    size = max(_most(moving, 0, []), _most([], 0, fixed)) + 1
    found = clear_shifts(moving, fixed, size, first, last)
    assert [shift for low, high in found for shift in range(low, high + 1)] == [
        shift for shift in range(first, last + 1) if _most(moving, shift, fixed) <= size
    ]


def _most(moving, shift, fixed):
    """The most that blocks hold at once when some are shifted."""
    blocks = [*((start + shift, end + shift, width) for start, end, width in moving), *fixed]
    return max(
        (sum(width for start, end, width in blocks if start <= moment < end) for moment in range(-10, 40)), default=0
    )
