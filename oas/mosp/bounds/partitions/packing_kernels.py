"""Kernels that decide whether one cluster can run a set of jobs, and find the heaviest set that it can run."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import long_kernel
from oas.mosp.bounds.partitions.windows import GIVEN_UP, NO, YES, ClusterJobs, WindowMemory, split_windows

WORD = 60  # jobs in each of the two words of a set
PROBES = 8  # places of the memo that are tried for a set
# If the search in order of time does not decide, a search by windows follows: for at most WINDOW_JOBS jobs, with one
# node for each STEPS_A_NODE steps. A node for n jobs counts as n³ / NODE_SHARE steps, which take as long.
WINDOW_JOBS, STEPS_A_NODE, NODE_SHARE = 40, 20, 10
STEP_JOBS = 16  # a step looks at all jobs of the set; it counts once more for each STEP_JOBS of them


class PackMemory(NamedTuple):
    """Arrays that `packs` writes, with a row for each step on the path of the search."""

    starts: Any  # of each position in the order of jobs; -1 before it begins
    started: Any  # [row]: the position that a step started; -1 if the step advanced time
    moments: Any  # [row]
    before: Any  # [row]: processors that remained free at the moment before
    slack: Any  # [row, height]: weight × ticks that may still be wasted
    windows: WindowMemory  # for `split_windows`


def advance(cluster: ClusterJobs, jobs: Any, count: int, now: int, starts: Any, slack: Any, out: Any) -> int:
    """Return when the next job ends; 0 if time cannot advance until then.

    `out` receives the slack minus the waste of each height in between, which must stay at least 0. All jobs that have
    not started must still be able to end in time.
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
    """Decide whether the first `count` of `jobs` can run on the cluster in time: NO, YES or GIVEN_UP, and the effort.

    A search of at most `limit` steps in order of time tries jobs in the given order; if it does not decide, a search by
    windows of starts (`split_windows`) follows.
    """
    answer, spent = packs_in_time(cluster, jobs, count, limit, memory)
    spent *= 1 + count // STEP_JOBS
    if answer == GIVEN_UP and count <= WINDOW_JOBS:
        answer, nodes = split_windows(cluster, jobs, count, limit // STEPS_A_NODE, memory.windows)
        spent += nodes * (1 + count**3 // NODE_SHARE)
        for i in range(count):
            memory.starts[i] = memory.windows.first[0, i]
    return answer, spent


def packs_in_time(cluster: ClusterJobs, jobs: Any, count: int, limit: int, memory: PackMemory) -> Any:
    """Decide as `packs` does, by depth-first search in order of time; return the answer and the steps.

    Jobs start at 0 or when others end, and no job starts that could have started at the moment before. A schedule with
    the minimum sum of starts has this form.
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
        while True:  # backtrack to the last start
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
    """Fill ``rest[i, c]``: the maximum weight of jobs among i, i + 1, … within capacity c."""
    count = len(weights)
    for c in range(capacity + 1):
        rest[count, c] = 0
    for i in range(count - 1, -1, -1):
        for c in range(capacity + 1):
            rest[i, c] = rest[i + 1, c]
            if sizes[i] <= c and rest[i + 1, c - sizes[i]] + weights[i] > rest[i, c]:
                rest[i, c] = rest[i + 1, c - sizes[i]] + weights[i]


def place_of(memo: Any, low: int, high: int) -> int:
    """Return the place in the cache of the set with these words, or a free place for it; -1 if there is none."""
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


class Jobs(NamedTuple):
    """The jobs that a cluster can run, in the order of `Pricing.jobs`, and a cache of their sets."""

    sizes: Any  # processors, makespan, steps of a packing
    # times, widths, deadlines, rank: of each job; `packs` tries those of lower rank first
    times: Any
    widths: Any
    deadlines: Any
    rank: Any
    heights: Any  # as in `packs`
    loads: Any  # [knapsack, job]
    capacities: Any  # [knapsack]: no feasible set has a greater load
    memo: Any  # answers for sets, two words of bits and the answer + 1; see `place_of`


class Memory(NamedTuple):
    """Arrays that `heaviest_jobs` writes; a row for each selected job."""

    rest: Any  # [knapsack, job, capacity], see `fill_knapsacks`
    left: Any  # [row, knapsack]: capacity left
    weight: Any  # [row]
    taken: Any  # [row]: the job
    ordered: Any  # the jobs of the set by rank
    words: Any  # [row]: the set in bits, two words


def is_refuted(jobs: Jobs, members: Any, count: int, low: int, high: int) -> bool:
    """Whether the set without one of its members is known to be infeasible."""
    for i in range(count):
        less_low, less_high = low, high
        if members[i] < WORD:
            less_low -= 1 << members[i]
        else:
            less_high -= 1 << (members[i] - WORD)
        place = place_of(jobs.memo, less_low, less_high)
        if place >= 0 and jobs.memo[place, 2] == NO + 1:
            return True
    return False


def fits(jobs: Jobs, count: int, low: int, high: int, effort: int, memory: Memory, packing: PackMemory) -> Any:
    """Whether the first `count` of the jobs taken may be feasible, and the effort left."""
    if is_refuted(jobs, memory.taken, count, low, high):
        return False, effort
    place = place_of(jobs.memo, low, high)
    if place >= 0 and jobs.memo[place, 2] > 0:
        return jobs.memo[place, 2] - 1 != NO, effort
    sort_by(jobs.rank, memory.taken, count, memory.ordered)
    cluster = ClusterJobs(jobs.times, jobs.widths, jobs.deadlines, jobs.heights, jobs.sizes[0], jobs.sizes[1])
    answer, spent = packs(cluster, memory.ordered, count, min(jobs.sizes[2], effort + 1), packing)
    effort -= spent
    if place >= 0 and effort >= 0:
        jobs.memo[place, 0] = low
        jobs.memo[place, 1] = high
        jobs.memo[place, 2] = answer + 1
    return answer != NO, effort


@long_kernel
def heaviest_jobs(jobs: Jobs, weights: Any, effort: int, found: Any, memory: Memory, packing: PackMemory) -> Any:
    """Find the heaviest set of jobs that the cluster can run in time, by depth-first search.

    Returns its weight, the number of sets found, each heavier than the one before, and the effort left, which is
    negative if the search was not complete. `found` receives the jobs of the last sets.
    """
    count, knapsacks = len(weights), len(jobs.capacities)
    rest, left, weight, taken, words = memory.rest, memory.left, memory.weight, memory.taken, memory.words
    for r in range(knapsacks):
        fill_knapsacks(weights, jobs.loads[r], jobs.capacities[r], rest[r])
        left[0, r] = jobs.capacities[r]
    chosen, job, best, sets = 0, 0, 0, 0
    while True:
        effort -= 1
        if effort < 0:
            return best, sets, effort
        hopeful = job < count
        if hopeful:
            for r in range(knapsacks):
                if weight[chosen] + rest[r, job, left[chosen, r]] <= best:
                    hopeful = False
                    break
        if not hopeful:  # backtrack: leave out the job taken last
            if chosen == 0:
                return best, sets, effort
            chosen -= 1
            job = taken[chosen] + 1
            continue
        total = weight[chosen] + weights[job]
        free = weights[job] > 0
        for r in range(knapsacks):
            free = free and jobs.loads[r, job] <= left[chosen, r]
            free = free and total + rest[r, job + 1, left[chosen, r] - jobs.loads[r, job]] > best
        if free:
            taken[chosen] = job
            for w in range(2):
                words[chosen + 1, w] = words[chosen, w]
            words[chosen + 1, job // WORD] += 1 << (job % WORD)
            low, high = words[chosen + 1, 0], words[chosen + 1, 1]
            free, effort = fits(jobs, chosen + 1, low, high, effort, memory, packing)
        if free:
            weight[chosen + 1] = total
            for r in range(knapsacks):
                left[chosen + 1, r] = left[chosen, r] - jobs.loads[r, job]
            chosen += 1
            if total > best:
                best = total
                row = sets % len(found)
                for i in range(found.shape[1]):
                    found[row, i] = taken[i] if i < chosen else -1
                sets += 1
        job += 1
