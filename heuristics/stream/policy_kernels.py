"""Inner loops of the queueing policies: plain functions over arrays, jobs in the order of their submission.

A policy knows a job, and how long it will run, from its submission on. Whatever starts fits for its whole run beside
the reservations and what has a start already; nothing ends early. See `heuristics.stream.profile_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.mosp.profile_kernels import bucket
from heuristics.stream.profile_kernels import (
    BLOCK,
    NEVER,
    Profile,
    block_at,
    earliest,
    first_short,
    forget,
    occupy,
    step_at,
)
from oas.core.compiling import kernel

Numbers = Any  # an int64 array


class Hints(NamedTuple):
    """What conservative back-filling remembers of searches in vain: a Fenwick tree of maxima in two dimensions.

    Attributes
    ----------
    times, widths
        Lower bounds of buckets, ascending; the first is below every job's.
    moment, block
        For each bucket of times and widths: jobs of some buckets up to it found no start before this moment, which lay
        in this block.
    """

    times: Numbers
    widths: Numbers
    moment: Numbers
    block: Numbers


def remember(hints: Hints, row: int, column: int, moment: int, block: int) -> None:
    """Note that no job at least as long and as wide as the bounds of `row` and `column` can start before `moment`."""
    columns = len(hints.widths)
    while row < len(hints.times):
        place = column
        while place < columns:
            cell = row * columns + place
            if hints.moment[cell] < moment:
                hints.moment[cell] = moment
                hints.block[cell] = block
            place |= place + 1
        row |= row + 1


def recall(hints: Hints, row: int, column: int) -> int:
    """Return the cell of the latest moment noted for any bucket up to `row` and `column`."""
    columns = len(hints.widths)
    best = 0
    while row >= 0:
        place = column
        while place >= 0:
            cell = row * columns + place
            if hints.moment[cell] > hints.moment[best]:
                best = cell
            place = (place & (place + 1)) - 1
        row = (row & (row + 1)) - 1
    return best


@kernel
def conservative(
    profile: Profile, hints: Hints, submit: Numbers, times: Numbers, widths: Numbers, starts: Numbers
) -> None:
    """Give each job in turn the earliest start that delays none before it."""
    for job in range(len(submit)):
        time, width, ready = times[job], widths[job], submit[job]
        block = forget(profile, ready)
        row, column = bucket(hints.times, time), bucket(hints.widths, width)
        cell = recall(hints, row, column)
        if hints.moment[cell] > ready:
            ready = hints.moment[cell]
            if profile.moment[hints.block[cell] * BLOCK] <= ready:
                block = hints.block[cell]
            block = block_at(profile, block, ready)
        start, block, step = earliest(profile, block, ready, time, width)
        starts[job] = start
        if start > submit[job]:
            row += hints.times[row] < time
            column += hints.widths[column] < width
            remember(hints, row, column, start, block)
        occupy(profile, block, step, start, start + time, width)


@kernel
def strict(profile: Profile, submit: Numbers, times: Numbers, widths: Numbers, starts: Numbers) -> None:
    """Start the jobs one after the other, each as early as it can, none before the one before it."""
    now = 0
    for job in range(len(submit)):
        now = max(now, submit[job])
        now, block, step = earliest(profile, forget(profile, now), now, times[job], widths[job])
        starts[job] = now
        occupy(profile, block, step, now, now + times[job], widths[job])


class Queue(NamedTuple):
    """Jobs that wait.

    Attributes
    ----------
    tree
        Tree of minima: the least width and the least time of the jobs below each node. The leaf of the i-th job of the
        queue is node ``size + i``; both are `NEVER` while the job is not to be looked at.
    parked, parked_job
        Heap of the jobs that something later keeps from starting: until when, and their places in the queue.
    bar
        What kept the last of them: width, begin and end of a step in which fewer than these processors are free.
    counts
        How many are parked.
    """

    tree: Numbers
    parked: Numbers
    parked_job: Numbers
    bar: Numbers
    counts: Numbers


WIDTH, BEGIN, END = range(3)  # see `Queue.bar`


def set_leaf(tree: Numbers, place: int, width: int, time: int) -> None:
    """Set a leaf of the tree of minima."""
    node = place + len(tree) // 4
    tree[2 * node], tree[2 * node + 1] = width, time
    node >>= 1
    while node >= 1:
        width = min(tree[4 * node], tree[4 * node + 2])
        time = min(tree[4 * node + 1], tree[4 * node + 3])
        if tree[2 * node] == width and tree[2 * node + 1] == time:
            return
        tree[2 * node], tree[2 * node + 1] = width, time
        node >>= 1


def first_hopeful(tree: Numbers, place: int, free: int, width: int, time: int) -> int:
    """Return the first leaf from `place` on of at most `free` width that is not both ≥ `width` and longer than `time`.

    It is -1 if there is none.
    """
    size = len(tree) // 4
    if place >= size:
        return -1
    node = place + size if place else 1
    while True:
        least = tree[2 * node]
        if least <= free and (least < width or tree[2 * node + 1] <= time):
            if node >= size:
                return node - size
            node *= 2
            continue
        while node & 1:  # up from right children, the root among them
            node >>= 1
        if node == 0:
            return -1
        node += 1


def park(queue: Queue, until: int, place: int) -> None:
    """Put a job aside: it cannot start before `until`."""
    moment, job = queue.parked, queue.parked_job
    node = queue.counts[0]
    queue.counts[0] = node + 1
    while node > 0:
        above = (node - 1) // 2
        if moment[above] <= until:
            break
        moment[node], job[node] = moment[above], job[above]
        node = above
    moment[node], job[node] = until, place


def unpark(queue: Queue) -> int:
    """Take out the job that was put aside for the shortest; return its place in the queue."""
    moment, job = queue.parked, queue.parked_job
    found = job[0]
    queue.counts[0] -= 1
    count = queue.counts[0]
    until, last = moment[count], job[count]
    node = 0
    while 2 * node + 1 < count:
        below = 2 * node + 1
        if below + 1 < count and moment[below + 1] < moment[below]:
            below += 1
        if moment[below] >= until:
            break
        moment[node], job[node] = moment[below], job[below]
        node = below
    moment[node], job[node] = until, last
    return found


def blocked_until(profile: Profile, block: int, now: int, end: int, width: int) -> int:
    """Return the end of the last step before `end` with less than `width` free processors; `now` if there is none.

    `now` lies in `block`. A run that starts before the end of that step and lasts until `end` or beyond crosses it.
    """
    found = now
    following = block
    while following >= 0 and profile.moment[following * BLOCK] < end:
        block, following = following, profile.after[following]
        if profile.low[block] >= width:
            continue
        base, least = block * BLOCK, width + profile.lent[block]
        place = base + profile.count[block] - 1
        while place >= base and (profile.moment[place] >= end or profile.free[place] >= least):
            place -= 1
        if place < base:
            continue
        if place + 1 < base + profile.count[block]:
            until = profile.moment[place + 1]
        else:
            until = profile.moment[following * BLOCK]
        found = max(found, until)
    return found


def next_moment(profile: Profile, block: int, now: int) -> int:
    """Return when the step ends that `now` lies in, in `block`."""
    step = step_at(profile, block, now) + 1
    if step < profile.count[block]:
        return profile.moment[block * BLOCK + step]
    following = profile.after[block]
    return NEVER if following < 0 else profile.moment[following * BLOCK]


@kernel
def overtaking(
    profile: Profile,
    queue: Queue,
    order: Numbers,
    rank: Numbers,
    submit: Numbers,
    times: Numbers,
    widths: Numbers,
    promises: bool,
    starts: Numbers,
) -> None:
    """List scheduling, and EASY back-filling where `promises` are given; ``starts`` is -1 throughout at first.

    At every moment at which something begins or ends or is submitted, the queue is gone through in its order
    (``order[i]`` is the i-th job of it, ``rank[order[i]]`` is i), and every job starts that fits for its whole run.
    With promises, the first job of the queue that cannot start is promised its earliest start, and nothing may delay
    it; the order must then be that of submission.

    Processors are only ever taken. So a job that a later step keeps from starting now is put aside until that step is
    over, and who is left to look at is whoever has few enough processors for this moment.
    """
    left, arrived, head, promised, now = len(submit), 0, 0, -1, submit[0]
    while left > 0:
        block = forget(profile, now)
        while arrived < len(submit) and submit[arrived] <= now:
            set_leaf(queue.tree, rank[arrived], widths[arrived], times[arrived])
            arrived += 1
        while queue.counts[0] > 0 and queue.parked[0] <= now:
            place = unpark(queue)
            if starts[order[place]] < 0:
                set_leaf(queue.tree, place, widths[order[place]], times[order[place]])
        while promises and promised <= now:
            while head < arrived and starts[head] >= 0:
                head += 1
            if head == arrived:
                break
            promised, origin, step = earliest(profile, block, now, times[head], widths[head])
            occupy(profile, origin, step, promised, promised + times[head], widths[head])
            block = forget(profile, now)
            set_leaf(queue.tree, head, NEVER, NEVER)
            starts[head] = promised
            left -= 1
        if queue.bar[END] <= now:
            queue.bar[WIDTH] = NEVER
        place = 0
        while True:
            step = step_at(profile, block, now)
            free = profile.free[block * BLOCK + step] - profile.lent[block]
            place = first_hopeful(queue.tree, place, free, queue.bar[WIDTH], queue.bar[BEGIN] - now)
            if place < 0:
                break
            set_leaf(queue.tree, place, NEVER, NEVER)
            job = order[place]
            end = now + times[job]
            later, short = first_short(profile, block, step, end, widths[job])
            if later < 0:
                starts[job] = now
                occupy(profile, block, step, now, end, widths[job])
                block = forget(profile, now)
                left -= 1
            else:
                park(queue, blocked_until(profile, later, now, end, widths[job]), place)
                queue.bar[WIDTH] = widths[job]
                queue.bar[BEGIN] = profile.moment[later * BLOCK + short]
                queue.bar[END] = next_moment(profile, later, queue.bar[BEGIN])
            place += 1
        now = next_moment(profile, block, now)
        if arrived < len(submit):
            now = min(now, submit[arrived])
