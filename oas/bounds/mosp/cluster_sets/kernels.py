"""Whether one cluster can run a set of jobs, and what is remembered of sets: functions over arrays.

They run as they stand or compiled by numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.bounds.mosp.cluster_sets.windows import GIVEN_UP, NO, YES, ClusterJobs, WindowMemory, split_windows

# Jobs that one of the two words of a set can name; places looked at for a set that is to be remembered.
WORD = 60
PROBES = 8
# What steps in order of time leave open is searched by windows: for up to so many jobs, a node for so many steps. For n
# jobs it counts as n³ / NODE_SHARE steps, which take as long.
WINDOW_JOBS, STEPS_A_NODE, NODE_SHARE = 40, 20, 10
# A step in order of time looks at all jobs of the set: it counts as one more for so many.
STEP_JOBS = 16


class PackMemory(NamedTuple):
    """Arrays that `packs` writes, for so many jobs or more; a row for each step on the way to where it stands.

    Attributes
    ----------
    starts
        Of each position in the order of jobs; -1 before it begins.
    started
        [row]: the position that a step started; -1 where time passed.
    moments
        [row]
    before
        [row]: processors free when the moment before had been decided.
    slack
        [row, height]: what each of the heights may still lose.
    windows
        For `split_windows`.
    """

    starts: Any
    started: Any
    moments: Any
    before: Any
    slack: Any
    windows: WindowMemory


def advance(cluster: ClusterJobs, jobs: Any, count: int, now: int, starts: Any, slack: Any, out: Any) -> int:
    """When the next job ends, if time may pass until then: 0 if not.

    What the heights lose in between comes off the slack, into `out`; and all that has not begun must still end in time.
    """
    times, deadlines, heights = cluster.times, cluster.deadlines, cluster.heights
    following = 0
    for i in range(count):
        if starts[i] >= 0:
            end = starts[i] + times[jobs[i]]
            if end > now and (following == 0 or end < following):
                following = end
    if following == 0:
        return 0
    for i in range(count):
        if starts[i] < 0 and following + times[jobs[i]] > deadlines[jobs[i]]:
            return 0
    for f in range(len(slack)):
        used = 0
        for i in range(count):
            if starts[i] >= 0 and starts[i] + times[jobs[i]] > now:
                used += heights[f, jobs[i]]
        out[f] = slack[f] - (heights[f, -1] - used) * (following - now)
        if out[f] < 0:
            return 0
    return following


def packs(cluster: ClusterJobs, jobs: Any, count: int, limit: int, memory: PackMemory) -> Any:
    """Whether the first `count` of `jobs` can run on the cluster in time: NO, YES, or GIVEN_UP.

    And the effort spent. First `limit` steps in order of time, then, where these are not enough, windows of starts are
    split (`split_windows`). Jobs to be tried first at a moment come first.
    """
    answer, spent = packs_in_time(cluster, jobs, count, limit, memory)
    spent *= 1 + count // STEP_JOBS
    if answer == GIVEN_UP and count <= WINDOW_JOBS:
        answer, nodes = split_windows(cluster, jobs, count, limit // STEPS_A_NODE, memory.windows)
        spent += nodes * (1 + count**3 // NODE_SHARE)
        for i in range(count):
            memory.starts[i] = memory.windows.first[0, i]
    if answer == YES and not keeps_rules(cluster, jobs, count, memory.starts):
        answer = GIVEN_UP
    return answer, spent


def keeps_rules(cluster: ClusterJobs, jobs: Any, count: int, starts: Any) -> Any:
    """Whether jobs with these starts end in time and find their processors: sets are left out for others that do."""
    times, widths, deadlines, _, size, _ = cluster
    for i in range(count):
        if starts[i] < 0 or starts[i] + times[jobs[i]] > deadlines[jobs[i]]:
            return False
        used = 0
        for k in range(count):
            if starts[k] <= starts[i] < starts[k] + times[jobs[k]]:
                used += widths[jobs[k]]
        if used > size:
            return False
    return True


def packs_in_time(cluster: ClusterJobs, jobs: Any, count: int, limit: int, memory: PackMemory) -> Any:
    """Whether the jobs can run, and the steps taken, as in `packs`, by depth-first search in order of time.

    Jobs start at 0 or where others end, and none that could have started when the one before those ended (a schedule
    with the least sum of starts is such).
    """
    times, widths, deadlines, heights, size, makespan = cluster
    functions = len(heights)
    starts, started, moments, before, slack, _ = memory
    for i in range(count):
        starts[i] = -1
    moments[0] = 0
    before[0] = -1
    for f in range(functions):
        slack[0, f] = heights[f, -1] * makespan
        for i in range(count):
            slack[0, f] -= heights[f, jobs[i]] * times[jobs[i]]
        if slack[0, f] < 0:
            return NO, 0
    level, place, free, waiting = 0, 0, size, count
    for step in range(limit):
        now = moments[level]
        while place < count:
            job = jobs[place]
            if starts[place] < 0 and before[level] < widths[job] <= free and now + times[job] <= deadlines[job]:
                break
            place += 1
        following = 0
        if place == count:
            following = advance(cluster, jobs, count, now, starts, slack[level], slack[level + 1])
        if place < count or following > 0:
            started[level] = place if place < count else -1
            moments[level + 1] = now
            before[level + 1] = before[level]
            level += 1
            if place < count:
                for f in range(functions):
                    slack[level, f] = slack[level - 1, f]
                starts[place] = now
                free -= widths[jobs[place]]
                waiting -= 1
                if waiting == 0:
                    return YES, step
                place += 1
            else:
                moments[level] = following
                before[level] = free
                for i in range(count):
                    if starts[i] >= 0 and starts[i] + times[jobs[i]] == following:
                        free += widths[jobs[i]]
                place = 0
            continue
        while True:  # back to the last start
            if level == 0:
                return NO, step
            level -= 1
            place = started[level]
            if place >= 0:
                break
            free = before[level + 1]
        starts[place] = -1
        free += widths[jobs[place]]
        waiting += 1
        place += 1
    return GIVEN_UP, limit


def fill_knapsacks(weights: Any, sizes: Any, capacity: int, rest: Any) -> None:
    """Fill ``rest[i, c]``: the most that jobs i, i + 1, … weigh within capacity c."""
    count = len(weights)
    for c in range(capacity + 1):
        rest[count, c] = 0
    for i in range(count - 1, -1, -1):
        for c in range(capacity + 1):
            rest[i, c] = rest[i + 1, c]
            if sizes[i] <= c and rest[i + 1, c - sizes[i]] + weights[i] > rest[i, c]:
                rest[i, c] = rest[i + 1, c - sizes[i]] + weights[i]


def place_of(memo: Any, low: int, high: int) -> int:
    """Where the memo has the answer for the set of these two words, or has room for it; -1 if neither."""
    place = (low % 2147483647 * 1103515245 + high % 2147483629 * 12345679) % len(memo)
    for _ in range(PROBES):
        if memo[place, 2] == 0 or (memo[place, 0] == low and memo[place, 1] == high):
            return place
        place = (place + 1) % len(memo)
    return -1


def sort_by(rank: Any, taken: Any, count: int, ordered: Any) -> None:
    """Put the first `count` of the jobs taken into `ordered`, by rank."""
    for i in range(count):
        place = i
        while place > 0 and rank[ordered[place - 1]] > rank[taken[i]]:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = taken[i]
