"""At which levels the jobs of a co-allocation instance can run, and the nodes of each cluster by level.

Level l means nodes with the l-th greatest Γ or a greater one. A job on nodes of a level takes its tasks in numbers by
cluster; on the link of a cluster with n of its τ tasks it loads n·b·(τ − n)/(τ − 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationTicks
from oas.checker.errors import refused


class LevelMode(NamedTuple):
    """A job may use every node of this level or faster, and runs for so many ticks."""

    level: int
    ticks: int


JobModes = list[list[LevelMode]]
"""Of each job, fastest first."""


def nodes_up_to_level(scaled: CoallocationTicks) -> list[list[int]]:
    """Return ``nodes[k][l]``: how many nodes of cluster k have level l or a faster one."""
    nodes = [[0] * len(scaled.powers) for _ in range(scaled.cluster_count)]
    for held in scaled.classes:
        for level in range(held.level, len(scaled.powers)):
            nodes[held.cluster][level] += len(held.nodes)
    return nodes


def shifts_or(bits: int, low: int, high: int) -> int:
    """Return the bits shifted by each of low, low + 1, …, high, and all of these or-ed."""
    if high < low:
        return 0
    found, count, wanted = bits, 1, high - low + 1
    while 2 * count <= wanted:
        found |= found << count
        count *= 2
    return (found | found << (wanted - count)) << low


def counts_of_link(loads: Sequence[int], free: int, link: int) -> tuple[tuple[int, int], ...]:
    """Return, as runs (low, high), how many tasks a cluster with `free` nodes and this left of its link can hold.

    The load rises to the middle of the tasks and falls after it, alike on both sides.
    """
    tasks = len(loads) - 1
    free = min(free, tasks)
    if loads[tasks // 2] <= link:
        return ((0, free),)
    low, high = 0, tasks // 2  # a load of `low` fits, one of `high` does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if loads[middle] <= link else (low, middle)
    runs = ((0, min(low, free)), (tasks - low, free))
    return runs if runs[1][0] <= free else runs[:1]


def can_be_split(loads: Sequence[int], free: Sequence[int], links: Sequence[int]) -> bool:
    """Tell whether all tasks of a job can be split over clusters with so many free nodes and so much link left."""
    tasks = len(loads) - 1
    if sum(free) < tasks:
        return False
    mask, sums = (2 << tasks) - 1, 1  # bit s: the clusters so far can hold s tasks
    for nodes, link in zip(free, links, strict=True):
        reached = 0
        for low, high in counts_of_link(loads, nodes, link):
            reached |= shifts_or(sums, low, high)
        sums = reached & mask
    return bool(sums >> tasks & 1)


def fastest_level_of(scaled: CoallocationTicks, nodes: Sequence[Sequence[int]], job: int) -> int | None:
    """Return the least level at which the job can run on an empty grid, of these `nodes_up_to_level`; None for none."""
    for level in range(len(scaled.powers)):
        if can_be_split(scaled.link_loads[job], [row[level] for row in nodes], scaled.link_capacity):
            return level
    return None


def fastest_levels(scaled: CoallocationTicks) -> list[int]:
    """Return the least level of each job.

    Raises
    ------
    Refused
        If a job has none: the instance has no schedule.
    """
    nodes = nodes_up_to_level(scaled)
    known: dict[tuple[int, ...], int | None] = {}
    found = []
    for job, loads in enumerate(scaled.link_loads):
        if loads not in known:
            known[loads] = fastest_level_of(scaled, nodes, job)
        level = known[loads]
        if level is None:
            raise refused("certificate", f"job {job} has no allocation")
        found.append(level)
    return found


def modes_of_jobs(scaled: CoallocationTicks) -> JobModes:
    """Return each job's durations from its fastest level on; of levels that take equally long the slowest.

    Raises
    ------
    Refused
        If a job has none.
    """
    found = []
    for ticks, fastest in zip(scaled.durations, fastest_levels(scaled), strict=True):
        slowest = {ticks[level]: level for level in range(fastest, len(ticks))}
        found.append([LevelMode(level, time) for time, level in sorted(slowest.items())])
    return found
