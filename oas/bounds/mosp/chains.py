"""The heaviest chains: jobs that can run one after another within their deadlines, in integers.

Lawler and Moore (1969): jobs can run one after another in time if and only if they can in the order of their deadlines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.knapsack import table_type

if TYPE_CHECKING:
    from collections.abc import Sequence

# Jobs times ticks; beyond it time is counted in coarser units, rounded so that no chain is lost.
MAX_CELLS = 4_000_000


def heaviest_chain(
    weights: Sequence[int], times: Sequence[int], deadlines: Sequence[int]
) -> tuple[int, tuple[int, ...]]:
    """Return what no chain outweighs, and a chain that weighs so much, in coarser units of time perhaps a little late.

    Parameters
    ----------
    weights, times, deadlines
        Of each job: at least 0, p, and the last moment at which it may end.
    """
    jobs = [job for job, weight in enumerate(weights) if weight > 0 and times[job] <= deadlines[job]]
    if not jobs:
        return 0, ()
    unit = -(-len(jobs) * max(deadlines[job] for job in jobs) // MAX_CELLS)
    jobs.sort(key=lambda job: deadlines[job])
    best = np.zeros(1, dtype=table_type(weights))  # best[t]: the most that t units of work can weigh
    steps: list[Any] = []
    for job in jobs:
        time, deadline = times[job] // unit, deadlines[job] // unit
        best = np.concatenate((best, np.repeat(best[-1:], deadline + 1 - len(best))))
        steps.append(best)
        best = best.copy()
        np.maximum(best[time:], steps[-1][: deadline + 1 - time] + weights[job], out=best[time:])
    weight, left, taken = int(best[-1]), len(best) - 1, []
    for job, before in zip(reversed(jobs), reversed(steps), strict=True):
        left = min(left, len(before) - 1)
        start = left - times[job] // unit
        if start >= 0 and before[start] + weights[job] > before[left]:
            taken.append(job)
            left = start
    return weight, tuple(taken)
