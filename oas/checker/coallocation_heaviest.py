"""Weights of jobs by level, and the greatest weight of jobs that can run together, each at one of its levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.errors import refused
from oas.checker.reading import fields_of, integer_of, list_of

MOST_PRICED_SETS = 200_000
"""After which an upper bound is the answer."""
MOST_PRICED_CELLS = 20_000_000
"""Jobs times nodes, beyond which no search begins."""
MOST_WEIGHTINGS = 50
MOST_WEIGHT = 2**60

WeighedLevels = list[tuple[int, int]]
"""(weight, level) of a job, fastest level first."""


def heaviest_together(together: Together, rows: Sequence[WeighedLevels], floor: int = 0) -> int:
    """Return what no set of jobs that can run together weighs more than, or `floor` if that is more.

    Depth first over the jobs, those first that weigh most for each task. What jobs to come can add is at most a
    knapsack of their weights in the nodes left. Where the search is given up the answer is still true, but may be too
    great.

    Parameters
    ----------
    rows
        Of each job, the levels at which it can run, with what it weighs there, at least 0.
    """
    jobs = [(together.tasks[job], job, options) for job, row in enumerate(rows) if (options := _worth_taking(row))]
    jobs.sort(key=lambda one: (-(one[2][0][0] << 20) // one[0], one[1]))
    nodes = together.capacity[-1]
    if len(jobs) * nodes > MOST_PRICED_CELLS:
        return max(floor, sum(options[0][0] for _, _, options in jobs))
    rest = knapsack_rests([(tasks, options[0][0]) for tasks, _, options in jobs], nodes)
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
        tasks, job, options = jobs[number]
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


def _worth_taking(row: WeighedLevels) -> WeighedLevels:
    """Return the levels that weigh more than each slower one, which fits wherever they do, heaviest first."""
    options: WeighedLevels = []
    for weight, level in reversed(row):
        if weight > (options[-1][0] if options else 0):
            options.append((weight, level))
    return options[::-1]


def read_weightings(value: Any, fastest: Sequence[int], together: Together) -> list[tuple[list[list[int]], int]]:
    """Return the field ``weights`` of a log: each weighting by job and level, and its capacity, which is confirmed.

    Parameters
    ----------
    fastest
        The least level of each job.
    """
    weightings = []
    for number, one in enumerate(list_of(value, "certificate.weights", most=MOST_WEIGHTINGS)):
        where = f"certificate.weights[{number}]"
        fields_of(one, where, "jobs", "whole")
        whole = integer_of(one["whole"], f"{where}.whole", most=MOST_WEIGHT)
        rows = read_level_weights(one["jobs"], f"{where}.jobs", [together.levels] * len(fastest), whole)
        possible = [
            [(row[level], level) for level in range(first, len(row))] for row, first in zip(rows, fastest, strict=True)
        ]
        if heaviest_together(together, possible, floor=whole) > whole:
            raise refused(f"{where}.whole", "jobs that can run together may weigh more", whole)
        weightings.append((rows, whole))
    return weightings


def read_level_weights(value: Any, where: str, lengths: Sequence[int], most: int) -> list[list[int]]:
    """Return the weights of each job, as many as `lengths` says and each at most `most`."""
    rows = list_of(value, where, count=len(lengths))
    for job, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        for weight in list_of(row, f"{where}[{job}]", count=length):
            integer_of(weight, f"{where}[{job}]", most=most)
    return rows
