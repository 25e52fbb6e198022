"""The heaviest sets of jobs that fit side by side on given processors, and that can run one after another.

Both are 0/1 knapsacks, in integers. Jobs can run one after another in time if and only if they can in the order of
their deadlines (Lawler and Moore 1969).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EXACT = 2**62  # sums below this are exact in 64 bits; tables of larger sums have Python integers
# Jobs times ticks; beyond it time is counted in coarser units, rounded so that no chain is lost.
MAX_CHAIN_CELLS = 4_000_000


def heaviest_by_capacity(weights: Sequence[int], widths: Sequence[int], largest: int) -> list[int]:
    """Return, for every c from 0 to `largest`, the maximum weight of a set of jobs with Σ q ≤ c.

    `weights`: of each job, at least 0. `widths`: q of each job, at least 1.
    """
    best = np.zeros(largest + 1, dtype=table_type(weights))
    for job in _worthwhile(weights, widths, largest):
        width = widths[job]
        best[width:] = np.maximum(best[width:], best[: largest + 1 - width] + weights[job])
    return best.tolist()


def heaviest_sets(
    weights: Sequence[int], widths: Sequence[int], capacities: Iterable[int]
) -> list[tuple[int, tuple[int, ...]]]:
    """Return, for each of `capacities`, the weight of a heaviest set of jobs with Σ q ≤ c, and the set."""
    capacities = list(capacities)
    largest = max(capacities)
    jobs = _worthwhile(weights, widths, largest)
    table = np.zeros((len(jobs) + 1, largest + 1), dtype=table_type(weights))
    for row, job in enumerate(jobs):
        width = widths[job]
        table[row + 1, :width] = table[row, :width]
        np.maximum(table[row, width:], table[row, : largest + 1 - width] + weights[job], out=table[row + 1, width:])
    sets = []
    for capacity in capacities:
        left, taken = capacity, []
        for row in range(len(jobs), 0, -1):
            if table[row, left] != table[row - 1, left]:
                taken.append(jobs[row - 1])
                left -= widths[jobs[row - 1]]
        sets.append((int(table[-1, capacity]), tuple(taken)))
    return sets


def table_type(weights: Sequence[int]) -> Any:
    """Return the element type for which sums of these weights are exact."""
    return np.int64 if sum(weights) < EXACT else object


def _worthwhile(weights: Sequence[int], widths: Sequence[int], largest: int) -> list[int]:
    """Return the jobs that suffice for some heaviest set: for each width, the heaviest jobs that fit together."""
    alike: dict[int, list[int]] = defaultdict(list)
    for job, (weight, width) in enumerate(zip(weights, widths, strict=True)):
        if weight > 0 and width <= largest:
            alike[width].append(job)
    return [
        job
        for width in sorted(alike)
        for job in sorted(alike[width], key=lambda job: -weights[job])[: largest // width]
    ]


def heaviest_chain(
    weights: Sequence[int], times: Sequence[int], deadlines: Sequence[int]
) -> tuple[int, tuple[int, ...]]:
    """Return an upper bound on the weight of any chain, and a chain of this weight; in coarse units it may be late.

    `weights`: at least 0. `times`: p of each job. `deadlines`: the latest end of each job.
    """
    jobs = [job for job, weight in enumerate(weights) if weight > 0 and times[job] <= deadlines[job]]
    if not jobs:
        return 0, ()
    unit = -(-len(jobs) * max(deadlines[job] for job in jobs) // MAX_CHAIN_CELLS)
    jobs.sort(key=lambda job: deadlines[job])
    best = np.zeros(1, dtype=table_type(weights))  # best[t]: maximum weight of up to t units of work
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
