"""Some of many values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def spread(values: Sequence[int], count: int) -> list[int]:
    """Return so many of the values, evenly spread, the first and the last among them; all if they are no more.

    Parameters
    ----------
    count
        At least 2.
    """
    if len(values) <= count:
        return list(values)
    return [values[index * (len(values) - 1) // (count - 1)] for index in range(count)]
