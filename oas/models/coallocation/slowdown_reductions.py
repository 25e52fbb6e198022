"""Allocations that no optimum under slowdown needs, and runs moved onto those that are kept.

Each reduction keeps some optimal schedule, and both together do: relabelling identical jobs and permuting identical
clusters change no rate, and where an allocation is replaced by one that dominates it, with every start kept, nobody
ends later. The reductions of `oas.models.coallocation.reductions` do not hold here: there a link binds or does not.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial, prod
from typing import TYPE_CHECKING

from oas.models.coallocation.reductions import widest_job
from oas.problems.coallocation.allocations import allocations, make_allocation
from oas.problems.coallocation.rates import rate
from oas.problems.coallocation.running import StartedRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation

MAX_SWAPS = 5040  # of identical clusters that are looked at; with more, none


def identical_jobs(instance: CoallocationInstance) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more jobs that differ in nothing but their name."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, job in enumerate(instance.jobs):
        groups.setdefault((job.tasks, job.base_time, job.bandwidth, job.sigma), []).append(index)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def reduced_allocations(instance: CoallocationInstance) -> tuple[tuple[Allocation, ...], ...]:
    """For each job, its allocations without those that symmetry or dominance makes needless."""
    scaled = instance.scaled()
    every = [allocations(scaled, job) for job in range(scaled.job_count)]
    first = widest_job(scaled)
    swaps = _cluster_swaps(scaled)
    every[first] = [one for one in every[first] if all(one.counts <= _permuted(one, swap) for swap in swaps)]
    dominance = _Dominance(instance, every)
    return tuple(tuple(dominance.undominated(job, own)) for job, own in enumerate(every))


def canonical_runs(
    instance: CoallocationInstance, choices: Sequence[Sequence[Allocation]], runs: Sequence[StartedRun]
) -> list[StartedRun] | None:
    """Return feasible runs moved onto the kept allocations by the same exchanges; None if that fails."""
    scaled = instance.scaled()
    by_job = {run.job: run for run in runs}
    for group in identical_jobs(instance):
        ordered = sorted((by_job[job] for job in group), key=lambda run: (run.start, run.job))
        moved = {job: StartedRun(job, run.start, run.allocation) for job, run in zip(group, ordered, strict=True)}
        by_job.update(moved)
    first = by_job[widest_job(scaled)].allocation
    swap = min(_cluster_swaps(scaled), key=lambda order: _permuted(first, order))
    dominance = _Dominance(instance, choices)
    found = []
    for job, run in sorted(by_job.items()):
        allocation = make_allocation(scaled, job, _permuted(run.allocation, swap))
        kept = next((one for one in choices[job] if dominance.holds(job, one, allocation)), None)
        if kept is None:
            return None
        found.append(StartedRun(job, run.start, kept))
    return found


class _Dominance:
    """Whether an allocation of a job is as good as another in every schedule, for the instance's sharing.

    Node classes that the jobs cannot overload do not count, nor links that they cannot saturate: SC is 1 there. With
    the paper's sharing less load slows nobody down, and who is faster makes nobody later. With max-min sharing neither
    holds, so that loads and speed must be equal.
    """

    def __init__(self, instance: CoallocationInstance, every: Sequence[Sequence[Allocation]]) -> None:
        self.instance = instance
        scaled = instance.scaled()
        self.monotone = instance.saturation.sharing == "paper"
        self.nodes = [
            index
            for index, node_class in enumerate(scaled.classes)
            if sum(max(one.counts[index] for one in own) for own in every) > len(node_class.nodes)
        ]
        self.links = [
            index
            for index, bandwidth in enumerate(scaled.link_bandwidth)
            if sum(max(one.loads[index] for one in own) for own in every) > bandwidth
        ]

    def holds(self, job: int, one: Allocation, other: Allocation) -> bool:
        """Whether `one` may stand for `other` as an allocation of `job`."""
        if any(one.counts[index] > other.counts[index] for index in self.nodes):
            return False
        speeds = self._speed(job, one), self._speed(job, other)
        loads = [(one.loads[index], other.loads[index]) for index in self.links]
        if self.monotone:
            return speeds[0] >= speeds[1] and all(mine <= theirs for mine, theirs in loads)
        return speeds[0] == speeds[1] and all(mine == theirs for mine, theirs in loads)

    def undominated(self, job: int, own: Sequence[Allocation]) -> list[Allocation]:
        """Return those that are kept; among equals the first."""
        kept: list[Allocation] = []
        for choice in own:
            if not any(self.holds(job, one, choice) for one in kept):
                kept = [one for one in kept if not self.holds(job, choice, one)]
                kept.append(choice)
        return kept

    def _speed(self, job: int, allocation: Allocation) -> Fraction:
        """Progress in a unit of time over links that are not saturated; durations may be rounded up to slots."""
        scaled = self.instance.scaled()
        pairs = zip(scaled.classes, allocation.counts, strict=True)
        slowest = max(node_class.level for node_class, count in pairs if count)
        return rate(self.instance.jobs[job], scaled.powers[slowest], Fraction(1))


def _cluster_swaps(scaled: ScaledCoallocation) -> list[tuple[int, ...]]:
    """Orders of the node classes that permute clusters alike: same link, same limit, same nodes of each Γ."""
    classes = [
        [place for place, one in enumerate(scaled.classes) if one.cluster == cluster]
        for cluster in range(scaled.cluster_count)
    ]
    groups: dict[tuple[object, ...], list[int]] = {}
    for cluster, own in enumerate(classes):
        nodes = tuple((scaled.classes[place].level, len(scaled.classes[place].nodes)) for place in own)
        groups.setdefault((scaled.link_capacity[cluster], scaled.link_bandwidth[cluster], nodes), []).append(cluster)
    orders = [tuple(range(scaled.cluster_count))]
    if prod(factorial(len(group)) for group in groups.values()) <= MAX_SWAPS:
        for group in groups.values():
            orders = [_replaced(order, group, swap) for order in orders for swap in permutations(group)]
    return [tuple(place for cluster in order for place in classes[cluster]) for order in orders]


def _replaced(order: tuple[int, ...], group: Sequence[int], swap: Sequence[int]) -> tuple[int, ...]:
    new = list(order)
    for place, cluster in zip(group, swap, strict=True):
        new[place] = cluster
    return tuple(new)


def _permuted(allocation: Allocation, order: Sequence[int]) -> tuple[int, ...]:
    return tuple(allocation.counts[place] for place in order)
