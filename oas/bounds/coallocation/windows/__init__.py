"""The bound of a search by windows of starts that has refuted a makespan; its certificate is the log of the search.

`oas.checker.windows_log` explains the rules and the log. A job's modes are its levels: at level l it runs on nodes that
are as fast as level l or faster, and its duration is that of level l. The certificate (version 1) is an object with
these fields. Jobs are numbered as in the instance, levels from the fastest, and times are in units of the greatest
common divisor of all durations.

- ``makespan``: C. No schedule ends by C, so one unit more is a lower bound.
- ``mirrored``: a job that starts in the first half of [0, C − p], where p is its duration. A schedule read backwards is
  also a schedule, and in one of the two the job does so.
- ``weights``: objects with ``jobs``, w[j][l] for each job and level, and ``whole``, M: no set of jobs that can run
  together weighs more than M. The checker confirms that by exact pricing. Each is a weighting with capacity M.
- ``apart``: sets of at least two [job, level], of different jobs, that cannot all run at the same moment, not at faster
  levels either. The checker confirms that by exact packing. The two of a pair are apart. A larger set is a weighting:
  1 for each of its jobs at its level or a faster one, with a capacity of one less than the size of the set.
- ``conflicts``: objects with ``jobs``, [job, level] of different jobs, and ``moments``, lists of these jobs. If for
  each list there is a moment at which all of its jobs run, at these levels or faster ones, no choice of nodes lets
  every job keep its nodes. The checker confirms that by a complete search over node classes and links. The pairs of a
  conflict are those of its lists: if each two jobs of a list overlap, there is a moment at which all of them run.
- ``log``: bytes compressed by zlib, in base64.

The log refers to weightings by number. First come those of ``weights``; then one for each level l, in which jobs at
level l or a faster one weigh their tasks and the capacity is the number of such nodes; then the sets of more than two.

A level is out if the job has no allocation at it, or if the next slower level, which has more nodes, takes no longer.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.lower_bound import CertifiedBound
from oas.problems.coallocation.allocations import fastest_level
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.problems.coallocation.ticks import ScaledCoallocation

NAME = "windows"
VERSION = 1
BOUND = CertifiedBound(NAME, variants=(FORBID, SLOWDOWN, MAX_MIN))


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
