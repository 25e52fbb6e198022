"""Shifts of blocks in time that leave a cluster's capacity kept, in integers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oas.problems.rigid import usage_over_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Block = tuple[int, int, int]  # start, end, processors


def clear_shifts(
    moving: Iterable[Block], fixed: Iterable[Block], processors: int, first: int, last: int
) -> list[tuple[int, int]]:
    """Return the shifts at which blocks that move together fit beside others.

    A step [a, b) of what moves and a step [c, e) of what is fixed that are together too wide overlap exactly at the
    shifts d with a + d < e and c < b + d. All other shifts are clear.

    Parameters
    ----------
    moving, fixed
        Start, end and processors of each block; either alone keeps within `processors`.
    first, last
        The least and greatest shift that counts.

    Returns
    -------
    list
        Ranges of shifts, each as its first and last, ascending.
    """
    standing = _steps(fixed)
    taken = [
        (c - b + 1, e - a - 1) for a, b, width in _steps(moving) for c, e, held in standing if width + held > processors
    ]
    clear = []
    next_free = first
    for low, high in sorted(taken):
        if low > next_free:
            clear.append((next_free, min(low - 1, last)))
        next_free = max(next_free, high + 1)
        if next_free > last:
            return clear
    return [*clear, (next_free, last)] if next_free <= last else clear


def _steps(blocks: Any) -> Sequence[Block]:
    """Return start, end and processors held of each stretch of time in which some are."""
    usage: Any = usage_over_time(blocks)  # as good in ticks as in time
    return [(start, end, held) for (start, held), (end, _) in pairwise(usage) if held]
