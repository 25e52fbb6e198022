"""Kernels that check what queueing policies promise.

All moments at which a run or reservation begins or ends are known in advance. Leaf i of a segment tree holds the
processors that are free from moment i to the next; jobs are inserted in the order in which the policy places them. No
code is shared with the policies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel

Numbers = Any  # an int64 array

COUNT, JOB, MOMENT = range(3)  # of an array of violations: their number, the first job, and its possible start
HEAD, LAST_START = range(2)  # of `Waiting.queue`
WIDTHS = 64  # powers of two
NEVER = 2**62  # later than any moment


class Tree(NamedTuple):
    """A segment tree with range updates; leaf i is branch ``size + i``, and the children of branch i are 2i, 2i + 1."""

    # low, high: minimum and maximum of the leaves below each branch
    low: Numbers
    high: Numbers
    added: Numbers  # by inner branch: a change of all leaves below, which only its own `low` and `high` include


class Jobs(NamedTuple):
    """The jobs in the order of their submission."""

    moments: Numbers  # start of each leaf of the tree of free processors, ascending; the last leaf has no end
    submit: Numbers
    time: Numbers
    width: Numbers
    start: Numbers
    # submit_leaf, start_leaf, end_leaf: the leaves in which each job is submitted, starts and has ended
    submit_leaf: Numbers
    start_leaf: Numbers
    end_leaf: Numbers


class Waiting(NamedTuple):
    """The queue, for `check_no_idling`: jobs in classes of equal width, each class in the order of the queue."""

    rank: Numbers  # position of each job in the queue
    by_start: Numbers  # the jobs by start, ties by rank
    # group, place: the class of each job, and its position among all jobs by class and rank
    group: Numbers
    place: Numbers
    first: Numbers  # the first place of each class, and finally the number of jobs
    job: Numbers  # the job at each place
    times: Tree  # leaf i: running time of the job at place i while it waits, otherwise `NEVER`
    inserted: Numbers  # whether each job is in the tree of free processors
    next_check: Numbers  # by class: the next leaf in which a job of the class may be able to start, -1 for none
    due: Numbers  # buffer for the classes to be checked in one leaf
    queue: Numbers  # the `HEAD`: the first job that is not inserted, and the `LAST_START` of a former head


@kernel
def build(tree: Tree, values: Numbers) -> None:
    """Set the leaves to `values`; leaves beyond them are never returned by a search."""
    size = len(tree.low) // 2
    for leaf in range(size):
        used = leaf < len(values)
        tree.low[size + leaf] = values[leaf] if used else NEVER
        tree.high[size + leaf] = values[leaf] if used else -NEVER
    for branch in range(size - 1, 0, -1):
        tree.low[branch] = min(tree.low[2 * branch], tree.low[2 * branch + 1])
        tree.high[branch] = max(tree.high[2 * branch], tree.high[2 * branch + 1])
        tree.added[branch] = 0


def add(tree: Tree, begin: int, end: int, change: int) -> None:
    """Add `change` to the leaves from `begin` to before `end`."""
    size = len(tree.low) // 2
    left, right = begin + size, end + size
    while left < right:
        if left & 1:
            add_below(tree, left, size, change)
            left += 1
        if right & 1:
            right -= 1
            add_below(tree, right, size, change)
        left >>= 1
        right >>= 1
    update_ancestors(tree, begin + size)
    if end > begin + 1:
        update_ancestors(tree, end - 1 + size)


def add_below(tree: Tree, branch: int, size: int, change: int) -> None:
    """Add `change` to all leaves below a branch."""
    tree.low[branch] += change
    tree.high[branch] += change
    if branch < size:
        tree.added[branch] += change


def update_ancestors(tree: Tree, branch: int) -> None:
    """Recompute the branches above one."""
    branch >>= 1
    while branch >= 1:
        tree.low[branch] = min(tree.low[2 * branch], tree.low[2 * branch + 1]) + tree.added[branch]
        tree.high[branch] = max(tree.high[2 * branch], tree.high[2 * branch + 1]) + tree.added[branch]
        branch >>= 1


def next_leaf(tree: Tree, leaf: int, limit: int, below: bool) -> int:
    """Return the first leaf from this one on with a value below `limit`, or of at least `limit`; -1 for none."""
    size = len(tree.low) // 2
    if leaf >= size:
        return -1
    branch, above = leaf + size, 0
    parent = branch >> 1
    while parent >= 1:
        above += tree.added[parent]
        parent >>= 1
    while not (tree.low[branch] + above < limit if below else tree.high[branch] + above >= limit):
        while branch & 1:  # up from right children
            branch >>= 1
            if branch <= 1:
                return -1
            above -= tree.added[branch]
        branch += 1
    while branch < size:
        above += tree.added[branch]
        branch *= 2
        if not (tree.low[branch] + above < limit if below else tree.high[branch] + above >= limit):
            branch += 1
    return branch - size


def first_start(free: Tree, jobs: Jobs, job: int, leaf: int, ready: int) -> int:
    """Return the earliest start of a job from the moment `ready` on, which lies in this leaf."""
    width = jobs.width[job]
    while True:
        leaf = next_leaf(free, leaf, width, False)
        start = max(ready, jobs.moments[leaf])
        leaf = next_leaf(free, leaf, width, True)
        if leaf < 0 or jobs.moments[leaf] >= start + jobs.time[job]:
            return start


def insert(free: Tree, jobs: Jobs, job: int) -> None:
    """Take a job's processors from the free ones during its run."""
    add(free, jobs.start_leaf[job], jobs.end_leaf[job], -jobs.width[job])


def note(broken: Numbers, job: int, moment: int) -> None:
    """Count a broken promise, and record the first: the job and the moment at which it could have started."""
    if broken[COUNT] == 0:
        broken[JOB], broken[MOMENT] = job, moment
    broken[COUNT] += 1


@kernel
def check_in_order(
    free: Tree, jobs: Jobs, no_overtaking: bool, bounds: Numbers, row_of: Numbers, latest: Numbers, broken: Numbers
) -> None:
    """Check that each job has the earliest start that the jobs before it in the queue leave.

    With `no_overtaking`, it also starts no earlier than the job before it.

    If a shorter and narrower job finds no start before some moment, neither does a longer and wider one submitted
    later. ``latest`` stores such moments, each with its leaf, in a Fenwick tree of maxima: a row for each lower bound
    of running times (``bounds``), a column for each power of two of widths. ``row_of`` is the row of each job.
    """
    rows = len(bounds)
    last, last_leaf = 0, 0
    for job in range(len(jobs.submit)):
        ready, leaf, width = jobs.submit[job], jobs.submit_leaf[job], jobs.width[job]
        if no_overtaking and last > ready:
            ready, leaf = last, last_leaf
        row, column = row_of[job], power(width)
        while row >= 0:
            for place in range(row * WIDTHS, row * WIDTHS + column + 1):
                if latest[2 * place] > ready:
                    ready, leaf = latest[2 * place], latest[2 * place + 1]
            row = (row & (row + 1)) - 1
        start = first_start(free, jobs, job, leaf, ready)
        if start != jobs.start[job]:
            note(broken, job, start)
        elif start > jobs.submit[job]:
            row = row_of[job] + (bounds[row_of[job]] < jobs.time[job])
            column += width > 1 << column
            while row < rows:
                place = row * WIDTHS + column
                if latest[2 * place] < start:
                    latest[2 * place], latest[2 * place + 1] = start, jobs.start_leaf[job]
                row |= row + 1
        insert(free, jobs, job)
        last, last_leaf = jobs.start[job], jobs.start_leaf[job]


def power(value: int) -> int:
    """Return the exponent of the greatest power of two up to `value`."""
    exponent = 0
    while value > 1:
        value >>= 1
        exponent += 1
    return exponent


def enqueue(jobs: Jobs, waiting: Waiting, job: int) -> None:
    """Add a submitted job to the waiting ones."""
    place = waiting.place[job]
    add(waiting.times, place, place + 1, jobs.time[job] - NEVER)


def take(free: Tree, jobs: Jobs, waiting: Waiting, job: int) -> None:
    """Insert a waiting job into the tree of free processors."""
    insert(free, jobs, job)
    waiting.inserted[job] = True
    place = waiting.place[job]
    add(waiting.times, place, place + 1, NEVER - jobs.time[job])


def place_heads(free: Tree, jobs: Jobs, waiting: Waiting, leaf: int, now: int, arrived: int, delayed: Numbers) -> None:
    """Insert the head of the queue at `now`, then the next head if it starts immediately, and so on.

    The queue consists of the jobs before `arrived`.
    """
    queue = waiting.queue
    while queue[LAST_START] <= now:
        while queue[HEAD] < arrived and waiting.inserted[queue[HEAD]]:
            queue[HEAD] += 1
        job = queue[HEAD]
        if job == arrived:
            break
        promised = first_start(free, jobs, job, leaf, now)
        if promised != jobs.start[job]:
            note(delayed, job, promised)
        queue[LAST_START] = jobs.start[job]
        take(free, jobs, waiting, job)


def check_due(
    free: Tree, jobs: Jobs, waiting: Waiting, leaf: int, due: int, after_rank: int, before_rank: int, idle: Numbers
) -> None:
    """Check for each of the `due` classes that no waiting job between these ranks could start in `leaf`."""
    now = jobs.moments[leaf]
    for group in waiting.due[:due]:
        width = jobs.width[waiting.job[waiting.first[group]]]
        short = next_leaf(free, leaf, width, True)
        limit = NEVER if short < 0 else jobs.moments[short] - now + 1
        low, high = waiting.first[group], waiting.first[group + 1]
        while low < high:  # to the first place whose job comes after this rank
            middle = (low + high) // 2
            if waiting.rank[waiting.job[middle]] <= after_rank:
                low = middle + 1
            else:
                high = middle
        place = next_leaf(waiting.times, low, limit, True)
        if 0 <= place < waiting.first[group + 1] and waiting.rank[waiting.job[place]] < before_rank:
            note(idle, waiting.job[place], now)


def shortage_end(free: Tree, leaf: int, width: int) -> int:
    """Return the first leaf after the first shortage of processors from `leaf` on; the next leaf if there is none."""
    short = next_leaf(free, leaf, width, True)
    return leaf + 1 if short < 0 else next_leaf(free, short, width, False)


@kernel
def check_no_idling(
    free: Tree, jobs: Jobs, waiting: Waiting, reserve_head: bool, idle: Numbers, delayed: Numbers
) -> None:
    """Check that no waiting job could start: list scheduling, or EASY if `reserve_head`.

    At no moment would a waiting job fit for its whole run alongside the reservations, the jobs started before, and the
    jobs that start then and precede it in the queue. With `reserve_head`, the first job of the queue that cannot start
    is inserted immediately, and must have the earliest start that is possible then.

    While a class has too few processors at some later moment that its jobs would reach, none of them can start: the
    class is checked again when that shortage is over, or when a job arrives. ``idle`` and ``delayed`` are arrays of
    violations.
    """
    count = len(jobs.submit)
    arrived, started = 0, 0
    for leaf in range(len(jobs.moments)):
        now = jobs.moments[leaf]
        while arrived < count and jobs.submit[arrived] <= now:
            enqueue(jobs, waiting, arrived)
            waiting.next_check[waiting.group[arrived]] = leaf
            arrived += 1
        if reserve_head:
            place_heads(free, jobs, waiting, leaf, now, arrived, delayed)
        due = 0
        for group in range(len(waiting.next_check)):
            if waiting.next_check[group] == leaf:
                waiting.due[due] = group
                due += 1
        rank = -1
        while started < count and jobs.start_leaf[waiting.by_start[started]] == leaf:
            job = waiting.by_start[started]
            started += 1
            if not waiting.inserted[job]:
                check_due(free, jobs, waiting, leaf, due, rank, waiting.rank[job], idle)
                rank = waiting.rank[job]
                take(free, jobs, waiting, job)
        check_due(free, jobs, waiting, leaf, due, rank, count, idle)
        for group in waiting.due[:due]:  # the next check: at the end of the shortage that blocks the jobs of the class
            place = next_leaf(waiting.times, waiting.first[group], NEVER, True)
            waiting.next_check[group] = -1
            if 0 <= place < waiting.first[group + 1]:
                waiting.next_check[group] = shortage_end(free, leaf, jobs.width[waiting.job[place]])
        while arrived < count and (leaf + 1 == len(jobs.moments) or jobs.submit[arrived] < jobs.moments[leaf + 1]):
            job, now = arrived, jobs.submit[arrived]
            arrived += 1
            enqueue(jobs, waiting, job)
            if reserve_head:
                place_heads(free, jobs, waiting, leaf, now, arrived, delayed)
            if not waiting.inserted[job]:
                short = next_leaf(free, leaf, jobs.width[job], True)
                if short < 0 or jobs.moments[short] >= now + jobs.time[job]:
                    note(idle, job, now)
                later = shortage_end(free, leaf, jobs.width[job])
                group = waiting.group[job]
                if waiting.next_check[group] < 0 or later < waiting.next_check[group]:
                    waiting.next_check[group] = later
