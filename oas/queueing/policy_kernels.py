"""Inner loops of the queueing policies: plain functions over arrays, jobs in queue order.

A policy knows a job and its running time from submission on. Every job that starts fits for its whole run next to the
reservations and the runs already fixed; no job ends early. A job takes the cluster where it starts earliest, ties to
the first. See `oas.queueing.profile_kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

from oas.core.compiling import kernel
from oas.core.shared_kernels import NEVER, Numbers, last_at_most, rise, sink
from oas.queueing.profile_kernels import (
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


class Jobs(NamedTuple):
    """Jobs in queue order: submission, time, processors, start (-1: none) and cluster."""

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
    """Failed searches of conservative back-filling: a two-dimensional Fenwick tree of maxima."""

    # Lower bounds of the buckets, ascending; the first is below the value of any job
    times: Numbers
    widths: Numbers
    # By cluster, time bucket and width bucket: the latest moment that `remember` recorded for some buckets up to this
    # one, and the block that contained it
    moment: Numbers
    block: Numbers


def remember(hints: Hints, cluster: int, row: int, column: int, moment: int, block: int) -> None:
    """Record that no job at least as long and wide as the bounds of `row` and `column` can start before `moment`."""
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
    """Return the cell with the latest moment recorded for any bucket up to `row` and `column`."""
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
    """Give each job in turn the earliest start that delays no earlier job; return the number of jobs without a place.

    ``floors[job]`` is the earliest submission from this job on: later searches begin no earlier. Only results of
    searches that begin there apply to all later jobs and are recorded.
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
    """Start the jobs in queue order, each as early as possible but not before its predecessor.

    Return the number of jobs without a place: all jobs behind one that fits nowhere.
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
    """Waiting jobs."""

    # Tree of minima: the smallest width and the shortest time of the jobs below each node. The leaf of job i is node
    # ``size + i``; both values are `NEVER` while the job is not a candidate.
    tree: Numbers
    # Heap of parked jobs, which later steps keep from starting: the moment until which each is parked, and the job
    parked: Numbers
    parked_job: Numbers
    # One cluster only: width of the last parked job, and begin and end of the first step that blocked it
    bar: Numbers
    counts: Numbers  # number of parked jobs


WIDTH, BEGIN, END = range(3)  # entries of `Queue.bar`


def set_leaf(tree: Numbers, place: int, width: int, time: int) -> None:
    """Set a leaf of the tree of minima and update the nodes above it."""
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
    """Return the first leaf ≥ `place` of width ≤ `free` that has width < `width` or time ≤ `time`; -1 for none."""
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
        while node & 1:  # go up from right children, including the root
            node >>= 1
        if node == 0:
            return -1
        node += 1


def park(queue: Queue, until: int, job: int) -> None:
    """Park a job that cannot start before `until`."""
    rise(queue.parked, queue.parked_job, 0, queue.counts[0], until, job)
    queue.counts[0] += 1


def unpark(queue: Queue) -> int:
    """Remove and return the job whose parking ends first."""
    found, last = queue.parked_job[0], queue.counts[0] - 1
    queue.counts[0] = last
    sink(queue.parked, queue.parked_job, 0, last, queue.parked[last], queue.parked_job[last])
    return found


def blocked_until(profile: Profile, block: int, now: int, end: int, width: int) -> int:
    """Return the end of the last step before `end` with fewer than `width` free processors; `now` if there is none.

    `now` lies in `block`. A run that starts before the end of that step and lasts until `end` or longer overlaps it.
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
    """Return the earliest end, over all clusters, of the step that contains `now`."""
    found = NEVER
    for k in range(len(profile.first)):
        block = forget(profile, k, now)
        found = min(found, end_of_step(profile, block, step_at(profile, block, now)))
    return found


def end_of_step(profile: Profile, block: int, step: int) -> int:
    """Return the end of a step of a block; `NEVER` for the last step of a cluster."""
    if step + 1 < profile.count[block]:
        return profile.moment[block * BLOCK + step + 1]
    following = profile.after[block]
    return NEVER if following < 0 else profile.moment[following * BLOCK]


def most_free(profile: Profile, now: int) -> int:
    """Return the largest number of free processors of a cluster at `now`."""
    found = 0
    for k in range(len(profile.first)):
        block = forget(profile, k, now)
        found = max(found, profile.free[block * BLOCK + step_at(profile, block, now)] - profile.lent[block])
    return found


def start_or_park(profile: Profile, queue: Queue, jobs: Jobs, job: int, now: int) -> bool:
    """Start a job now on the first cluster where it fits for its whole run, or park it; return whether it starts."""
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
    """Run list scheduling, or EASY back-filling with `promises`; return the number of jobs without a place.

    At each submission and beginning of a step, the queue is traversed and every job that fits for its whole run starts.
    With promises, the first job of the queue that cannot start gets its earliest start as a reservation. `arrivals` are
    the jobs by submission.

    Processors are never released early. So a job blocked by later steps is parked until, on some cluster, the last of
    them is over, and only jobs narrow enough for the current moment remain candidates.
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
        while promises and promised <= now and arrived + left > count:  # some job waits
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
