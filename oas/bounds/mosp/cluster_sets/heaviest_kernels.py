"""Kernels of the search for the heaviest set that a cluster can run."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.bounds.mosp.cluster_sets.kernels import NO, WORD, PackMemory, fill_knapsacks, packs, place_of, sort_by
from oas.bounds.mosp.cluster_sets.windows import ClusterJobs
from oas.core.compiling import long_kernel


class Jobs(NamedTuple):
    """The jobs that a cluster can run, in the order of `Pricing.jobs`, and knowledge about their sets."""

    sizes: Any  # processors, makespan, steps of a packing
    # times, widths, deadlines, rank: of each job; `packs` tries those of lower rank first
    times: Any
    widths: Any
    deadlines: Any
    rank: Any
    heights: Any  # as in `packs`
    capacities: Any  # [knapsack]: no feasible set weighs more
    refuted: Any  # infeasible sets, each two words of bits
    memo: Any  # answers for other sets, two words of bits and the answer + 1; see `place_of`


class Items(NamedTuple):
    """Jobs that are supposed to be together, as one item each, and the cuts."""

    weights: Any  # of each item
    # first, members: where the jobs of each item begin in `members`, and one more
    first: Any
    members: Any
    words: Any  # [item]: its jobs in bits, two words
    sizes: Any  # [knapsack, item]
    apart: Any  # [item, item]: 1 for two that must not be in one set
    # first_cut, cuts, counts: where the cuts of each item begin in `cuts`, and one more; and how many jobs of the cut
    # the item has
    first_cut: Any
    cuts: Any
    counts: Any
    prices: Any  # [cut]: what a set loses that has two of its jobs or more


class Memory(NamedTuple):
    """Arrays that `heaviest_items` writes; a row for each item taken."""

    rest: Any  # [knapsack, item, capacity], see `fill_knapsacks`
    left: Any  # [row, knapsack]: capacity left
    # weight, count: [row]: weight less prices, and jobs
    weight: Any
    count: Any
    taken: Any  # [row]: the item
    # members, ordered: the jobs of the set, as taken and by rank
    members: Any
    ordered: Any
    words: Any  # [row]: the set in bits, two words
    held: Any  # [cut]: how many of its jobs are in the set


def take(items: Items, held: Any, item: int) -> int:
    """Count the item in the cuts; return the total price of the cuts that reach two jobs by it."""
    paid = 0
    for place in range(items.first_cut[item], items.first_cut[item + 1]):
        cut = items.cuts[place]
        before = held[cut]
        held[cut] = before + items.counts[place]
        if before < 2 <= held[cut]:
            paid += items.prices[cut]
    return paid


def leave(items: Items, held: Any, item: int) -> None:
    """Undo `take`, without the price."""
    for place in range(items.first_cut[item], items.first_cut[item + 1]):
        held[items.cuts[place]] -= items.counts[place]


def is_refuted(jobs: Jobs, members: Any, count: int, low: int, high: int) -> bool:
    """Whether the set contains an infeasible one: a refuted set, or itself without one member as the memo knows it."""
    for i in range(len(jobs.refuted)):
        if jobs.refuted[i, 0] & low == jobs.refuted[i, 0] and jobs.refuted[i, 1] & high == jobs.refuted[i, 1]:
            return True
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


@long_kernel
def pack(jobs: Jobs, members: Any, count: int, steps: int, ordered: Any, packing: PackMemory) -> Any:
    """Pack the first `count` of `members`: the answer and the steps of `packs`; `ordered` receives them by rank."""
    sort_by(jobs.rank, members, count, ordered)
    times, widths, deadlines = jobs.times, jobs.widths, jobs.deadlines
    cluster = ClusterJobs(times, widths, deadlines, jobs.heights, jobs.sizes[0], jobs.sizes[1])
    return packs(cluster, ordered, count, steps, packing)


def fits(jobs: Jobs, count: int, low: int, high: int, effort: int, memory: Memory, packing: PackMemory) -> Any:
    """Whether the first `count` of the members may be feasible, and the effort left."""
    if is_refuted(jobs, memory.members, count, low, high):
        return False, effort
    place = place_of(jobs.memo, low, high)
    if place >= 0 and jobs.memo[place, 2] > 0:
        return jobs.memo[place, 2] - 1 != NO, effort
    answer, spent = pack(jobs, memory.members, count, min(jobs.sizes[2], effort + 1), memory.ordered, packing)
    effort -= spent
    if place >= 0 and effort >= 0:
        jobs.memo[place, 0] = low
        jobs.memo[place, 1] = high
        jobs.memo[place, 2] = answer + 1
    return answer != NO, effort


@long_kernel
def heaviest_items(
    jobs: Jobs, items: Items, floor: int, effort: int, found: Any, memory: Memory, packing: PackMemory
) -> Any:
    """Find the heaviest set of items that one cluster can run in time, if above `floor`, by depth-first search.

    Returns its weight (`floor` if none is heavier), the number of sets found, each heavier than the one before, and the
    effort left, which is negative if the search was not complete. `found` receives the jobs of the last sets.
    """
    count, knapsacks = len(items.weights), len(jobs.capacities)
    rest, left, weight, taken, words = memory.rest, memory.left, memory.weight, memory.taken, memory.words
    for r in range(knapsacks):
        fill_knapsacks(items.weights, items.sizes[r], jobs.capacities[r], rest[r])
        left[0, r] = jobs.capacities[r]
    for cut in range(len(memory.held)):
        memory.held[cut] = 0
    chosen, item, best, sets = 0, 0, floor, 0
    while True:
        effort -= 1
        if effort < 0:
            return best, sets, effort
        hopeful = item < count
        if hopeful:
            for r in range(knapsacks):
                if weight[chosen] + rest[r, item, left[chosen, r]] <= best:
                    hopeful = False
                    break
        if not hopeful:  # back: leave out the item taken last
            if chosen == 0:
                return best, sets, effort
            chosen -= 1
            item = taken[chosen]
            leave(items, memory.held, item)
            item += 1
            continue
        free = items.weights[item] > 0
        for r in range(knapsacks):
            free = free and items.sizes[r, item] <= left[chosen, r]
        for i in range(chosen):
            free = free and items.apart[taken[i], item] == 0
        if free:
            total = weight[chosen] + items.weights[item] - take(items, memory.held, item)
            for r in range(knapsacks):
                free = free and total + rest[r, item + 1, left[chosen, r] - items.sizes[r, item]] > best
            if free:
                for w in range(2):
                    words[chosen + 1, w] = words[chosen, w] + items.words[item, w]
                held = memory.count[chosen]
                for place in range(items.first[item], items.first[item + 1]):
                    memory.members[held] = items.members[place]
                    held += 1
                memory.count[chosen + 1] = held
                low, high = words[chosen + 1, 0], words[chosen + 1, 1]
                free, effort = fits(jobs, held, low, high, effort, memory, packing)
            if free:
                taken[chosen] = item
                weight[chosen + 1] = total
                for r in range(knapsacks):
                    left[chosen + 1, r] = left[chosen, r] - items.sizes[r, item]
                chosen += 1
                if total > best:
                    best = total
                    row = sets % len(found)
                    for i in range(found.shape[1]):
                        found[row, i] = memory.members[i] if i < memory.count[chosen] else -1
                    sets += 1
            else:
                leave(items, memory.held, item)
        item += 1
