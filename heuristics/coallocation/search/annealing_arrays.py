"""A scaled co-allocation instance laid out for the kernels."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from heuristics.coallocation.search.annealing_kernels import Memory, Problem
from oas.problems.coallocation.allocations import fastest_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation

MOST_ORDERS = 24
MOST_SAVED = 64  # states of a schedule, each as long as the schedule itself; from 520 jobs on
# Of a link in its own unit. What jobs take from it never exceeds it, so nothing in the loops passes 2^53: durations
# add up to less (`scale_coallocation`), and each start is 0 or an end.
MOST_LOAD = 2**52


@lru_cache(maxsize=1)  # the searches of one instance share it
def make_problem(scaled: ScaledCoallocation) -> Problem | None:
    """Return the instance as lists of integers, never written to; None if a job has no allocation on an empty grid."""
    levels = range(len(scaled.powers))
    fastest = [fastest_level(scaled, job) for job in range(scaled.job_count)]
    canonical = []
    for least, times in zip(fastest, scaled.durations, strict=True):
        if least is None:
            return None
        canonical += [max(other for other in levels if times[other] == times[max(level, least)]) for level in levels]
    orders = fill_orders(scaled)
    loads, link, job = _links(scaled)
    free_at = [sum(len(one.nodes) for one in scaled.classes if one.level <= level) for level in levels]
    capacities = [link_capacity(capacity) for capacity in scaled.link_capacity]
    stride = 4 if scaled.job_count < 48 else max(8, scaled.job_count // MOST_SAVED)
    return Problem(
        sizes=[
            scaled.job_count,
            scaled.cluster_count,
            len(scaled.classes),
            len(scaled.powers),
            len(orders) + 2,
            stride,
        ],
        tasks=list(scaled.tasks),
        times=[time for times in scaled.durations for time in times],
        canonical=canonical,
        class_cluster=[one.cluster for one in scaled.classes],
        class_level=[one.level for one in scaled.classes],
        empty=[0, *free_at, *(len(one.nodes) for one in scaled.classes), *capacities],
        loads=loads,
        link=link,
        job=job,
        orders=[cluster for order in orders for cluster in order],
    )


def make_memory(problem: Problem) -> Memory:
    """Return room for the loops' work on `problem`."""
    jobs, clusters, classes, levels, _, stride = problem.sizes
    slots = jobs // stride + 1
    block = (jobs + 2) * (1 + levels + classes + clusters)
    return Memory(
        profile=[0] * block,
        rows=[0],
        saved=[0] * (2 * slots * block),
        saved_rows=[0] * (2 * slots),
        bank=[0] * slots,
        room=[0] * clusters,
        quiet=[0] * clusters,
        counts=[0] * classes,
        split=[0] * clusters,
        order=[0] * clusters,
        ends=[0] * (2 * jobs),
    )


def fill_orders(scaled: ScaledCoallocation) -> list[list[int]]:
    """Orders in which clusters are filled: slowest first, fastest first, and others until there are enough."""
    speed: list[list[int]] = [[] for _ in range(scaled.cluster_count)]
    for one in scaled.classes:
        speed[one.cluster].append(one.level)
    slowest_first = sorted(range(scaled.cluster_count), key=lambda k: [-level for level in reversed(speed[k])])
    if scaled.cluster_count <= 4:
        return [list(order) for order in permutations(slowest_first)]
    turned = [slowest_first[k:] + slowest_first[:k] for k in range(scaled.cluster_count)]
    return (turned + [order[::-1] for order in turned])[:MOST_ORDERS]


def link_capacity(capacity: int) -> int:
    """Return a link's capacity in its own unit: the given one, coarser if the capacity exceeds 2^52."""
    return capacity // _unit(capacity)


def link_load(load: int, capacity: int) -> int:
    """Return a load in the unit of `link_capacity`, rounded up.

    Loads that fit together in that unit fit together. A load that fits alone still does: rounded up beyond the
    capacity it becomes the capacity, beside which nothing else fits.
    """
    if load > capacity:
        return link_capacity(capacity) + 1
    return min(-(-load // _unit(capacity)), link_capacity(capacity))


def _unit(capacity: int) -> int:
    return -(-capacity // MOST_LOAD) or 1


def _links(scaled: ScaledCoallocation) -> tuple[list[int], list[int], list[int]]:
    """Return the loads of the distinct links, where each cluster's begin, and where in them each job's begin."""
    job = []
    size = 0
    for tasks in scaled.tasks:
        job.append(size)
        size += tasks // 2 + 1
    distinct: dict[int, int] = {}
    loads: list[int] = []
    for capacity in scaled.link_capacity:
        if capacity not in distinct:
            distinct[capacity] = len(loads)
            for tasks, row in zip(scaled.tasks, scaled.link_loads, strict=True):
                loads += _loads(row[: tasks // 2 + 1], capacity)
    return loads, [distinct[capacity] for capacity in scaled.link_capacity], job


def _loads(row: Sequence[int], capacity: int) -> Sequence[int]:
    if max(row) <= capacity == link_capacity(capacity):
        return row
    return [link_load(load, capacity) for load in row]
