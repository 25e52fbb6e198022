"""Inner loops of the queueing policies: plain functions over arrays, jobs in the order of their queue.

A policy knows a job, and how long it will run, from its submission on. Whatever starts fits for its whole run beside
the reservations and what has a start already; nothing ends early. Of several clusters a job takes the first where it
starts earliest. See `heuristics.stream.profile_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.shared_kernels import NEVER, last_at_most, rise, sink
from heuristics.stream.profile_kernels import (
    BLOCK,
    Profile,
    block_at,
    earliest,
    earliest_of,
    first_short,
    forget,
    occupy,
    step_at,
)
from oas.core.compiling import kernel

Numbers = Any  # an int64 array


class Jobs(NamedTuple):
    """Jobs in the order of their queue: when each is submitted, its time and processors; its start (-1) and cluster."""

    submit: Numbers
    times: Numbers
    widths: Numbers
    start: Numbers
    cluster: Numbers


def settle(profile: Profile, jobs: Jobs, job: int, start: int, cluster: int, block: int, step: int) -> None:
    """Let a job run from `start`, which lies in this step of the cluster."""
    occupy(profile, block, step, start, start + jobs.times[job], jobs.widths[job])
    jobs.start[job] = start
    jobs.cluster[job] = cluster


class Hints(NamedTuple):
    """What conservative back-filling remembers of searches in vain: a Fenwick tree of maxima in two dimensions."""

    # Lower bounds of buckets, ascending; the first is below every job's
    times: Numbers
    widths: Numbers
    # For each cluster and each bucket of times and widths: jobs of some buckets up to it found no start before this
    # moment, which lay in this block
    moment: Numbers
    block: Numbers


def remember(hints: Hints, cluster: int, row: int, column: int, moment: int, block: int) -> None:
    """Note that no job at least as long and as wide as the bounds of `row` and `column` can start before `moment`."""
    columns = len(hints.widths)
    first = cluster * len(hints.times) * columns
    while row < len(hints.times):
        place = column
        while place < columns:
            cell = first + row * columns + place
            if hints.moment[cell] < moment:
                hints.moment[cell] = moment
                hints.block[cell] = block
            place |= place + 1
        row |= row + 1


def recall(hints: Hints, cluster: int, row: int, column: int) -> int:
    """Return the cell of the latest moment noted for any bucket up to `row` and `column`."""
    columns = len(hints.widths)
    best = first = cluster * len(hints.times) * columns
    while row >= 0:
        place = column
        while place >= 0:
            cell = first + row * columns + place
            if hints.moment[cell] > hints.moment[best]:
                best = cell
            place = (place & (place + 1)) - 1
        row = (row & (row + 1)) - 1
    return best


@kernel
def conservative(profile: Profile, hints: Hints, jobs: Jobs, floors: Numbers) -> int:
    """Give each job in turn the earliest start that delays none before it; return how many found no place.

    ``floors[job]`` is the least submission from this job on: no later search looks before it. Only what is found from
    there on holds for all later jobs, and is remembered.
    """
    lost = 0
    for job in range(len(floors)):
        time, width, ready = jobs.times[job], jobs.widths[job], jobs.submit[job]
        row = last_at_most(hints.times, 0, len(hints.times), time)
        column = last_at_most(hints.widths, 0, len(hints.widths), width)
        least, home, home_block, home_step = NEVER, -1, -1, 0
        for k in range(len(profile.first)):
            begin, block = ready, forget(profile, k, floors[job])
            cell = recall(hints, k, row, column)
            if hints.moment[cell] > begin:
                begin, known = hints.moment[cell], hints.block[cell]
                if profile.moment[known * BLOCK] <= begin and profile.cluster[known] == k:
                    block = known
            start, block, step = earliest(profile, block_at(profile, block, begin), begin, time, width, least)
            if block < 0:
                continue
            if ready == floors[job] and start > ready:
                longer, wider = row + (hints.times[row] < time), column + (hints.widths[column] < width)
                remember(hints, k, longer, wider, start, block)
            if start < least:
                least, home, home_block, home_step = start, k, block, step
        if home < 0:
            lost += 1
        else:
            settle(profile, jobs, job, least, home, home_block, home_step)
    return lost


@kernel
def strict(profile: Profile, jobs: Jobs) -> int:
    """Start the jobs one after the other, each as early as it can, none before the one before it.

    Return how many found no place: those behind one that fits nowhere wait for ever too.
    """
    now = 0
    for job in range(len(jobs.submit)):
        now = max(now, jobs.submit[job])
        now, cluster, block, step = earliest_of(profile, now, jobs.times[job], jobs.widths[job])
        if cluster < 0:
            return len(jobs.submit) - job
        settle(profile, jobs, job, now, cluster, block, step)
    return 0


class Queue(NamedTuple):
    """Jobs that wait."""

    # Tree of minima: the least width and the least time of the jobs below each node. The leaf of the i-th job of the
    # queue is node ``size + i``; both are `NEVER` while the job is not to be looked at.
    tree: Numbers
    # Heap of the jobs that something later keeps from starting: until when, and which
    parked: Numbers
    parked_job: Numbers
    # What kept the last of them, on one cluster alone: width, begin and end of a step in which fewer than these
    # processors are free
    bar: Numbers
    counts: Numbers  # how many are parked


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


def park(queue: Queue, until: int, job: int) -> None:
    """Put a job aside: it cannot start before `until`."""
    rise(queue.parked, queue.parked_job, 0, queue.counts[0], until, job)
    queue.counts[0] += 1


def unpark(queue: Queue) -> int:
    """Take out the job that was put aside for the shortest; return it."""
    found, last = queue.parked_job[0], queue.counts[0] - 1
    queue.counts[0] = last
    sink(queue.parked, queue.parked_job, 0, last, queue.parked[last], queue.parked_job[last])
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
            until = NEVER if following < 0 else profile.moment[following * BLOCK]
        found = max(found, until)
    return found


def next_moment(profile: Profile, now: int) -> int:
    """Return when a step ends that `now` lies in, on whatever cluster that is earliest."""
    found = NEVER
    for k in range(len(profile.first)):
        block = forget(profile, k, now)
        found = min(found, end_of_step(profile, block, step_at(profile, block, now)))
    return found


def end_of_step(profile: Profile, block: int, step: int) -> int:
    """Return when a step ends."""
    if step + 1 < profile.count[block]:
        return profile.moment[block * BLOCK + step + 1]
    following = profile.after[block]
    return NEVER if following < 0 else profile.moment[following * BLOCK]


def most_free(profile: Profile, now: int) -> int:
    """Return the free processors at `now` of the cluster that has most."""
    found = 0
    for k in range(len(profile.first)):
        block = forget(profile, k, now)
        found = max(found, profile.free[block * BLOCK + step_at(profile, block, now)] - profile.lent[block])
    return found


def start_or_park(profile: Profile, queue: Queue, jobs: Jobs, job: int, now: int) -> bool:
    """Start a job at `now` on the first cluster that it fits on for its whole run, else put it aside; tell which."""
    width, end = jobs.widths[job], now + jobs.times[job]
    until = NEVER
    for k in range(len(profile.first)):
        block = forget(profile, k, now)
        step = step_at(profile, block, now)
        later, short = first_short(profile, block, step, end, width)
        if later < 0:
            settle(profile, jobs, job, now, k, block, step)
            return True
        until = min(until, blocked_until(profile, later, now, end, width))
        if len(profile.first) == 1:
            queue.bar[WIDTH] = width
            queue.bar[BEGIN] = profile.moment[later * BLOCK + short]
            queue.bar[END] = end_of_step(profile, later, short)
    park(queue, until, job)
    return False


@kernel
def overtaking(profile: Profile, queue: Queue, jobs: Jobs, arrivals: Numbers, promises: bool) -> int:
    """List scheduling, and EASY back-filling where `promises` are given; return how many jobs found no place.

    At every moment at which something begins or ends or is submitted, the queue is gone through and every job starts
    that fits for its whole run. With promises, the first job of the queue that cannot start is promised its earliest
    start, and nothing may delay it. ``arrivals`` are the jobs by submission.

    Processors are only ever taken. So a job that later steps keep from starting now is put aside until one of them is
    over, and who is left to look at is whoever has few enough processors for this moment.
    """
    count = len(arrivals)
    left, arrived, head, promised, now = count, 0, 0, -1, jobs.submit[arrivals[0]]
    while left > 0 and now < NEVER:
        while arrived < count and jobs.submit[arrivals[arrived]] <= now:
            job = arrivals[arrived]
            set_leaf(queue.tree, job, jobs.widths[job], jobs.times[job])
            arrived += 1
        while queue.counts[0] > 0 and queue.parked[0] <= now:
            job = unpark(queue)
            if jobs.start[job] < 0:
                set_leaf(queue.tree, job, jobs.widths[job], jobs.times[job])
        while promises and promised <= now and arrived + left > count:  # somebody waits
            while jobs.start[head] >= 0:
                head += 1
            job = head
            while jobs.start[job] >= 0 or jobs.submit[job] > now:
                job += 1
            promised, cluster, block, step = earliest_of(profile, now, jobs.times[job], jobs.widths[job])
            if cluster < 0:
                return left
            settle(profile, jobs, job, promised, cluster, block, step)
            set_leaf(queue.tree, job, NEVER, NEVER)
            left -= 1
        if queue.bar[END] <= now:
            queue.bar[WIDTH] = NEVER
        job = 0
        while True:
            job = first_hopeful(queue.tree, job, most_free(profile, now), queue.bar[WIDTH], queue.bar[BEGIN] - now)
            if job < 0:
                break
            set_leaf(queue.tree, job, NEVER, NEVER)
            if start_or_park(profile, queue, jobs, job, now):
                left -= 1
            job += 1
        now = next_moment(profile, now)
        if arrived < count:
            now = min(now, jobs.submit[arrivals[arrived]])
    return left
