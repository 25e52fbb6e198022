"""Kernels of the complete search for a partition: functions over arrays, in plain Python or compiled by numba."""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import long_kernel
from oas.mosp.bounds.partitions.packing_kernels import (
    GIVEN_UP,
    NO,
    WORD,
    YES,
    PackMemory,
    fill_knapsacks,
    packs,
    place_of,
    sort_by,
)
from oas.mosp.bounds.partitions.windows import ClusterJobs

JOBS, MEASURES, CLUSTERS, MAKESPAN, STEPS = range(5)  # indices of `Shapes.sizes`
# Results of a search: no partition; a partition with starts; only partitions with undecided sets; stopped.
REFUTED, FOUND, DOUBTFUL, STOPPED = 0, 1, 2, 3
FINAL_STEPS = 1_000_000  # maximum steps for each undecided set of a complete partition


class Shapes(NamedTuple):
    """The jobs, in the order in which sets are searched, and the clusters, those of one size one after another."""

    sizes: Any  # jobs, measures, clusters, makespan, steps of a packing
    kinds: Any  # [cluster]: index of its size in `processors`
    processors: Any  # [kind]
    # times, widths, deadlines, rank: of each job; `packs` tries those of lower rank first
    times: Any
    widths: Any
    deadlines: Any
    rank: Any
    twin: Any  # the last equal job before it; -1 if there is none
    heights: Any  # [kind, height, job], for each kind as in `packs`
    weights: Any  # [measure, job]
    capacities: Any  # [kind, measure]: no set that a cluster can run weighs more


class Memory(NamedTuple):
    """Arrays that `search` writes; a row for each job taken, and for each cluster one before its jobs."""

    owner: Any  # cluster of each job; -1 before it has one
    base: Any  # [cluster]: the row before those of its jobs
    begin: Any  # [cluster]: its first job is this one or a later one
    end: Any  # [cluster]: its first job comes before this one
    position: Any  # [cluster]: the next job to try
    taken: Any  # [row]: the jobs in the order taken; -1 in the row before those of a cluster
    left: Any  # [row, measure]: capacity left on the cluster that took the job
    budget: Any  # [cluster, measure]: capacity that this cluster and later ones may leave unused
    behind: Any  # [cluster, job, measure]: weight of the unassigned jobs from this one on that fit on the cluster
    words: Any  # [row]: the set of the cluster so far, in two words of bits
    rests: Any  # [cluster]: the remaining jobs before it, in two words of bits
    chosen: Any  # a set of jobs
    ordered: Any  # the same set by rank
    known: Any  # [kind]: cached answers for sets, see `place_of`
    failed: Any  # sets of jobs that the clusters from some cluster on cannot run: two words, and this cluster
    starts: Any  # of each job, if a partition was found


def cluster_of(shapes: Shapes, kind: int) -> ClusterJobs:
    """Return the jobs and a cluster of this kind, for `packs`."""
    size, makespan = shapes.processors[kind], shapes.sizes[MAKESPAN]
    return ClusterJobs(shapes.times, shapes.widths, shapes.deadlines, shapes.heights[kind], size, makespan)


def can_pack(
    shapes: Shapes, memory: Memory, packing: PackMemory, kind: int, count: int, low: int, high: int, steps: int
) -> Any:
    """Return whether the first `count` of `chosen` can run on a cluster of the kind (see `packs`), and the steps."""
    known = memory.known[kind]
    place = place_of(known, low, high)
    if place >= 0 and known[place, 2] > 0:
        answer = known[place, 2] - 1
        if answer != GIVEN_UP or steps <= shapes.sizes[STEPS]:
            return answer, 1
    sort_by(shapes.rank, memory.chosen, count, memory.ordered)
    answer, spent = packs(cluster_of(shapes, kind), memory.ordered, count, steps, packing)
    if place >= 0:
        known[place, 0] = low
        known[place, 1] = high
        known[place, 2] = answer + 1
    return answer, spent + 1


def is_last_kind(shapes: Shapes, cluster: int) -> Any:
    """Whether this cluster and all later ones have equal sizes."""
    return shapes.kinds[cluster] == shapes.kinds[shapes.sizes[CLUSTERS] - 1]


def is_free(shapes: Shapes, cluster: int) -> Any:
    """Whether the sets possible on `cluster` and later ones do not depend on the sets of earlier clusters."""
    return cluster == 0 or is_last_kind(shapes, cluster) or shapes.kinds[cluster] != shapes.kinds[cluster - 1]


def open_cluster(shapes: Shapes, memory: Memory, cluster: int, row: int) -> None:
    """Initialise `cluster` without jobs: the remaining jobs and the range of its first job."""
    jobs, measures, kind = shapes.sizes[JOBS], shapes.sizes[MEASURES], shapes.kinds[cluster]
    for r in range(measures):
        memory.behind[cluster, jobs, r] = 0
        memory.left[row, r] = shapes.capacities[kind, r]
    for w in range(2):
        memory.rests[cluster, w] = 0
        memory.words[row, w] = 0
    begin, end = 0, jobs
    for j in range(jobs - 1, -1, -1):
        waits = memory.owner[j] < 0
        for r in range(measures):
            memory.behind[cluster, j, r] = memory.behind[cluster, j + 1, r]
            if waits and shapes.widths[j] <= shapes.processors[kind]:
                memory.behind[cluster, j, r] += shapes.weights[r, j]
        if waits:
            memory.rests[cluster, j // WORD] += 1 << (j % WORD)
            begin = j
    if is_last_kind(shapes, cluster):
        end = begin + 1
    elif cluster > 0 and kind == shapes.kinds[cluster - 1]:
        begin = jobs
        if memory.base[cluster - 1] + 1 < row:
            begin = memory.taken[memory.base[cluster - 1] + 1] + 1
    memory.base[cluster] = row
    memory.taken[row] = -1
    memory.begin[cluster] = memory.position[cluster] = begin
    memory.end[cluster] = end


def collect(shapes: Shapes, memory: Memory, cluster: int) -> int:
    """Put the jobs of `cluster` into `chosen`; return how many there are."""
    count = 0
    for j in range(shapes.sizes[JOBS]):
        if memory.owner[j] == cluster:
            memory.chosen[count] = j
            count += 1
    return count


def is_extensible(shapes: Shapes, memory: Memory, packing: PackMemory, cluster: int, row: int) -> Any:
    """Whether some remaining job can certainly run in addition to those of `cluster`, and the number of steps."""
    spent, begin, kind = 0, memory.begin[cluster], shapes.kinds[cluster]
    if memory.base[cluster] < row:
        begin = memory.taken[memory.base[cluster] + 1] + 1
    for j in range(begin, shapes.sizes[JOBS]):
        fits = memory.owner[j] < 0 and shapes.widths[j] <= shapes.processors[kind]
        for r in range(shapes.sizes[MEASURES]):
            fits = fits and shapes.weights[r, j] <= memory.left[row, r]
        if not fits:
            continue
        low, high = memory.words[row, 0], memory.words[row, 1]
        if j < WORD:
            low += 1 << j
        else:
            high += 1 << (j - WORD)
        count = collect(shapes, memory, cluster)
        memory.chosen[count] = j
        answer, steps = can_pack(shapes, memory, packing, kind, count + 1, low, high, shapes.sizes[STEPS])
        spent += steps
        if answer == YES:
            return True, spent
    return False, spent


def finish(shapes: Shapes, memory: Memory, packing: PackMemory) -> Any:
    """Pack every cluster of a complete partition; return the answer and the steps, and write the starts if YES."""
    result, spent = YES, 0
    for cluster in range(shapes.sizes[CLUSTERS]):
        kind = shapes.kinds[cluster]
        count = collect(shapes, memory, cluster)
        if count == 0:
            continue
        sort_by(shapes.rank, memory.chosen, count, memory.ordered)
        longer = max(FINAL_STEPS, shapes.sizes[STEPS])
        answer, steps = packs(cluster_of(shapes, kind), memory.ordered, count, longer, packing)
        spent += steps + 1
        if answer == NO:
            return NO, spent
        if answer == GIVEN_UP:
            result = GIVEN_UP
        for i in range(count):
            memory.starts[memory.ordered[i]] = packing.starts[i]
    return result, spent


@long_kernel
def search(shapes: Shapes, memory: Memory, packing: PackMemory, knapsacks: int, rest: Any, effort: int) -> Any:
    """Distribute the jobs among the clusters by depth-first search; return the status.

    As in `oas.checker.mosp_partitions`. In addition, of equal clusters below the largest size each begins with a later
    job than the one before, and empty ones come last, because they are interchangeable. The jobs left after a cluster
    are stored if the later clusters cannot run them, whatever the sets of earlier clusters.

    `knapsacks`: number of leading measures for which `rest` bounds the remaining gain of the last measure. `rest`:
    filled by `fill_knapsacks`, for the weights of the last measure. `effort`: maximum number of steps, including
    packings.
    """
    jobs, measures, clusters, makespan, steps = shapes.sizes
    weights, capacities = shapes.weights, shapes.capacities
    owner, left, budget, behind = memory.owner, memory.left, memory.budget, memory.behind
    last = measures - 1
    for r in range(knapsacks):
        most = 0
        for cluster in range(clusters):
            most = max(most, capacities[shapes.kinds[cluster], r])
        fill_knapsacks(weights[last], weights[r], most, rest[r])
    for j in range(jobs):
        owner[j] = -1
    for r in range(measures):
        budget[0, r] = 0
        for cluster in range(clusters):
            budget[0, r] += capacities[shapes.kinds[cluster], r]
        for j in range(jobs):
            budget[0, r] -= weights[r, j]
        if budget[0, r] < 0:
            return REFUTED
    doubt, cluster, row, blamed = False, 0, 0, 0
    open_cluster(shapes, memory, 0, 0)
    while True:
        effort -= 1
        if effort < 0:
            return STOPPED
        kind, base = shapes.kinds[cluster], memory.base[cluster]
        size = shapes.processors[kind]
        j = memory.position[cluster]
        alive = row > base or j < memory.end[cluster] or memory.end[cluster] == jobs
        for r in range(measures):
            if alive and left[row, r] - behind[cluster, j, r] > budget[cluster, r]:
                alive = False
        if alive:
            for r in range(knapsacks):
                if left[row, last] - rest[r, j, left[row, r]] > budget[cluster, last]:
                    alive = False
                    break
        if alive and j < jobs:
            memory.position[cluster] = j + 1
            fits = owner[j] < 0 and shapes.widths[j] <= size
            if fits and shapes.twin[j] >= 0 and owner[shapes.twin[j]] < 0 and is_last_kind(shapes, cluster):
                fits = False  # the equal job before it must be taken first
            if fits:
                for r in range(measures):
                    if weights[r, j] > left[row, r]:
                        fits = False
                        break
            if fits:
                owner[j] = cluster
                for w in range(2):
                    memory.words[row + 1, w] = memory.words[row, w]
                memory.words[row + 1, j // WORD] += 1 << (j % WORD)
                count = collect(shapes, memory, cluster)
                area = 0
                for i in range(count):
                    area += shapes.times[memory.chosen[i]] * shapes.widths[memory.chosen[i]]
                if 2 * area >= size * makespan:
                    low, high = memory.words[row + 1, 0], memory.words[row + 1, 1]
                    answer, spent = can_pack(shapes, memory, packing, kind, count, low, high, steps)
                    effort -= spent
                    fits = answer != NO
                if fits:
                    row += 1
                    memory.taken[row] = j
                    for r in range(measures):
                        left[row, r] = left[row - 1, r] - weights[r, j]
                else:
                    owner[j] = -1
            continue
        if alive:  # the set is complete
            if row > base:
                count = collect(shapes, memory, cluster)
                low, high = memory.words[row, 0], memory.words[row, 1]
                answer, spent = can_pack(shapes, memory, packing, kind, count, low, high, steps)
                effort -= spent
                alive = answer != NO
            if alive and cluster < clusters - 1:
                extensible, spent = is_extensible(shapes, memory, packing, cluster, row)
                effort -= spent
                alive = not extensible
        if alive:
            waiting = 0
            for i in range(jobs):
                if owner[i] < 0:
                    waiting += 1
            if waiting == 0:
                answer, spent = finish(shapes, memory, packing)
                effort -= spent
                if answer == YES:
                    return FOUND
                doubt = doubt or answer == GIVEN_UP
                blamed = cluster  # a set of any cluster up to here may be the reason
            elif cluster < clusters - 1:
                low, high = memory.rests[cluster, 0], memory.rests[cluster, 1]
                for i in range(base + 1, row + 1):
                    job = memory.taken[i]
                    if job < WORD:
                        low -= 1 << job
                    else:
                        high -= 1 << (job - WORD)
                place = place_of(memory.failed, low, high)
                if place < 0 or memory.failed[place, 2] == 0 or memory.failed[place, 2] > cluster + 1:
                    for r in range(measures):
                        budget[cluster + 1, r] = budget[cluster, r] - left[row, r]
                    cluster += 1
                    row += 1
                    open_cluster(shapes, memory, cluster, row)
                    continue
        while True:  # backtrack: leave out the job taken last
            if row > memory.base[cluster]:
                job = memory.taken[row]
                owner[job] = -1
                row -= 1
                memory.position[cluster] = job + 1
                break
            if cluster == 0:
                return DOUBTFUL if doubt else REFUTED
            place = place_of(memory.failed, memory.rests[cluster, 0], memory.rests[cluster, 1])
            if (
                place >= 0
                and cluster > blamed
                and is_free(shapes, cluster)
                and (memory.failed[place, 2] == 0 or memory.failed[place, 2] > cluster)
            ):
                memory.failed[place, 0] = memory.rests[cluster, 0]
                memory.failed[place, 1] = memory.rests[cluster, 1]
                memory.failed[place, 2] = cluster
            cluster -= 1
            blamed = min(blamed, cluster)
            row -= 1
