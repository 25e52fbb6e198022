"""Inner loops over free-capacity profiles: plain functions over sequences of integers.

They run as plain Python on lists or arrays, or compiled on arrays (`oas.core.compiling`).

A profile is a linked list of steps in a pool shared by all clusters: step i has ``free[i]`` free processors from
``moments[i]`` until the moment of step ``after[i]`` (-1: for ever), ``used[0]`` steps of the pool are taken. Step k is
the first one of cluster k, at moment 0. Steps are cut, never removed, so that a step once known remains a valid place
from which to walk on. Every search starts from such a step at or before the moment it asks about.
"""

from __future__ import annotations

from typing import Any

from oas.core.compiling import kernel, short_kernel

NEVER = 2**62  # later than any moment

Numbers = Any  # a list of int, or an int64 array


def step_at(moments: Numbers, after: Numbers, step: int, moment: int) -> int:
    """Return the step that `moment` lies in, walking from `step`."""
    following = after[step]
    while following >= 0 and moments[following] <= moment:
        step = following
        following = after[step]
    return step


def cut_step(moments: Numbers, free: Numbers, after: Numbers, used: Numbers, step: int, moment: int) -> int:
    """Cut `step` at `moment`, which lies inside it; return the second part."""
    new = used[0]
    used[0] = new + 1
    moments[new] = moment
    free[new] = free[step]
    after[new] = after[step]
    after[step] = new
    return new


@short_kernel
def occupy(
    moments: Numbers, free: Numbers, after: Numbers, used: Numbers, step: int, start: int, end: int, width: int
) -> int:
    """Take `width` processors from `start` to `end`; return the step at `start`."""
    step = step_at(moments, after, step, start)
    if moments[step] < start:
        step = cut_step(moments, free, after, used, step, start)
    first = step
    while True:
        following = after[step]
        if following < 0 or moments[following] > end:
            following = cut_step(moments, free, after, used, step, end)
        free[step] -= width
        if moments[following] == end:
            return first
        step = following


@kernel
def occupy_all(
    moments: Numbers,
    free: Numbers,
    after: Numbers,
    used: Numbers,
    steps: Numbers,
    clusters: Numbers,
    starts: Numbers,
    ends: Numbers,
    widths: Numbers,
) -> None:
    """Take processors for many runs, in the order of their starts; ``steps[k]`` is where to begin on cluster k."""
    for run in range(len(starts)):
        k = clusters[run]
        steps[k] = occupy(moments, free, after, used, steps[k], starts[run], ends[run], widths[run])


def earliest(
    moments: Numbers, free: Numbers, after: Numbers, step: int, ready: int, time: int, width: int, limit: int
) -> int:
    """Return the step of the earliest start ≥ `ready` of a run of `time` on `width` processors, or -1 if there is none.

    The start is the later of `ready` and the step's moment. Starts from `limit` on are of no interest: the first step
    reached there is returned untested.
    """
    first = step = step_at(moments, after, step, ready)
    start = ready
    while start < limit:
        if free[step] < width:
            first = step = after[step]
            if step < 0:
                return -1
            start = moments[step]
        else:
            step = after[step]
            if step < 0 or moments[step] >= start + time:
                return first
    return first


@short_kernel
def earliest_of(
    moments: Numbers,
    free: Numbers,
    after: Numbers,
    steps: Numbers,
    clusters: Numbers,
    ready: int,
    time: int,
    width: int,
) -> tuple[int, int]:
    """Return (cluster, start) of the earliest start on one of `clusters`, ties to the first; (-1, NEVER) for none.

    ``steps[k]`` is where to begin on cluster k.
    """
    best, least = -1, NEVER
    for k in clusters:
        found = earliest(moments, free, after, steps[k], ready, time, width, least)
        if found >= 0:
            start = max(ready, moments[found])
            if start < least:
                best, least = k, start
    return best, least
