"""A kernel that is compiled within a second, for tests."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel

FACTOR = 3


class Sums(NamedTuple):
    """What `add_up` changes."""

    total: Any
    share: Any


def times(value):
    """Return the value as it counts."""
    return FACTOR * value


@kernel
def add_up(values, sums, rounds):
    """Add up the values so many times; return the last total."""
    for _ in range(rounds):
        for place in range(len(values)):
            sums.total[0] += times(values[place])
        sums.share[0] += 0.5
    return sums.total[0], sums.total[0] > 0


@short_kernel
def first(values):
    """Return the first value."""
    return values[0]


@kernel
def never_compiled(values):
    """Return what numba cannot compile."""
    return len({one: str(one) for one in values})
