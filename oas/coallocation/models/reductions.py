"""Removal of allocations and starts that no optimum needs, and conversion of runs to the kept allocations.

Each reduction keeps some optimal schedule, and all of them together do. Take, among the optimal schedules, one with
the least sum of starts. Relabelling identical jobs, permuting identical clusters and replacing an allocation by one
that dominates it keep every start and let no job end later, so the sum remains minimal. If saturation is forbidden,
every job of the resulting schedule starts at 0 or at the end of another: each start is a sum of durations of other jobs
on kept allocations.

The module also scales link capacities and loads for float solvers, for models that forbid saturation.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import factorial, gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.coallocation.allocations import allocations, make_allocation, slowest_level
from oas.coallocation.ticks import duration
from oas.core.errors import InputError, TooLargeError
from oas.core.numbers import ceil_to
from oas.solving.capacity_rows import CapacityRow, capacity_row
from oas.solving.formulation import alike, in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.allocations import Allocation
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.saturation import Saturation
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.solving.formulation import Groups

# With integer rows of 1e9 and more, HiGHS 1.15.1 called feasible models infeasible and proved bounds above the optimum.
LARGEST_LOAD_BITS = 12
# Sums of 2^12 such loads are still exact in a float's 53 bits.
EXACT_BITS = 40
UNDOMINATED = (
    "Of a job's allocations only those remain that no other dominates, with the widest job on the first of identical"
    " clusters: assumes that nodes matter only through durations and loads."
)
MAX_SWAPS = 5040  # maximum number of orders of identical clusters to examine; further groups keep their order


class LinkRows(NamedTuple):
    """Links for float solvers."""

    capacities: tuple[float, ...]
    loads: tuple[tuple[float, ...], ...]  # [job][count], as `ScaledCoallocation.link_loads`
    covers: tuple[CapacityRow, ...]  # of each link, with uses that are `ScaledCoallocation.link_loads`


def link_rows(scaled: ScaledCoallocation) -> LinkRows:
    """Return `scaled.link_capacity` and `scaled.link_loads` in a unit in which no load exceeds 2^12.

    The integers are divided by their common divisor (a capacity is rounded down: no sum of loads lies between) and
    then by a power of two, which changes no bit of a float's significand: sums and comparisons stay exact. Integers
    of more than 40 bits lose their last bits first; loads and capacities are rounded down, so that all sets that fit
    still fit and bounds remain valid. If loads nearly fill a link, `capacity_row` raises its capacity and adds covers.
    """
    loads = [load for row in scaled.link_loads for load in row]
    unit = gcd(*loads) or 1
    bits = (max(loads) // unit).bit_length()
    shift = max(0, bits - EXACT_BITS)
    power = 2 ** max(0, bits - shift - LARGEST_LOAD_BITS)
    rows = tuple(_link_row(scaled, cluster, unit) for cluster in range(scaled.cluster_count))
    capacities = tuple((row.capacity >> shift) / power for row in rows)
    small = tuple(tuple((load // unit >> shift) / power for load in row) for row in scaled.link_loads)
    return LinkRows(capacities, small, rows)


def _link_row(scaled: ScaledCoallocation, cluster: int, unit: int) -> CapacityRow:
    """Return the row of a link in this unit of load; the uses of its covers are in the unit of `scaled`."""
    sizes = [0] * scaled.cluster_count
    for one in scaled.classes:
        sizes[one.cluster] += len(one.nodes)
    here, elsewhere = sizes[cluster], sum(sizes) - sizes[cluster]
    uses = [
        [(loads[count] // unit, count) for count in range(max(0, tasks - elsewhere), min(tasks, here) + 1)]
        for tasks, loads in zip(scaled.tasks, scaled.link_loads, strict=True)
    ]
    row = capacity_row(scaled.link_capacity[cluster] // unit, uses, here)
    covers = tuple(tuple((job, use * unit) for job, use in cover) for cover in row.covers)
    return CapacityRow(row.capacity, covers)


def check_forbidden(policy: Saturation) -> None:
    """Check that `policy` forbids saturation, for models that support no other policy.

    Raises `InputError` if it is another.
    """
    if policy.slows:
        raise InputError("no model treats this policy; known: forbid", field="saturation", value=str(policy))


def identical_jobs(instance: CoallocationInstance) -> Groups:
    """Groups of two or more jobs that are identical except for their names."""
    if instance.saturation.slows:
        return alike([job.kind for job in instance.jobs])
    scaled = instance.scaled()
    return alike(list(zip(scaled.tasks, scaled.durations, scaled.link_loads, strict=True)))


def identical_clusters(scaled: ScaledCoallocation) -> Groups:
    """Groups of two or more clusters with the same link and the same nodes of each Γ."""
    nodes: list[list[tuple[int, int]]] = [[] for _ in range(scaled.cluster_count)]
    for one in scaled.classes:
        nodes[one.cluster].append((one.level, len(one.nodes)))
    return alike(list(zip(scaled.link_capacity, scaled.link_bandwidth, map(tuple, nodes), strict=True)))


def widest_job(scaled: ScaledCoallocation) -> int:
    """The job whose allocations are kept canonical: the one with most tasks, ties to the earlier."""
    return max(range(scaled.job_count), key=lambda job: (scaled.tasks[job], -job))


def reduced_allocations(instance: CoallocationInstance) -> tuple[tuple[Allocation, ...], ...]:
    """Return the allocations of each job that remain after reductions by symmetry and dominance."""
    scaled = instance.scaled()
    choices = [allocations(scaled, job) for job in range(scaled.job_count)]
    first, swaps = widest_job(scaled), _cluster_swaps(scaled)
    choices[first] = [one for one in choices[first] if all(one.counts <= _permuted(one, swap) for swap in swaps)]
    dominance = _Dominance(instance, choices)
    return tuple(dominance.undominated(job, own) for job, own in enumerate(choices))


def latest_end(instance: CoallocationInstance) -> Fraction:
    """Return the sum of all running times on the slowest nodes, with the greatest slowdown if links may be saturated.

    No schedule in which no job can start earlier ends later: until its end, some job is always running.
    """
    scaled = instance.scaled()
    links = zip(scaled.link_capacity, scaled.link_bandwidth, strict=True)
    slowdown = max([Fraction(1), *(Fraction(most, width) for most, width in links if width)])
    times = (job.base_time * (job.sigma / scaled.powers[-1] + (1 - job.sigma) * slowdown) for job in instance.jobs)
    return sum((ceil_to(time, instance.slot) for time in times), Fraction(0))


def normal_patterns(durations: Sequence[set[int]], horizon: int, cap: int) -> tuple[tuple[int, ...], ...]:
    """Return for each job the sums of durations of distinct other jobs that leave it time to end by `horizon`.

    Raises `TooLargeError` if the jobs together have more than `cap` starts.
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
    instance: CoallocationInstance, choices: Sequence[Sequence[Allocation]], identical: Groups, runs: Sequence[Any]
) -> list[Any] | None:
    """Return feasible runs moved onto the kept allocations by the same exchanges; None if that fails."""
    scaled = instance.scaled()
    by_job = in_order(identical, runs)
    first = by_job[widest_job(scaled)].allocation
    swap = min(_cluster_swaps(scaled), key=lambda order: _permuted(first, order))
    dominance = _Dominance(instance, choices)
    moved = []
    for job, run in sorted(by_job.items()):
        allocation = make_allocation(scaled, job, _permuted(run.allocation, swap))
        choice = next((one for one in choices[job] if dominance.holds(job, one, allocation)), None)
        if choice is None:
            return None
        moved.append(replace(run, job=job, allocation=choice))
    return moved


class _Dominance:
    """Whether an allocation of a job is as good as another in every schedule, for the instance's saturation policy.

    Node classes that the jobs cannot overload and links that they cannot saturate are ignored. If saturation is
    forbidden, and with the paper's sharing, less load never slows down a job, and a faster job never delays others.
    With max-min sharing neither holds, so loads and speed must be equal.
    """

    def __init__(self, instance: CoallocationInstance, choices: Sequence[Sequence[Allocation]]) -> None:
        self.instance = instance
        scaled = instance.scaled()
        self.monotone = instance.saturation.sharing == "paper"
        self.nodes = [
            index
            for index, node_class in enumerate(scaled.classes)
            if sum(max(one.counts[index] for one in own) for own in choices) > len(node_class.nodes)
        ]
        self.links = [
            index
            for index, bandwidth in enumerate(scaled.link_bandwidth)
            if sum(max(one.loads[index] for one in own) for own in choices) > bandwidth
        ]

    def holds(self, job: int, one: Allocation, other: Allocation) -> bool:
        """Whether `one` may replace `other` as an allocation of `job`."""
        if any(one.counts[index] > other.counts[index] for index in self.nodes):
            return False
        pairs = [(self._time(job, one), self._time(job, other))]
        pairs += [(one.loads[index], other.loads[index]) for index in self.links]
        if self.monotone:
            return all(mine <= theirs for mine, theirs in pairs)
        return all(mine == theirs for mine, theirs in pairs)

    def undominated(self, job: int, choices: Sequence[Allocation]) -> tuple[Allocation, ...]:
        """Return the allocations that are kept; the first of equal ones."""
        kept: list[Allocation] = []
        for choice in choices:
            if not any(self.holds(job, one, choice) for one in kept):
                kept = [*(one for one in kept if not self.holds(job, choice, one)), choice]
        return tuple(kept)

    def _time(self, job: int, allocation: Allocation) -> Fraction | int:
        """Return the running time over unsaturated links; under slowdown without rounding, which hides speeds."""
        if not self.instance.saturation.slows:
            return allocation.duration
        scaled = self.instance.scaled()
        slowest = slowest_level(scaled, allocation.counts)
        return duration(self.instance.jobs[job], scaled.powers[slowest], Fraction(0))


def _cluster_swaps(scaled: ScaledCoallocation) -> list[tuple[int, ...]]:
    """Orders of the node classes that permute identical clusters."""
    orders = [{cluster: cluster for cluster in range(scaled.cluster_count)}]
    for group in identical_clusters(scaled):
        if len(orders) * factorial(len(group)) <= MAX_SWAPS:
            swaps = [dict(zip(group, swap, strict=True)) for swap in permutations(group)]
            orders = [order | swap for order in orders for swap in swaps]
    return [class_order(scaled, list(order.values())) for order in orders]


def class_order(scaled: ScaledCoallocation, clusters: Sequence[int]) -> tuple[int, ...]:
    """Return class indices so that the classes of cluster k are taken from those of clusters[k]."""
    of_cluster: dict[int, list[int]] = {}
    for index, node_class in enumerate(scaled.classes):
        of_cluster.setdefault(node_class.cluster, []).append(index)
    return tuple(index for cluster in clusters for index in of_cluster[cluster])


def _permuted(allocation: Allocation, order: Sequence[int]) -> tuple[int, ...]:
    return tuple(allocation.counts[index] for index in order)
