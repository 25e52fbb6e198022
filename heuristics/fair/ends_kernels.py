"""Heaps of the ends of jobs that run, one heap a coalition: plain functions over arrays.

The heaps lie one after the other in two arrays: when a job ends, and whose it is with its processors, as
``width << 6 | organization``. A heap begins at `base`; its least end comes first.
"""

from __future__ import annotations

from typing import Any

Numbers = Any  # an int64 array, or an array of Python integers

BITS, OWNER = 6, 63  # of what `uses` holds


def rise(ends: Numbers, uses: Numbers, base: int, node: int, moment: int, use: int) -> None:
    """Put a job in at the free place `node`, the last one, and let it rise."""
    while node > 0:
        above = (node - 1) >> 1
        if ends[base + above] <= moment:
            break
        ends[base + node] = ends[base + above]
        uses[base + node] = uses[base + above]
        node = above
    ends[base + node] = moment
    uses[base + node] = use


def sink(ends: Numbers, uses: Numbers, base: int, size: int, moment: int, use: int) -> None:
    """Put a job in at the first place, which is free, of a heap that has `size` places then, and let it sink."""
    node = 0
    while 2 * node + 1 < size:
        below = 2 * node + 1
        if below + 1 < size and ends[base + below + 1] < ends[base + below]:
            below += 1
        if ends[base + below] >= moment:
            break
        ends[base + node] = ends[base + below]
        uses[base + node] = uses[base + below]
        node = below
    ends[base + node] = moment
    uses[base + node] = use


def alone(ends: Numbers, base: int, size: int) -> bool:
    """Tell whether no other job ends when the first one does."""
    moment = ends[base]
    return (size < 2 or ends[base + 1] > moment) and (size < 3 or ends[base + 2] > moment)
