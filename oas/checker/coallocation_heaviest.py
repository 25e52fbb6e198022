"""The greatest weight of jobs of a co-allocation instance that can run together, each at one of its levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from oas.checker.coallocation_instance import CoallocationTicks
from oas.checker.coallocation_levels import JobModes, LevelMode
from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.errors import refused
from oas.checker.reading import fields_of, integer_of, list_of

MOST_PRICED_SETS = 200_000
"""After which an upper bound is the answer."""
MOST_PRICED_CELLS = 20_000_000
"""Jobs times nodes, beyond which no search begins."""
MOST_WEIGHTINGS = 50
MOST_WEIGHTING = 2**60
"""Of what can run together, over the whole schedule."""


class PricedJob(NamedTuple):
    """A job with the modes that are worth taking: (weight, level), heaviest first."""

    job: int
    tasks: int
    options: tuple[tuple[int, int], ...]


def heaviest_together(together: Together, modes: JobModes, weights: Sequence[Sequence[int]], floor: int = 0) -> int:
    """Return what no set of jobs that can run together weighs more than, or `floor` if that is more.

    Depth first over the jobs, those first that weigh most for each task. What jobs to come can add is at most a
    knapsack of their weights in the nodes left. Where the search is given up the answer is still true, but may be too
    great.

    Parameters
    ----------
    weights
        ``weights[j][m]`` of job j in its m-th mode, at least 0.
    """
    jobs = _priced_jobs(together, modes, weights)
    nodes = together.capacity[-1]
    if len(jobs) * nodes > MOST_PRICED_CELLS:
        return max(floor, sum(one.options[0][0] for one in jobs))
    rest = knapsack_rests([(one.tasks, one.options[0][0]) for one in jobs], nodes)
    together.effort.spend(len(jobs) * nodes // 4)
    best, looked_at = floor, 0
    chosen: list[LeveledJob] = []
    open_sets = [(0, 0, 0, nodes)]  # next job, next option of it, weight so far, nodes left
    while open_sets:
        number, option, weight, left = open_sets.pop()
        together.effort.spend(10)
        if weight + rest[number][left] <= best:
            if chosen:
                chosen.pop()
            continue
        job, tasks, options = jobs[number]
        worth = option < len(options) and weight + options[option][0] + rest[number + 1][left - tasks] > best
        if tasks > left or not worth:
            open_sets.append((number + 1, 0, weight, left))
            continue
        more, level = options[option]
        open_sets.append((number, option + 1, weight, left))
        chosen.append((job, level))
        if not together.fits(chosen):
            chosen.pop()
            continue
        looked_at += 1
        if looked_at > MOST_PRICED_SETS:
            return max(best, *(own + rest[at][room] for at, _, own, room in open_sets))
        best = max(best, weight + more)
        open_sets.append((number + 1, 0, weight + more, left - tasks))
    return best


def knapsack_rests(items: Sequence[tuple[int, int]], nodes: int) -> list[list[int]]:
    """Return ``rest[i][c]``: the most that items i, i + 1, …, each (tasks, weight), can weigh on c nodes."""
    rest = [[0] * (nodes + 1)]
    for tasks, weight in reversed(items):
        after = rest[-1]
        with_it = [other + weight for other in after[: nodes + 1 - tasks]]
        rest.append(after[:tasks] + list(map(max, after[tasks:], with_it)))
    rest.reverse()
    return rest


def _priced_jobs(together: Together, modes: JobModes, weights: Sequence[Sequence[int]]) -> list[PricedJob]:
    """Leave out modes that weigh no more than a slower one, which fits wherever they do, and jobs without weight."""
    found = []
    for job, row in enumerate(weights):
        options: list[tuple[int, int]] = []
        for weight, mode in zip(reversed(row), reversed(modes[job]), strict=True):
            if weight > (options[-1][0] if options else 0):
                options.append((weight, mode.level))
        if options:
            found.append(PricedJob(job, together.tasks[job], tuple(reversed(options))))
    return sorted(found, key=lambda one: (-(one.options[0][0] << 20) // one.tasks, one.job))


def read_weightings(
    scaled: CoallocationTicks, horizon: int, fastest: Sequence[int], together: Together, value: Any
) -> list[tuple[list[list[int]], int]]:
    """Return weights by job and level, and the capacity that no jobs that can run together exceed, each confirmed.

    Raises
    ------
    Refused
        If `value` is malformed, or a capacity is exceeded.
    """
    modes = [
        [LevelMode(level, ticks[level]) for level in range(first, len(ticks))]
        for ticks, first in zip(scaled.durations, fastest, strict=True)
    ]
    longest = max(horizon, sum(max(row) for row in scaled.durations))
    found = []
    for number, one in enumerate(list_of(value, "certificate.weights", most=MOST_WEIGHTINGS)):
        where = f"certificate.weights[{number}]"
        fields_of(one, where, "jobs", "whole")
        whole = integer_of(one["whole"], f"{where}.whole", most=MOST_WEIGHTING // longest)
        rows = list_of(one["jobs"], f"{where}.jobs", count=scaled.job_count)
        for job, row in enumerate(rows):
            place = f"{where}.jobs[{job}]"
            for weight in list_of(row, place, count=len(scaled.powers)):
                integer_of(weight, place, most=whole)
        possible = [row[first:] for row, first in zip(rows, fastest, strict=True)]
        if heaviest_together(together, modes, possible, floor=whole) > whole:
            raise refused(f"{where}.whole", "jobs that can run together may weigh more", whole)
        found.append((rows, whole))
    return found
