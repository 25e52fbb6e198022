"""Reductions of start-indexed models: symmetric and dominated allocations, and starts that no optimum needs, left out.

Each reduction keeps some optimal schedule, and all of them together do. Take, among the optimal schedules, one with
the least sum of starts. Relabelling identical jobs, permuting identical clusters and replacing an allocation by one
that dominates it keep every start and lengthen no job, so the sum stays least, and the schedule they lead to has
every job at 0 or at the end of another: each start is a sum of durations of other jobs on allocations that are kept.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.problems.coallocation.allocations import Allocation, Run, allocations, make_allocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation


def identical_jobs(scaled: ScaledCoallocation) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more jobs that differ in nothing but their name."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for job in range(scaled.job_count):
        key = (scaled.tasks[job], scaled.durations[job], scaled.link_loads[job])
        groups.setdefault(key, []).append(job)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def identical_clusters(scaled: ScaledCoallocation) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more clusters with the same link and the same nodes of each Γ."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for cluster, capacity in enumerate(scaled.link_capacity):
        own = [(one.level, len(one.nodes)) for one in scaled.classes if one.cluster == cluster]
        groups.setdefault((capacity, *own), []).append(cluster)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def widest_job(scaled: ScaledCoallocation) -> int:
    """The job whose allocations are kept canonical: the one with most tasks, ties to the earlier."""
    return max(range(scaled.job_count), key=lambda job: (scaled.tasks[job], -job))


def reduced_allocations(scaled: ScaledCoallocation) -> tuple[tuple[Allocation, ...], ...]:
    """For each job, its allocations without those that symmetry or dominance makes needless."""
    every = [allocations(scaled, job) for job in range(scaled.job_count)]
    first = widest_job(scaled)
    every[first] = [choice for choice in every[first] if _is_canonical(scaled, choice)]
    nodes, links = _binding(scaled, every)
    return tuple(tuple(_undominated(own, nodes, links)) for own in every)


def normal_patterns(durations: Sequence[set[int]], horizon: int, cap: int) -> tuple[tuple[int, ...], ...]:
    """For each job, the sums of durations of distinct other jobs that leave it time to end by `horizon`.

    Raises
    ------
    TooLargeError
        If the jobs together have more than `cap` starts.
    """
    patterns = []
    for job, own in enumerate(durations):
        latest = horizon - min(own)
        sums = {0}
        for other, lengths in enumerate(durations):
            if other != job:
                sums |= {total + length for total in sums for length in lengths if total + length <= latest}
            if len(sums) > cap:
                raise TooLargeError(f"more than {cap:,} starts to consider for one job; a coarser slot would help")
        patterns.append(tuple(sorted(sums)))
    return tuple(patterns)


def canonical_runs(
    scaled: ScaledCoallocation,
    choices: Sequence[Sequence[Allocation]],
    identical: Sequence[Sequence[int]],
    runs: Sequence[Run],
) -> list[Run] | None:
    """Return feasible runs moved onto the kept allocations by the same exchanges; None if that fails."""
    by_job = {run.job: run for run in runs}
    for group in identical:
        ordered = sorted((by_job[job] for job in group), key=lambda run: (run.start, run.job))
        by_job.update({job: Run(job, run.start, run.allocation) for job, run in zip(group, ordered, strict=True)})
    first = widest_job(scaled)
    swap = min(_cluster_swaps(scaled), key=lambda order: _permuted(scaled, by_job[first].allocation.counts, order))
    nodes, links = _binding(scaled, choices)
    moved = []
    for job, run in sorted(by_job.items()):
        counts = _permuted(scaled, run.allocation.counts, swap)
        allocation = make_allocation(scaled, job, counts)
        kept = next((one for one in choices[job] if _dominates(one, allocation, nodes, links)), None)
        if kept is None:
            return None
        moved.append(Run(job, run.start, kept))
    return moved


def _cluster_swaps(scaled: ScaledCoallocation) -> list[tuple[int, ...]]:
    """Permutations of the classes that permute identical clusters; at most 5040 are looked at."""
    orders = [list(range(scaled.cluster_count))]
    for group in identical_clusters(scaled):
        if len(group) <= 7 and len(orders) <= 1:
            orders = [_replaced(order, group, swap) for order in orders for swap in permutations(group)]
    return [_class_order(scaled, order) for order in orders]


def _replaced(order: list[int], group: Sequence[int], swap: tuple[int, ...]) -> list[int]:
    new = list(order)
    for place, cluster in zip(group, swap, strict=True):
        new[place] = cluster
    return new


def _class_order(scaled: ScaledCoallocation, clusters: list[int]) -> tuple[int, ...]:
    """Class indices so that the classes of cluster k are taken from those of clusters[k]."""
    of_cluster: dict[int, list[int]] = {}
    for index, node_class in enumerate(scaled.classes):
        of_cluster.setdefault(node_class.cluster, []).append(index)
    return tuple(index for cluster in range(scaled.cluster_count) for index in of_cluster[clusters[cluster]])


def _permuted(scaled: ScaledCoallocation, counts: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    return tuple(counts[index] for index in order)


def _is_canonical(scaled: ScaledCoallocation, choice: Allocation) -> bool:
    return all(choice.counts <= _permuted(scaled, choice.counts, order) for order in _cluster_swaps(scaled))


def _binding(scaled: ScaledCoallocation, every: Sequence[Sequence[Allocation]]) -> tuple[list[int], list[int]]:
    """Indices of the node classes and of the links that the jobs could overload at all."""
    nodes = [
        index
        for index, node_class in enumerate(scaled.classes)
        if sum(max(choice.counts[index] for choice in own) for own in every) > len(node_class.nodes)
    ]
    links = [
        index
        for index, capacity in enumerate(scaled.link_capacity)
        if sum(max(choice.loads[index] for choice in own) for own in every) > capacity
    ]
    return nodes, links


def _dominates(one: Allocation, other: Allocation, nodes: list[int], links: list[int]) -> bool:
    """Whether `one` asks no more of anything that can bind, and for no longer."""
    return (
        one.duration <= other.duration
        and all(one.counts[index] <= other.counts[index] for index in nodes)
        and all(one.loads[index] <= other.loads[index] for index in links)
    )


def _undominated(own: Sequence[Allocation], nodes: list[int], links: list[int]) -> list[Allocation]:
    kept: list[Allocation] = []
    for choice in own:  # among equals the first stays
        if not any(_dominates(one, choice, nodes, links) for one in kept):
            kept = [one for one in kept if not _dominates(choice, one, nodes, links)]
            kept.append(choice)
    return kept
