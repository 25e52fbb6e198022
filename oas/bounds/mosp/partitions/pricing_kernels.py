"""Kernels of the search for the heaviest set that a cluster can run."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.bounds.mosp.partitions.packing_kernels import NO, WORD, PackMemory, fill_knapsacks, packs, place_of, sort_by
from oas.bounds.mosp.partitions.windows import ClusterJobs
from oas.core.compiling import long_kernel


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
    """Whether the set without one member is known to be infeasible."""
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
        if not hopeful:  # back: leave out the job taken last
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
