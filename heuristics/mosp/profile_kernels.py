"""Inner loops over free-capacity profiles: plain functions over sequences of integers.

They run as plain Python on lists or arrays, or compiled on arrays (`oas.core.compiling`).

A profile is a linked list of steps in a pool shared by all clusters: step i has ``free[i]`` free processors from
``moments[i]`` until the moment of step ``after[i]`` (-1: for ever), ``used[0]`` steps of the pool are taken. Step k is
the first one of cluster k, at moment 0. Steps are cut, never removed, so that a step once known remains a valid place
from which to walk on. Every search starts from such a step at or before the moment it asks about.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


def fits(moments: Numbers, free: Numbers, after: Numbers, step: int, end: int, width: int) -> bool:
    """Tell whether `width` processors are free from `step` on until `end`."""
    while step >= 0 and moments[step] < end:
        if free[step] < width:
            return False
        step = after[step]
    return True


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


class Waiting(NamedTuple):
    """A queue that is served as time passes.

    Attributes
    ----------
    queue, arrivals
        Jobs, first in line first; the positions in `queue` by release.
    times, widths, releases
        Of each job.
    sizes
        HORIZON: at least every time; LEAVES: leaves of the tree, a power of 2.
    columns
        Lower bounds of widths, ascending, of the columns of the tree.
    tree
        Tree of minima: leaf i is the time of ``queue[i]`` while it waits, in the column of its width, else `NEVER`.
    windows, bounds
        Clusters × columns: how long so many processors stay free; and the longest of them in each column.
    starts, places
        The outcome, by job: its start and its cluster.
    """

    queue: Numbers
    arrivals: Numbers
    times: Numbers
    widths: Numbers
    releases: Numbers
    sizes: Numbers
    columns: Numbers
    tree: Numbers
    windows: Numbers
    bounds: Numbers
    starts: Numbers
    places: Numbers


HORIZON, LEAVES = range(2)


def set_leaf(tree: Numbers, size: int, count: int, position: int, column: int, value: int) -> None:
    """Set a leaf of a tree of minima with `count` columns, node by node in a row."""
    node = position + size
    tree[node * count + column] = value
    node >>= 1
    while node >= 1:
        least = min(tree[2 * node * count + column], tree[(2 * node + 1) * count + column])
        tree[node * count + column] = least
        node >>= 1


def within(tree: Numbers, count: int, node: int, bounds: Numbers) -> bool:
    """Tell whether some column of `node` is at most that column's bound."""
    for column in range(count):  # noqa: SIM110
        if tree[node * count + column] <= bounds[column]:
            return True
    return False


def first_within(tree: Numbers, size: int, count: int, position: int, bounds: Numbers) -> int:
    """Return the first leaf from `position` on of which some column is at most that column's bound, or -1."""
    if position >= size:
        return -1
    node = position + size
    while not within(tree, count, node, bounds):
        while node & 1:  # up from right children, the root among them
            node >>= 1
        if node == 0:
            return -1
        node += 1
    while node < size:
        node *= 2
        if not within(tree, count, node, bounds):
            node += 1
    return node - size


def measure(
    moments: Numbers, free: Numbers, after: Numbers, step: int, widths: Numbers, horizon: int, windows: Numbers, at: int
) -> None:
    """Set ``windows[at + i]`` to how long, from `step` on, ``widths[i]`` processors stay free; `widths` ascend.

    What stays free for `horizon` stays free long enough.
    """
    begin, column = moments[step], len(widths) - 1
    while column >= 0:
        while column >= 0 and free[step] < widths[column]:
            windows[at + column] = moments[step] - begin
            column -= 1
        step = after[step]
        if step < 0 or moments[step] - begin >= horizon:
            break
    while column >= 0:
        windows[at + column] = horizon
        column -= 1


def longest(windows: Numbers, clusters: Numbers, count: int, bounds: Numbers) -> None:
    """Set ``bounds[i]`` to the longest of the windows of column i over the clusters."""
    for column in range(count):
        bounds[column] = 0
        for k in clusters:
            bounds[column] = max(bounds[column], windows[k * count + column])


def start_waiting(
    moments: Numbers,
    free: Numbers,
    after: Numbers,
    used: Numbers,
    steps: Numbers,
    clusters: Numbers,
    waiting: Waiting,
    now: int,
) -> int:
    """Go once through the queue and start at `now` every waiting job that fits for its whole run; return how many.

    ``steps[k]`` is the step of `now` on cluster k. A job whose time is within the longest window of its column's bound
    may fit, no other does.
    """
    times, widths, columns = waiting.times, waiting.widths, waiting.columns
    tree, windows, bounds = waiting.tree, waiting.windows, waiting.bounds
    horizon, size, count = waiting.sizes[HORIZON], waiting.sizes[LEAVES], len(columns)
    started = 0
    position = 0
    for k in clusters:
        measure(moments, free, after, steps[k], columns, horizon, windows, k * count)
    while True:
        longest(windows, clusters, count, bounds)
        position = first_within(tree, size, count, position, bounds)
        if position < 0:
            return started
        job = waiting.queue[position]
        for k in clusters:
            if fits(moments, free, after, steps[k], now + times[job], widths[job]):
                steps[k] = occupy(moments, free, after, used, steps[k], now, now + times[job], widths[job])
                measure(moments, free, after, steps[k], columns, horizon, windows, k * count)
                waiting.starts[job] = now
                waiting.places[job] = k
                set_leaf(tree, size, count, position, bucket(columns, widths[job]), NEVER)
                started += 1
                break
        position += 1


def next_moment(moments: Numbers, after: Numbers, steps: Numbers, clusters: Numbers, release: int) -> int:
    """Return the next moment at which a step begins on one of `clusters`, or `release` if that is earlier."""
    moment = release
    for k in clusters:
        following = after[steps[k]]
        if following >= 0:
            moment = min(moment, moments[following])
    return moment


@kernel
def list_schedule(
    moments: Numbers,
    free: Numbers,
    after: Numbers,
    used: Numbers,
    steps: Numbers,
    clusters: Numbers,
    waiting: Waiting,
    promises: bool,
) -> int:
    """Graham's list scheduling, and EASY back-filling with promises; return how many jobs found no place at all.

    With `promises`, the first job in the queue that cannot start is promised its earliest start; others start if that
    promise can be kept. Run times are exact and nothing ends early, so a promise is kept as it was given and never
    improves.
    """
    queue, arrivals, releases = waiting.queue, waiting.arrivals, waiting.releases
    times, widths, columns, tree = waiting.times, waiting.widths, waiting.columns, waiting.tree
    size, count = waiting.sizes[LEAVES], len(columns)
    left, arrived, now, promised = len(queue), 0, 0, 0
    while left > 0:
        while arrived < len(queue) and releases[queue[arrivals[arrived]]] <= now:
            job = queue[arrivals[arrived]]
            set_leaf(tree, size, count, arrivals[arrived], bucket(columns, widths[job]), times[job])
            arrived += 1
        for k in clusters:
            steps[k] = step_at(moments, after, steps[k], now)
        while promises and promised <= now:
            for column in range(count):
                waiting.bounds[column] = waiting.sizes[HORIZON]  # any job within reach
            position = first_within(tree, size, count, 0, waiting.bounds)
            if position < 0:
                break
            job = queue[position]
            set_leaf(tree, size, count, position, bucket(columns, widths[job]), NEVER)
            k, promised = earliest_of(moments, free, after, steps, clusters, now, times[job], widths[job])
            if k < 0:
                return left
            first = occupy(moments, free, after, used, steps[k], promised, promised + times[job], widths[job])
            if promised == now:
                steps[k] = first
            waiting.starts[job] = promised
            waiting.places[job] = k
            left -= 1
        left -= start_waiting(moments, free, after, used, steps, clusters, waiting, now)
        release = releases[queue[arrivals[arrived]]] if arrived < len(queue) else NEVER
        now = next_moment(moments, after, steps, clusters, release)
        if now == NEVER:
            break
    return left


def bucket(bounds: Numbers, value: int) -> int:
    """Return the last index whose bound is at most `value`; the first bound is below every value."""
    low, high = 0, len(bounds)
    while high - low > 1:
        middle = (low + high) // 2
        if bounds[middle] <= value:
            low = middle
        else:
            high = middle
    return low


def remember(
    moments: Numbers,
    hints: Numbers,
    offset: int,
    time_bounds: Numbers,
    width_bounds: Numbers,
    time: int,
    width: int,
    step: int,
) -> None:
    """Note, in the table of hints at `offset`, that no job of at least `time` and `width` can start before `step`."""
    columns = len(width_bounds)
    row = bucket(time_bounds, time)
    row += time_bounds[row] < time
    column = bucket(width_bounds, width)
    column += width_bounds[column] < width
    while row < len(time_bounds):
        cell = offset + row * columns
        for other in range(column, columns):  # hints grow along rows and columns, so the first later one ends it
            if moments[hints[cell + other]] >= moments[step]:
                if other == column:
                    return
                break
            hints[cell + other] = step
        row += 1


class Planned(NamedTuple):
    """A queue of which each job in turn gets its earliest start.

    Attributes
    ----------
    queue, floors
        Jobs, first in line first; of each place the least release from there on, before which no later search needs to
        look.
    times, widths, releases
        Of each job.
    time_bounds, width_bounds
        Lower bounds of the buckets of times and of widths, ascending.
    hints
        Clusters × buckets of times × buckets of widths: the last step before which no job that reaches the bucket's
        bounds can start.
    starts, places
        The outcome, by job: its start and its cluster.
    """

    queue: Numbers
    floors: Numbers
    times: Numbers
    widths: Numbers
    releases: Numbers
    time_bounds: Numbers
    width_bounds: Numbers
    hints: Numbers
    starts: Numbers
    places: Numbers


@kernel
def conservative(
    moments: Numbers,
    free: Numbers,
    after: Numbers,
    used: Numbers,
    steps: Numbers,
    clusters: Numbers,
    planned: Planned,
) -> int:
    """Place each job of the queue at its earliest start, ties to the first cluster; return how many found no place.

    A job that finds no start before some step tells that none at least as long and as wide will, which the hints keep.
    """
    queue, floors, hints = planned.queue, planned.floors, planned.hints
    times, widths, releases = planned.times, planned.widths, planned.releases
    time_bounds, width_bounds = planned.time_bounds, planned.width_bounds
    cells = len(time_bounds) * len(width_bounds)
    lost = 0
    for index in range(len(queue)):
        job = queue[index]
        time, width, ready = times[job], widths[job], releases[job]
        cell = bucket(time_bounds, time) * len(width_bounds) + bucket(width_bounds, width)
        best, least, origin = -1, NEVER, 0
        for k in clusters:
            steps[k] = step_at(moments, after, steps[k], floors[index])
            begin = steps[k]
            if moments[hints[k * cells + cell]] > moments[begin]:
                begin = hints[k * cells + cell]
            found = earliest(moments, free, after, begin, max(ready, moments[begin]), time, width, least)
            if found < 0:
                continue
            if ready == floors[index]:
                remember(moments, hints, k * cells, time_bounds, width_bounds, time, width, found)
            start = max(ready, moments[found])
            if start < least:
                best, least, origin = k, start, found
        if best < 0:
            lost += 1
            continue
        first = occupy(moments, free, after, used, origin, least, least + time, width)
        if ready == floors[index]:
            remember(moments, hints, best * cells, time_bounds, width_bounds, time, width, first)
        planned.starts[job] = least
        planned.places[job] = best
    return lost
