"""Heaps of the ends of jobs that run, one heap a coalition: plain functions over arrays.

The heaps lie one after the other in an array of two columns: when a job ends, and whose it is with its processors, as
``width << 6 | organization``. A heap begins at row `base`; its least end comes first.
"""

from __future__ import annotations

from typing import Any

Numbers = Any  # an int64 array, or an array of Python integers

MOMENT, USE = range(2)  # columns
BITS, OWNER = 6, 63  # of USE


def rise(ends: Numbers, base: int, node: int, moment: int, use: int) -> None:
    """Put a job in at the free place `node`, the last one, and let it rise."""
    while node > 0:
        above = (node - 1) >> 1
        if ends[base + above, MOMENT] <= moment:
            break
        ends[base + node, MOMENT] = ends[base + above, MOMENT]
        ends[base + node, USE] = ends[base + above, USE]
        node = above
    ends[base + node, MOMENT] = moment
    ends[base + node, USE] = use


def sink(ends: Numbers, base: int, size: int, moment: int, use: int) -> None:
    """Put a job in at the first place, which is free, of a heap that has `size` places then, and let it sink."""
    node = 0
    while 2 * node + 1 < size:
        below = 2 * node + 1
        if below + 1 < size and ends[base + below + 1, MOMENT] < ends[base + below, MOMENT]:
            below += 1
        if ends[base + below, MOMENT] >= moment:
            break
        ends[base + node, MOMENT] = ends[base + below, MOMENT]
        ends[base + node, USE] = ends[base + below, USE]
        node = below
    ends[base + node, MOMENT] = moment
    ends[base + node, USE] = use


def alone(ends: Numbers, base: int, size: int) -> bool:
    """Tell whether no other job ends when the first one does."""
    moment = ends[base, MOMENT]
    return (size < 2 or ends[base + 1, MOMENT] > moment) and (size < 3 or ends[base + 2, MOMENT] > moment)
