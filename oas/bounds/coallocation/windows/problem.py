"""A co-allocation instance in the form of the search by windows: windows, weightings and pairs that are apart."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.problems.coallocation.allocations import fastest_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation

Item = tuple[int, int]  # (job, level)
Weighting = tuple[list[list[int]], int]  # (weights[job][level], capacity)

OUT = (0, -1)  # the window of a level that is out


def windows_of(scaled: ScaledCoallocation, makespan: int, mirrored: int) -> list[list[tuple[int, int]]]:
    """Return the first and the last start of each job at each level in a schedule that ends by `makespan`."""
    found = []
    for job, row in enumerate(scaled.durations):
        fastest = fastest_level(scaled, job)
        windows = []
        for level, ticks in enumerate(row):
            needless = level + 1 < len(row) and row[level + 1] == ticks
            if fastest is None or level < fastest or needless:
                windows.append(OUT)
            else:
                last = makespan - ticks
                windows.append((0, last // 2 if job == mirrored else last))
        found.append(windows)
    return found


def level_weightings(scaled: ScaledCoallocation) -> list[Weighting]:
    """Return a weighting for each level: tasks of jobs at it or a faster one, at most the number of such nodes."""
    levels = range(len(scaled.powers))
    return [
        (
            [[tasks if one <= level else 0 for one in levels] for tasks in scaled.tasks],
            sum(len(one.nodes) for one in scaled.classes if one.level <= level),
        )
        for level in levels
    ]


def set_weighting(scaled: ScaledCoallocation, items: Iterable[Item]) -> Weighting:
    """Return the weighting by which these jobs cannot all run at the same moment, at these levels or faster ones."""
    weights = [[0] * len(scaled.powers) for _ in range(scaled.job_count)]
    count = 0
    for job, level in items:
        weights[job][: level + 1] = [1] * (level + 1)
        count += 1
    return weights, count - 1


def apart_table(scaled: ScaledCoallocation, pairs: Iterable[Sequence[Item]]) -> Any:
    """Return the table [job, level, job, level]: whether the two are apart by a pair of the same or slower levels."""
    jobs, levels = scaled.job_count, len(scaled.powers)
    table = np.zeros((jobs, levels, jobs, levels), dtype=np.bool_)
    for (job, level), (other, below) in pairs:
        table[job, : level + 1, other, : below + 1] = True
        table[other, : below + 1, job, : level + 1] = True
    return table


def pairs_of(moments: Iterable[Iterable[int]]) -> list[tuple[int, int]]:
    """Return the pairs of jobs that run together at one of the moments, each pair once."""
    return sorted({pair for jobs in moments for pair in combinations(sorted(jobs), 2)})
