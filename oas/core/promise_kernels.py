"""Inner loops that check what a queueing policy promises: plain functions over arrays.

All moments at which something begins or ends are known beforehand. A tree of ranges holds what is free from each of
them to the next; jobs are put into it as the policy ought to have done. Nothing here is shared with the engines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel

Numbers = Any  # an int64 array

COUNT, JOB, MOMENT = range(3)  # of what is found: how often, the first job, and when it could have started
FIRST, LAST = range(2)  # of the heads of the queue
WIDTHS = 64  # powers of two
NEVER = 2**62  # later than any moment


class Free(NamedTuple):
    """What is free over time."""

    moments: Numbers  # ascending; leaf i is the time from the i-th to the next, the last one lasts for ever
    # low, high: of each node of the tree, the least and the greatest value of its leaves; leaf i is node ``size + i``
    low: Numbers
    high: Numbers
    # Of each node above the leaves, what is added to all its leaves and only to be seen in its own `low` and `high`.
    added: Numbers


class Jobs(NamedTuple):
    """The jobs in the order of their submission."""

    submit: Numbers
    time: Numbers
    width: Numbers
    start: Numbers
    # submit_leaf, start_leaf, end_leaf: where the submission, start and end of each lie
    submit_leaf: Numbers
    start_leaf: Numbers
    end_leaf: Numbers


class Waiting(NamedTuple):
    """Jobs that wait, for `sweep`: in classes of one width, and in each class as the queue is gone through."""

    rank: Numbers  # the place of each job in the queue
    by_start: Numbers  # the jobs by start, ties by rank
    # group, place: the class of each job, and its place among the jobs by class and rank
    group: Numbers
    place: Numbers
    first: Numbers  # the first place of each class, and at the end the number of jobs
    job: Numbers  # which job has a place
    least: Numbers  # tree of minima over the places: the time of the job there while it waits, otherwise `NEVER`
    taken: Numbers  # whether a job is in the tree of what is free
    due: Numbers  # for each leaf the first class that has to be looked at again there, -1 for none
    # after, before: for each class the next and the previous one that are due together
    after: Numbers
    before: Numbers
    at: Numbers  # for each class the leaf where it is due, -1 for nowhere
    heads: Numbers  # the `FIRST` job that has no place yet, and the start of the `LAST` that got one as the first


@kernel
def build(free: Free, values: Numbers) -> None:
    """Fill the tree with the values of the leaves; what lies beyond counts for nothing."""
    size = len(free.low) // 2
    for leaf in range(size):
        known = leaf < len(free.moments)
        free.low[size + leaf] = values[leaf] if known else NEVER
        free.high[size + leaf] = values[leaf] if known else -NEVER
    for node in range(size - 1, 0, -1):
        free.low[node] = min(free.low[2 * node], free.low[2 * node + 1])
        free.high[node] = max(free.high[2 * node], free.high[2 * node + 1])
        free.added[node] = 0


def hold(free: Free, begin: int, end: int, width: int) -> None:
    """Take `width` from the leaves from `begin` to before `end`."""
    size = len(free.low) // 2
    left, right = begin + size, end + size
    while left < right:
        if left & 1:
            lower(free, left, size, width)
            left += 1
        if right & 1:
            right -= 1
            lower(free, right, size, width)
        left >>= 1
        right >>= 1
    raise_to_root(free, begin + size)
    raise_to_root(free, end - 1 + size)


def lower(free: Free, node: int, size: int, width: int) -> None:
    """Take `width` from all leaves below a node."""
    free.low[node] -= width
    free.high[node] -= width
    if node < size:
        free.added[node] -= width


def raise_to_root(free: Free, node: int) -> None:
    """Set the nodes above one again."""
    node >>= 1
    while node >= 1:
        free.low[node] = min(free.low[2 * node], free.low[2 * node + 1]) + free.added[node]
        free.high[node] = max(free.high[2 * node], free.high[2 * node + 1]) + free.added[node]
        node >>= 1


def next_leaf(free: Free, leaf: int, width: int, short: bool) -> int:
    """Return the first leaf, from this one on, with less than `width` if `short`, else with as much; -1 for none."""
    size = len(free.low) // 2
    node, above = leaf + size, 0
    parent = node >> 1
    while parent >= 1:
        above += free.added[parent]
        parent >>= 1
    while not (free.low[node] + above < width if short else free.high[node] + above >= width):
        while node & 1:  # up from right children
            node >>= 1
            if node <= 1:
                return -1
            above -= free.added[node]
        node += 1
    while node < size:
        above += free.added[node]
        node *= 2
        if not (free.low[node] + above < width if short else free.high[node] + above >= width):
            node += 1
    return node - size


def first_start(free: Free, leaf: int, ready: int, time: int, width: int) -> int:
    """Return the earliest start from `ready`, in this leaf, of a run of `time` on `width` processors."""
    while True:
        leaf = next_leaf(free, leaf, width, False)
        start = max(ready, free.moments[leaf])
        leaf = next_leaf(free, leaf, width, True)
        if leaf < 0 or free.moments[leaf] >= start + time:
            return start


def note(found: Numbers, job: int, moment: int) -> None:
    """Count a broken promise, and keep the first."""
    if found[COUNT] == 0:
        found[JOB], found[MOMENT] = job, moment
    found[COUNT] += 1


@kernel
def in_turn(
    free: Free, jobs: Jobs, never_before: bool, bounds: Numbers, row_of: Numbers, latest: Numbers, found: Numbers
) -> None:
    """Check that each job starts as early as it can beside those before it in the queue.

    With `never_before`, none before the start of the one before it either. ``found`` takes how many do not, the first
    of them, and when it could have started.

    A longer and wider job finds no start where a shorter and narrower one, submitted before, found none. ``latest``
    keeps how far that is known, a row for each lower bound of times, a column for each power of two of widths: a
    Fenwick tree of maxima over the rows, each with its leaf. ``row_of`` is the row of each job.
    """
    rows = len(bounds)
    last, last_leaf = 0, 0
    for job in range(len(jobs.submit)):
        ready, leaf, width = jobs.submit[job], jobs.submit_leaf[job], jobs.width[job]
        if never_before and last > ready:
            ready, leaf = last, last_leaf
        row, column = row_of[job], power(width)
        while row >= 0:
            for place in range(row * WIDTHS, row * WIDTHS + column + 1):
                if latest[2 * place] > ready:
                    ready, leaf = latest[2 * place], latest[2 * place + 1]
            row = (row & (row + 1)) - 1
        start = first_start(free, leaf, ready, jobs.time[job], width)
        if start != jobs.start[job]:
            note(found, job, start)
        elif start > jobs.submit[job]:
            row = row_of[job] + (bounds[row_of[job]] < jobs.time[job])
            column += width > 1 << column
            while row < rows:
                place = row * WIDTHS + column
                if latest[2 * place] < start:
                    latest[2 * place], latest[2 * place + 1] = start, jobs.start_leaf[job]
                row |= row + 1
        hold(free, jobs.start_leaf[job], jobs.end_leaf[job], width)
        last, last_leaf = jobs.start[job], jobs.start_leaf[job]


def power(value: int) -> int:
    """Return the greatest power of two up to `value`, as its exponent."""
    found = 0
    while value > 1:
        value >>= 1
        found += 1
    return found


def wait(waiting: Waiting, job: int, time: int) -> None:
    """Note that a job of this time waits, or, with `NEVER`, that none does any more."""
    least = waiting.least
    node = waiting.place[job] + len(least) // 2
    least[node] = time
    node >>= 1
    while node >= 1:
        least[node] = min(least[2 * node], least[2 * node + 1])
        node >>= 1


def first_waiting(waiting: Waiting, place: int, time: int) -> int:
    """Return the first place from this one on of a job that waits and takes at most `time`; -1 for none."""
    least = waiting.least
    if place >= len(least) // 2:
        return -1
    node = place + len(least) // 2
    while least[node] > time:
        while node & 1:  # up from right children
            node >>= 1
            if node <= 1:
                return -1
        node += 1
    while node < len(least) // 2:
        node *= 2
        if least[node] > time:
            node += 1
    return node - len(least) // 2


def place_after(waiting: Waiting, group: int, rank: int) -> int:
    """Return the first place of a class whose job comes after `rank` in the queue."""
    low, high = waiting.first[group], waiting.first[group + 1]
    while low < high:
        middle = (low + high) // 2
        if waiting.rank[waiting.job[middle]] <= rank:
            low = middle + 1
        else:
            high = middle
    return low


def look_at(waiting: Waiting, group: int, leaf: int) -> None:
    """Let a class be looked at again in `leaf`, and not before; nowhere for -1."""
    old = waiting.at[group]
    if old == leaf:
        return
    if old >= 0:
        after, before = waiting.after[group], waiting.before[group]
        if before >= 0:
            waiting.after[before] = after
        else:
            waiting.due[old] = after
        if after >= 0:
            waiting.before[after] = before
    waiting.at[group] = leaf
    if leaf >= 0:
        first = waiting.due[leaf]
        waiting.after[group], waiting.before[group] = first, -1
        if first >= 0:
            waiting.before[first] = group
        waiting.due[leaf] = group


def take(free: Free, jobs: Jobs, waiting: Waiting, job: int) -> None:
    """Put a job into the tree of what is free."""
    hold(free, jobs.start_leaf[job], jobs.end_leaf[job], jobs.width[job])
    waiting.taken[job] = True
    wait(waiting, job, NEVER)


def heed_heads(free: Free, jobs: Jobs, waiting: Waiting, leaf: int, now: int, come: int, delayed: Numbers) -> None:
    """Let the first job of the queue have its place, at `now`, and the next one if it starts at once, and so on.

    The queue are the jobs submitted, before `come`.
    """
    heads = waiting.heads
    while heads[LAST] <= now:
        while heads[FIRST] < come and waiting.taken[heads[FIRST]]:
            heads[FIRST] += 1
        job = heads[FIRST]
        if job == come:
            break
        promised = first_start(free, leaf, now, jobs.time[job], jobs.width[job])
        if promised != jobs.start[job]:
            note(delayed, job, promised)
        heads[LAST] = jobs.start[job]
        take(free, jobs, waiting, job)


def check_due(free: Free, jobs: Jobs, waiting: Waiting, leaf: int, from_rank: int, to_rank: int, idle: Numbers) -> None:
    """Check that of the classes due in `leaf` no job of these ranks, the ends not among them, could start there."""
    now = free.moments[leaf]
    group = waiting.due[leaf]
    while group >= 0:
        width = jobs.width[waiting.job[waiting.first[group]]]
        short = next_leaf(free, leaf, width, True)
        limit = NEVER - 1 if short < 0 else free.moments[short] - now
        place = first_waiting(waiting, place_after(waiting, group, from_rank), limit)
        if 0 <= place < waiting.first[group + 1] and waiting.rank[waiting.job[place]] < to_rank:
            note(idle, waiting.job[place], now)
        group = waiting.after[group]


def put_off(free: Free, jobs: Jobs, waiting: Waiting, leaf: int) -> None:
    """Say of each class due in `leaf` when to look again: what blocks it now does so until some processors are free."""
    group = waiting.due[leaf]
    while group >= 0:
        following = waiting.after[group]
        place = first_waiting(waiting, waiting.first[group], NEVER - 1)
        later = -1
        if 0 <= place < waiting.first[group + 1]:
            later = free_again(free, leaf, jobs.width[waiting.job[place]])
        look_at(waiting, group, later)
        group = following


def free_again(free: Free, leaf: int, width: int) -> int:
    """Return the leaf after this one in which the first stretch with too few processors ends, or the next leaf."""
    short = next_leaf(free, leaf, width, True)
    return leaf + 1 if short < 0 else next_leaf(free, short, width, False)


@kernel
def sweep(free: Free, jobs: Jobs, waiting: Waiting, promises: bool, idle: Numbers, delayed: Numbers) -> None:
    """Check that nothing is idle that fits its whole window: list scheduling, or EASY with `promises`.

    At no moment does a job wait that would fit for its whole run, beside the reservations, what has started, and what
    starts then and comes before it in the queue. With promises, the first job of the queue that cannot start is put
    into the tree at once, and has to start as early as it then could.

    Where a class of jobs of one width first has too few processors, it keeps them from starting, all that run so long,
    until that stretch is over: until then the class need not be looked at, except for who comes. ``idle`` and
    ``delayed`` take how many break the promise, the first, and the moment at which it could have started.
    """
    count = len(jobs.submit)
    come, begun = 0, 0
    for leaf in range(len(free.moments)):
        now = free.moments[leaf]
        while come < count and jobs.submit[come] <= now:
            wait(waiting, come, jobs.time[come])
            look_at(waiting, waiting.group[come], leaf)
            come += 1
        if promises:
            heed_heads(free, jobs, waiting, leaf, now, come, delayed)
        rank = -1
        while begun < count and jobs.start_leaf[waiting.by_start[begun]] == leaf:
            job = waiting.by_start[begun]
            begun += 1
            if not waiting.taken[job]:
                check_due(free, jobs, waiting, leaf, rank, waiting.rank[job], idle)
                rank = waiting.rank[job]
                take(free, jobs, waiting, job)
        check_due(free, jobs, waiting, leaf, rank, count, idle)
        put_off(free, jobs, waiting, leaf)
        while come < count and (leaf + 1 == len(free.moments) or jobs.submit[come] < free.moments[leaf + 1]):
            job, now = come, jobs.submit[come]
            come += 1
            wait(waiting, job, jobs.time[job])
            if promises:
                heed_heads(free, jobs, waiting, leaf, now, come, delayed)
            if not waiting.taken[job]:
                short = next_leaf(free, leaf, jobs.width[job], True)
                if short < 0 or free.moments[short] >= now + jobs.time[job]:
                    note(idle, job, now)
                later = free_again(free, leaf, jobs.width[job])
                group = waiting.group[job]
                if waiting.at[group] < 0 or later < waiting.at[group]:
                    look_at(waiting, group, later)
