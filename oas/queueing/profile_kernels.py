"""Inner loops over the free processors of clusters from the current moment on: plain functions over arrays.

The profile of a cluster is a list of steps in blocks of up to `BLOCK`: step i of block b has
``free[b * BLOCK + i] - lent[b]`` free processors from ``moment[b * BLOCK + i]`` until the moment of the next step; the
last step never ends. Each block stores the minimum and maximum of its free processors, so a search can skip it. Blocks
in the past are dropped and reused, so the length of the profile depends on the planned jobs, not on the whole log.
"""

from __future__ import annotations

from typing import NamedTuple

from oas.core.compiling import short_kernel
from oas.core.shared_kernels import NEVER, Numbers, last_at_most

BLOCK = 64
SPARE, FRESH = range(2)  # entries of `Profile.places`


class Profile(NamedTuple):
    """Free processors of each cluster over time; all clusters share one pool of blocks."""

    # By step, `BLOCK` of them for each block
    moment: Numbers
    free: Numbers
    # By block: number of steps, next block (-1: none), cluster
    count: Numbers
    after: Numbers
    cluster: Numbers
    # By block: minimum and maximum of the free processors
    low: Numbers
    high: Numbers
    lent: Numbers  # by block: processors to be subtracted from `free` in all its steps
    first: Numbers  # by cluster: its first block
    places: Numbers  # the first dropped block (-1: none), and the first block never used


@short_kernel
def fill(profile: Profile, cluster: int, moments: Numbers, free: Numbers) -> None:
    """Write the profile of a cluster from its steps, in time order; blocks are left half empty."""
    half = BLOCK // 2
    first = profile.places[FRESH]
    blocks = (len(moments) + half - 1) // half
    for part in range(blocks):
        block = first + part
        profile.count[block] = min(half, len(moments) - part * half)
        for i in range(profile.count[block]):
            profile.moment[block * BLOCK + i] = moments[part * half + i]
            profile.free[block * BLOCK + i] = free[part * half + i]
        profile.lent[block] = 0
        profile.cluster[block] = cluster
        profile.after[block] = block + 1 if part + 1 < blocks else -1
        measure(profile, block)
    profile.first[cluster] = first
    profile.places[FRESH] = first + blocks


def measure(profile: Profile, block: int) -> None:
    """Compute the minimum and maximum of a block's free processors."""
    base = block * BLOCK
    low = high = profile.free[base]
    for place in range(base + 1, base + profile.count[block]):
        low = min(low, profile.free[place])
        high = max(high, profile.free[place])
    profile.low[block] = low - profile.lent[block]
    profile.high[block] = high - profile.lent[block]


def forget(profile: Profile, cluster: int, now: int) -> int:
    """Drop the blocks of a cluster that end by `now`; return the block that contains `now`."""
    block = profile.first[cluster]
    following = profile.after[block]
    while following >= 0 and profile.moment[following * BLOCK] <= now:
        profile.moment[block * BLOCK] = NEVER  # marks the block as unused for hints that refer to it
        profile.after[block] = profile.places[SPARE]
        profile.places[SPARE] = block
        block = following
        following = profile.after[block]
    profile.first[cluster] = block
    return block


def block_at(profile: Profile, block: int, moment: int) -> int:
    """Return the block that contains `moment`, searching forward from `block`."""
    following = profile.after[block]
    while following >= 0 and profile.moment[following * BLOCK] <= moment:
        block = following
        following = profile.after[block]
    return block


def step_at(profile: Profile, block: int, moment: int) -> int:
    """Return the step of `block` that contains `moment`."""
    return last_at_most(profile.moment, block * BLOCK, profile.count[block], moment)


def split(profile: Profile, block: int) -> None:
    """Move the second half of a block into a new block."""
    new = profile.places[SPARE]
    if new >= 0:
        profile.places[SPARE] = profile.after[new]
    else:
        new = profile.places[FRESH]
        profile.places[FRESH] = new + 1
    kept = profile.count[block] // 2
    profile.count[new] = profile.count[block] - kept
    profile.count[block] = kept
    for i in range(profile.count[new]):
        profile.moment[new * BLOCK + i] = profile.moment[block * BLOCK + kept + i]
        profile.free[new * BLOCK + i] = profile.free[block * BLOCK + kept + i]
    profile.lent[new] = profile.lent[block]
    profile.cluster[new] = profile.cluster[block]
    profile.after[new] = profile.after[block]
    profile.after[block] = new
    measure(profile, block)
    measure(profile, new)


def cut(profile: Profile, block: int, step: int, moment: int) -> None:
    """Split a step at `moment`, inside it; the block must have room."""
    base = block * BLOCK
    place = base + profile.count[block]
    while place > base + step + 1:
        profile.moment[place] = profile.moment[place - 1]
        profile.free[place] = profile.free[place - 1]
        place -= 1
    profile.moment[place] = moment
    profile.free[place] = profile.free[place - 1]
    profile.count[block] += 1


def occupy(profile: Profile, block: int, step: int, start: int, end: int, width: int) -> None:
    """Occupy `width` processors from `start`, which lies in this step, to `end`."""
    while True:
        if profile.count[block] > BLOCK - 2:
            split(profile, block)
            if step >= profile.count[block]:
                step -= profile.count[block]
                block = profile.after[block]
        if profile.moment[block * BLOCK + step] < start:
            cut(profile, block, step, start)
            step += 1
        following = profile.after[block]
        if following < 0 or profile.moment[following * BLOCK] > end:
            last = step_at(profile, block, end)
            if profile.moment[block * BLOCK + last] < end:
                cut(profile, block, last, end)
                last += 1
            take(profile, block, step, last, width)
            return
        take(profile, block, step, profile.count[block], width)
        start = profile.moment[following * BLOCK]
        if start == end:
            return
        block, step = following, 0


def take(profile: Profile, block: int, step: int, end: int, width: int) -> None:
    """Occupy `width` processors in the steps of `block` from `step` to before `end`."""
    if step == 0 and end == profile.count[block]:
        profile.lent[block] += width
        profile.low[block] -= width
        profile.high[block] -= width
        return
    base = block * BLOCK
    low = high = profile.free[base + step]
    for place in range(base + step, base + end):
        free = profile.free[place]
        low = min(low, free)
        high = max(high, free)
        profile.free[place] = free - width
    lent = profile.lent[block]
    profile.low[block] = min(profile.low[block], low - width - lent)
    if high - lent == profile.high[block]:  # it may have been the only step with the maximum
        measure(profile, block)


def earliest(profile: Profile, block: int, ready: int, time: int, width: int, limit: int) -> tuple[int, int, int]:
    """Return the earliest start ≥ `ready` of a run, and the block and step of this start; `ready` lies in `block`.

    The run takes `time` on `width` processors. The block is -1 if there is no start. Starts from `limit` on are
    irrelevant: the first step reached there is returned unchecked.
    """
    step = step_at(profile, block, ready)
    start = NEVER
    while True:
        block, step = first_free(profile, block, step, width)
        if block < 0:
            break
        start = max(ready, profile.moment[block * BLOCK + step])
        if start >= limit:
            break
        later, short = first_short(profile, block, step, start + time, width)
        if later < 0:
            break
        block, step = later, short
    return start, block, step


def earliest_of(profile: Profile, ready: int, time: int, width: int) -> tuple[int, int, int, int]:
    """Return the earliest start ≥ `ready` on any cluster, its cluster (-1: none; ties to the first), block and step.

    Later calls must not ask for starts before `ready`.
    """
    least, home, home_block, home_step = NEVER, -1, -1, 0
    for k in range(len(profile.first)):
        start, block, step = earliest(profile, forget(profile, k, ready), ready, time, width, least)
        if block >= 0 and start < least:
            least, home, home_block, home_step = start, k, block, step
    return least, home, home_block, home_step


def first_free(profile: Profile, block: int, step: int, width: int) -> tuple[int, int]:
    """Return block and number of the first step, from this one on, with at least `width` free processors; or -1, 0."""
    while block >= 0:
        if profile.high[block] >= width:
            base, least = block * BLOCK, width + profile.lent[block]
            for place in range(base + step, base + profile.count[block]):
                if profile.free[place] >= least:
                    return block, place - base
        block, step = profile.after[block], 0
    return -1, 0


def first_short(profile: Profile, block: int, step: int, end: int, width: int) -> tuple[int, int]:
    """Return the first step, from this one on and before `end`, with fewer than `width` free processors; or -1, 0."""
    while block >= 0 and profile.moment[block * BLOCK] < end:
        if profile.low[block] < width:
            base, least = block * BLOCK, width + profile.lent[block]
            for place in range(base + step, base + profile.count[block]):
                if profile.moment[place] >= end:
                    return -1, 0
                if profile.free[place] < least:
                    return block, place - base
        block, step = profile.after[block], 0
    return -1, 0
