"""Piecewise linear functions of the place of a start, in integers: bounds on the optimum that solves improve."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import gt, lt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


@dataclass(frozen=True)
class Piece:
    """A linear function on the places `first` to `last`, both included."""

    # first, last: places
    first: int
    last: int
    value: int  # at `first`
    slope: int = 0  # what it grows by from one place to the next; never negative

    def at(self, place: int) -> int:
        """Return the value at a place."""
        return self.value + self.slope * (place - self.first)

    @property
    def end(self) -> int:
        """The value at `last`."""
        return self.at(self.last)

    def part(self, first: int, last: int) -> Piece | None:
        """Return what of it lies between two places; None if nothing does."""
        first, last = max(first, self.first), min(last, self.last)
        return Piece(first, last, self.at(first), self.slope) if first <= last else None


def lowered(pieces: Sequence[Piece], new: Piece) -> list[Piece]:
    """Return the lesser of a function and a piece where both are defined; elsewhere the function."""
    return _bettered(pieces, new, lt)


def raised(pieces: Sequence[Piece], new: Piece) -> list[Piece]:
    """Return the greater of a function and a piece where both are defined; elsewhere the function."""
    return _bettered(pieces, new, gt)


def least(pieces: Sequence[Piece]) -> tuple[int, int]:
    """Return the least value of a function and the first place that has it."""
    return min((piece.value, piece.first) for piece in pieces)


def at_most(piece: Piece, value: int) -> Piece | None:
    """Return the part of a piece, from its first place on, where it is at most `value`; None if it is nowhere."""
    if piece.value > value:
        return None
    return piece if piece.slope == 0 else piece.part(piece.first, piece.first + (value - piece.value) // piece.slope)


def pairs(lower: Sequence[Piece], upper: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Yield the parts of two functions of the same places within which neither has a break that counts.

    None counts where both go on in the same line.
    """
    last_pair: tuple[Piece, Piece] | None = None
    for low, high in _pairs(lower, upper):
        lows, highs = last_pair and _in_line(last_pair[0], low), last_pair and _in_line(last_pair[1], high)
        if lows and highs:
            last_pair = lows, highs
        else:
            if last_pair:
                yield last_pair
            last_pair = low, high
    if last_pair:
        yield last_pair


def _pairs(lower: Sequence[Piece], upper: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    places = sorted({piece.first for piece in (*lower, *upper)})
    ends = sorted(piece.last for piece in (*lower, *upper))
    below, above = iter(lower), iter(upper)
    low, high = next(below), next(above)
    for first in places:
        low, high = low if first <= low.last else next(below), high if first <= high.last else next(above)
        last = ends[bisect_left(ends, first)]
        low_part, high_part = low.part(first, last), high.part(first, last)
        assert low_part is not None and high_part is not None
        yield low_part, high_part


def gaps(lower: Sequence[Piece], upper: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return the ranges of places at which `lower` is below `upper`, as first and last place."""
    found = (
        _where(low.first, low.last, lambda place, low=low, high=high: low.at(place) < high.at(place))  # type: ignore[misc]
        for low, high in pairs(lower, upper)
    )
    return joined(filter(None, found))


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ascending ranges of places with those in one where no place is between them."""
    found: list[tuple[int, int]] = []
    for first, last in ranges:
        if found and found[-1][1] + 1 == first:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _bettered(pieces: Sequence[Piece], new: Piece, better: Callable[[int, int], bool]) -> list[Piece]:
    found: list[Piece] = []
    for old in pieces:
        here = new.part(old.first, old.last)
        if here is None:
            _append(found, old)
            continue
        won = _where(here.first, here.last, lambda place, old=old: better(new.at(place), old.at(place)))  # type: ignore[misc]
        first, last = won or (here.first, here.first - 1)
        for part in (old.part(old.first, first - 1), new.part(first, last), old.part(last + 1, old.last)):
            if part is not None:
                _append(found, part)
    return found


def _append(pieces: list[Piece], piece: Piece) -> None:
    """Append a piece, in one with the last where that goes on in the same line."""
    one = _in_line(pieces[-1], piece) if pieces else None
    if one:
        pieces[-1] = one
    else:
        pieces.append(piece)


def _in_line(before: Piece, after: Piece) -> Piece | None:
    """Return two pieces as one if they are next to one another on a line; a piece of one place is on any."""
    if before.last + 1 != after.first:
        return None
    for slope in {before.slope, after.slope}:
        straight = all(one.slope == slope or one.first == one.last for one in (before, after))
        if straight and before.value + slope * (after.first - before.first) == after.value:
            return replace(before, last=after.last, slope=slope)
    return None


def _where(first: int, last: int, holds: Callable[[int], bool]) -> tuple[int, int] | None:
    """Return the places at which `holds`, which does so up to some place, or from some place on; None if nowhere."""
    at_first, at_last = holds(first), holds(last)
    if at_first and at_last:
        return first, last
    if not (at_first or at_last):
        return None
    switch = bisect_left(range(first, last + 1), True, key=lambda place: holds(place) is at_last) + first
    return (first, switch - 1) if at_first else (switch, last)
