"""Feasibility of jobs on one cluster, by windows of starts and orders of pairs: functions over arrays.

A branch-and-bound node has the earliest and the latest start of each job, and the pairs of jobs whose order is fixed.
Three rules tighten or close it:

- Pairs: of two jobs too wide to run side by side, one ends before the other starts; often only one order is possible.
- Profile: a job with window [a, b] and time p certainly runs in [b, a + p). A job cannot run where others certainly run
  and leave too few processors (the time-table rule of constraint programming).
- Intervals: the parts of the jobs that must run between two moments, for any start in their windows, must fit between
  them (energetic reasoning, Baptiste, Le Pape and Nuijten, 2001).

The search then branches on the order of a pair that cannot run side by side and, if all these are fixed, on the half of
a window.
"""

from __future__ import annotations

from typing import Any, NamedTuple

NO, YES, GIVEN_UP = 0, 1, 2
LONG_WINDOW = 2**26  # maximum length of windows in products: times an area of at most 2^36 it fits into 64 bits


class ClusterJobs(NamedTuple):
    """The jobs of an instance, and a cluster that must run some of them by a makespan."""

    times: Any  # of each job
    widths: Any
    deadlines: Any
    heights: Any  # [row, job]: weights; jobs that fit side by side weigh at most the last entry of their row
    size: int  # processors of the cluster
    makespan: int  # in ticks


class WindowMemory(NamedTuple):
    """Arrays that `split_windows` writes: [branch-and-bound node on the current path, place in `jobs`].

    If there are too few rows, the search gives up.
    """

    first: Any  # earliest start
    last: Any  # latest start
    after: Any  # bit set of the places whose jobs begin no earlier than this job ends


def order_pairs(jobs: Any, count: int, times: Any, widths: Any, size: int, first: Any, last: Any, after: Any) -> Any:
    """Tighten windows by the order of pairs; return 0 if infeasible, 1 if unchanged, otherwise 2."""
    result = 1
    for i in range(count):
        p = times[jobs[i]]
        for k in range(count):
            if after[i] >> k & 1:
                if first[i] + p > first[k]:
                    first[k] = first[i] + p
                    result = 2
                if last[k] - p < last[i]:
                    last[i] = last[k] - p
                    result = 2
                if first[k] > last[k] or first[i] > last[i]:
                    return 0
            elif i < k and widths[jobs[i]] + widths[jobs[k]] > size and not after[k] >> i & 1:
                before = first[i] + p <= last[k]
                behind = first[k] + times[jobs[k]] <= last[i]
                if not before and not behind:
                    return 0
                if not behind:
                    after[i] |= 1 << k
                    result = 2
                elif not before:
                    after[k] |= 1 << i
                    result = 2
    return result


def runs_beside(jobs: Any, count: int, times: Any, widths: Any, first: Any, last: Any, place: int, moment: int) -> Any:
    """Return processors, first end and last begin of the jobs, except at `place`, that certainly run at `moment`."""
    used, end, begin = 0, -1, -1
    for k in range(count):
        if k != place and last[k] <= moment < first[k] + times[jobs[k]]:
            used += widths[jobs[k]]
            if end < 0 or first[k] + times[jobs[k]] < end:
                end = first[k] + times[jobs[k]]
            begin = max(begin, last[k])
    return used, end, begin


def keep_profile(jobs: Any, count: int, times: Any, widths: Any, size: int, first: Any, last: Any) -> Any:
    """Tighten windows by the jobs that certainly run; return 0 if infeasible, 1 if unchanged, otherwise 2."""
    result = 1
    for i in range(count):
        p, room = times[jobs[i]], size - widths[jobs[i]]
        k = 0
        while k < count:  # from the front: a moment that the earliest run of i covers
            moment = max(first[i], last[k])
            if k != i and moment < first[i] + p and last[k] <= moment < first[k] + times[jobs[k]]:
                used, end, _ = runs_beside(jobs, count, times, widths, first, last, i, moment)
                if used > room:
                    if end > last[i]:
                        return 0
                    first[i] = end
                    result, k = 2, 0
                    continue
            k += 1
        k = 0
        while k < count:  # and from the back
            moment = min(last[i] + p, first[k] + times[jobs[k]]) - 1
            if k != i and moment >= last[i] and last[k] <= moment < first[k] + times[jobs[k]]:
                used, _, begin = runs_beside(jobs, count, times, widths, first, last, i, moment)
                if used > room:
                    if begin - p < first[i]:
                        return 0
                    last[i] = begin - p
                    result, k = 2, 0
                    continue
            k += 1
    return result


def is_overloaded(jobs: Any, count: int, times: Any, weights: Any, capacity: int, first: Any, last: Any) -> Any:
    """Whether the parts of jobs that must run between two window bounds weigh more than `capacity` allows."""
    for x in range(2 * count):
        begin = first[x // 2] if x % 2 == 0 else last[x // 2]
        for y in range(2 * count):
            end = times[jobs[y // 2]] + (first[y // 2] if y % 2 == 0 else last[y // 2])
            if end <= begin:
                continue
            load = 0
            for i in range(count):
                p = times[jobs[i]]
                inside = min(min(p, end - begin), min(first[i] + p - begin, end - last[i]))
                if inside > 0:
                    load += inside * weights[jobs[i]]
            if load > capacity * (end - begin):
                return True
    return False


def is_closed(jobs: Any, count: int, times: Any, widths: Any, size: int, first: Any, last: Any, after: Any) -> Any:
    """Tighten the windows until nothing changes; return whether this proves that there is no schedule."""
    changed = True
    while changed:
        pairs = order_pairs(jobs, count, times, widths, size, first, last, after)
        if pairs == 0:
            return True
        profile = keep_profile(jobs, count, times, widths, size, first, last)
        if profile == 0:
            return True
        changed = pairs == 2 or profile == 2
    return is_overloaded(jobs, count, times, widths, size, first, last)


def tightest_pair(jobs: Any, count: int, times: Any, widths: Any, size: int, first: Any, last: Any, after: Any) -> Any:
    """Return the undecided pair of places with the least slack, in the order with more slack; -1 if there is none."""
    before, behind, least = -1, -1, -1
    for i in range(count):
        for k in range(i):
            if widths[jobs[i]] + widths[jobs[k]] <= size or after[i] >> k & 1 or after[k] >> i & 1:
                continue
            forth, back = last[k] - first[i] - times[jobs[i]], last[i] - first[k] - times[jobs[k]]
            if least < 0 or forth + back < least:
                least = forth + back
                before, behind = (i, k) if forth >= back else (k, i)
    return before, behind


def widest_window(jobs: Any, count: int, times: Any, widths: Any, first: Any, last: Any) -> int:
    """Return the place of the job with the greatest product of area and window; -1 if all starts are fixed."""
    place, most = -1, 0
    for i in range(count):
        product = times[jobs[i]] * widths[jobs[i]] * min(last[i] - first[i], LONG_WINDOW)
        if product > most:
            place, most = i, product
    return place


def split_windows(cluster: ClusterJobs, jobs: Any, count: int, limit: int, memory: WindowMemory) -> Any:
    """Whether the first `count` of `jobs` can run on the cluster in time: NO, YES, or GIVEN_UP after `limit` nodes.

    Also returns the number of nodes. The starts, if YES, are in ``first[0]``. If every deadline is the makespan,
    schedules can be mirrored, so one job starts in the first half of its window.
    """
    times, widths, deadlines, _, size, makespan = cluster
    first, last, after = memory
    largest, mirrors = 0, True
    for i in range(count):
        first[0, i] = 0
        last[0, i] = deadlines[jobs[i]] - times[jobs[i]]
        after[0, i] = 0
        if last[0, i] < 0:
            return NO, 0
        mirrors = mirrors and deadlines[jobs[i]] == makespan
        if times[jobs[i]] * widths[jobs[i]] > times[jobs[largest]] * widths[jobs[largest]]:
            largest = i
    if mirrors:
        last[0, largest] //= 2
    level = 0
    for node in range(limit):
        if is_closed(jobs, count, times, widths, size, first[level], last[level], after[level]):
            if level == 0:
                return NO, node + 1
            level -= 1
            continue
        begins, ends = tightest_pair(jobs, count, times, widths, size, first[level], last[level], after[level])
        place = -1 if begins >= 0 else widest_window(jobs, count, times, widths, first[level], last[level])
        if begins < 0 and place < 0:
            for i in range(count):
                first[0, i] = first[level, i]
            return YES, node + 1
        if level + 1 == len(first):
            return GIVEN_UP, node + 1
        for i in range(count):
            first[level + 1, i] = first[level, i]
            last[level + 1, i] = last[level, i]
            after[level + 1, i] = after[level, i]
        if begins >= 0:
            after[level, begins] |= 1 << ends
            after[level + 1, ends] |= 1 << begins
        else:
            middle = (first[level, place] + last[level, place]) // 2
            last[level + 1, place] = middle
            first[level, place] = middle + 1
        level += 1
    return GIVEN_UP, limit
