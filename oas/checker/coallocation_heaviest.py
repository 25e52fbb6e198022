"""The greatest weight of jobs that can run together, and weights in certificates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.reading import integers_of, list_of

MOST_PRICED_SETS = 200_000  # after which an upper bound is the answer
MOST_PRICED_CELLS = 20_000_000  # jobs times nodes, beyond which no search begins

Choice = TypeVar("Choice")


def heaviest_set(
    jobs: Sequence[tuple[int, Sequence[tuple[int, Choice]]]],
    nodes: int,
    weigh: Callable[[Sequence[Choice]], tuple[int, int] | None],
    effort: Effort,
    *,
    floor: int = 0,
    limit: int | None = None,
) -> int:
    """Return a weight that no set of jobs that can run together exceeds, or `floor` if that is more.

    Depth first over the jobs, those first that weigh most for each task, and over the choices of each. The jobs to come
    can add at most a knapsack of their weights in the nodes left. If the search is given up the answer is still true,
    but may be too great.

    Parameters
    ----------
    jobs
        Of each job, its tasks, and its choices with the weight of each alone, heaviest first.
    nodes
        Number of nodes.
    weigh
        Takes one choice of each of some jobs: their weight, and the most that they weigh whatever joins them; None if
        they cannot run together.
    limit
        Number of sets that are weighed; None for any number.
    """
    jobs = sorted((one for one in jobs if one[1]), key=lambda one: -(one[1][0][0] << 20) // one[0])
    if len(jobs) * nodes > MOST_PRICED_CELLS:
        return max(floor, sum(choices[0][0] for _, choices in jobs))
    effort.spend(len(jobs) * nodes // 4)
    rest = _knapsack_rests([(tasks, choices[0][0]) for tasks, choices in jobs], nodes)
    best, weighed = floor, 0
    chosen: list[Choice] = []
    open_sets = [(0, 0, 0, nodes)]  # next job, next choice of it, most that the set weighs, nodes left
    while open_sets:
        number, place, most, left = open_sets.pop()
        effort.spend(10)
        if number == len(jobs) or most + rest[number][left] <= best:
            if chosen:
                chosen.pop()
            continue
        tasks, choices = jobs[number]
        if tasks > left or place == len(choices) or most + choices[place][0] + rest[number + 1][left - tasks] <= best:
            open_sets.append((number + 1, 0, most, left))
            continue
        open_sets.append((number, place + 1, most, left))
        chosen.append(choices[place][1])
        weights = weigh(chosen)
        if weights is None:
            chosen.pop()
            continue
        weighed += 1
        if limit is not None and weighed > limit:
            return max(best, *(own + rest[at][room] for at, _, own, room in open_sets))
        best = max(best, weights[0])
        open_sets.append((number + 1, 0, weights[1], left - tasks))
    return best


def _knapsack_rests(items: Sequence[tuple[int, int]], nodes: int) -> list[list[int]]:
    """Return ``rest[i][c]``: the most that items i, i + 1, …, each (tasks, weight), can weigh on c nodes."""
    rest = [[0] * (nodes + 1)]
    for tasks, weight in reversed(items):
        after = rest[-1]
        with_it = [other + weight for other in after[: nodes + 1 - tasks]]
        rest.append(after[:tasks] + list(map(max, after[tasks:], with_it)))
    rest.reverse()
    return rest


def heaviest_together(together: Together, rows: Sequence[Sequence[tuple[int, int]]], floor: int = 0) -> int:
    """Return the same of jobs, each given by its levels, fastest first, with its weight of at least 0 at each."""
    weight_of: dict[LeveledJob, int] = {}
    jobs = []
    for job, row in enumerate(rows):
        choices: list[tuple[int, LeveledJob]] = []
        for level, weight in reversed(row):
            if weight > (choices[-1][0] if choices else 0):  # more than each slower level, which fits as well
                choices.append((weight, (job, level)))
                weight_of[job, level] = weight
        jobs.append((together.tasks[job], choices[::-1]))

    def weigh(items: Sequence[LeveledJob]) -> tuple[int, int] | None:
        weight = sum([weight_of[item] for item in items])
        return (weight, weight) if together.fits(items) else None

    nodes = together.capacity[-1]
    return heaviest_set(jobs, nodes, weigh, together.effort, floor=floor, limit=MOST_PRICED_SETS)


def read_level_weights(value: Any, where: str, lengths: Sequence[int], most: int) -> list[list[int]]:
    """Return the weights of each job, as many as `lengths` says and each at most `most`."""
    rows = zip(list_of(value, where, len(lengths)), lengths, strict=True)
    return [integers_of(row, f"{where}[{job}]", length, most) for job, (row, length) in enumerate(rows)]
