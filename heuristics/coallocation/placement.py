"""Placement rules: the nodes that a job takes of those free now, or None if it cannot start.

A rule is a function ``place(scaled, job, free, residual) -> Allocation | None``; the list engine takes any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from oas.problems.coallocation.allocations import Allocation, allowed_counts, make_allocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation


class PlacementRule(Protocol):
    """Choose an allocation of `job` within `free` nodes (by node class) and `residual` link capacity, or None."""

    def __call__(
        self, scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
    ) -> Allocation | None: ...


def one_cluster_first(
    scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
) -> Allocation | None:
    """One cluster if the job fits into one, fastest first; otherwise spread within what is left of the links.

    *Fastest* is the level: the Γ of the slowest node the job would use. One cluster: the least level at which some
    cluster has τ free nodes, ties to the earlier cluster. Spread: the least level at which the links allow some
    split; clusters are filled in the order of most free nodes (ties to the earlier), each with as many tasks as its
    link and the clusters after it allow. Inside a cluster the slowest nodes of the level go first, so that fast ones
    stay free for others.
    """
    tasks = scaled.tasks[job]
    if sum(free) < tasks:
        return None
    levels = range(len(scaled.powers))
    free_at = [_free_by_cluster(scaled, free, level) for level in levels]
    for level in levels:
        for cluster, nodes in enumerate(free_at[level]):
            if nodes >= tasks:
                split = [tasks if index == cluster else 0 for index in range(scaled.cluster_count)]
                return _allocate(scaled, job, free, level, split)
    for level in levels:
        found = _split(scaled, job, free_at[level], residual)
        if found is not None:
            return _allocate(scaled, job, free, level, found)
    return None


def _free_by_cluster(scaled: ScaledCoallocation, free: Sequence[int], level: int) -> list[int]:
    """Free nodes of each cluster that are at least as fast as `level`."""
    totals = [0] * scaled.cluster_count
    for node_class, nodes in zip(scaled.classes, free, strict=True):
        if node_class.level <= level:
            totals[node_class.cluster] += nodes
    return totals


def _split(scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]) -> list[int] | None:
    """Tasks for each cluster, or None; sets of reachable sums are kept as bits of integers."""
    tasks = scaled.tasks[job]
    if sum(free) < tasks:
        return None
    order = sorted(range(scaled.cluster_count), key=lambda cluster: (-free[cluster], cluster))
    allowed = allowed_counts(scaled, job, free, residual)
    reachable = [1]  # sums that the clusters from some point of `order` on can hold
    for cluster in reversed(order):
        sums = 0
        for count in allowed[cluster]:
            sums |= reachable[-1] << count
        reachable.append(sums)
    reachable.reverse()
    if not reachable[0] >> tasks & 1:
        return None
    split, left = [0] * scaled.cluster_count, tasks
    for position, cluster in enumerate(order):
        rest = reachable[position + 1]
        split[cluster] = max(count for count in allowed[cluster] if count <= left and rest >> (left - count) & 1)
        left -= split[cluster]
    return split


def _allocate(
    scaled: ScaledCoallocation, job: int, free: Sequence[int], level: int, split: Sequence[int]
) -> Allocation:
    counts, left = [0] * len(scaled.classes), list(split)
    for index in reversed(range(len(scaled.classes))):  # classes of a cluster stand fastest first
        node_class = scaled.classes[index]
        if node_class.level <= level:
            counts[index] = min(free[index], left[node_class.cluster])
            left[node_class.cluster] -= counts[index]
    return make_allocation(scaled, job, counts)
