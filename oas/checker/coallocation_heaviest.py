"""The maximum weight of jobs that can run together, and weights in certificates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.reading import integers_of, list_of

MOST_PRICED_SETS = 200_000  # sets of a search; if there are more, the result is an upper bound
MOST_PRICED_CELLS = 20_000_000  # jobs times nodes; if there are more, there is no search

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
    """Return the maximum weight of jobs that can run together, or an upper bound on it; at least `floor`.

    The search is depth-first over the jobs, in the order of weight per task, and over the choices of each. The
    remaining jobs add at most a knapsack of their weights in the free nodes. A search that is stopped early gives an
    upper bound: every set that has not been weighed continues one of the open ones, or continues the last one weighed,
    which belongs to the open set without it: that one's bound includes the job's heaviest choice.

    Parameters
    ----------
    jobs
        For each job its tasks, and its choices with their weights alone, heaviest first.
    nodes
        Number of nodes.
    weigh
        Function of one choice of each of some jobs: returns their weight and an upper bound on their weight together
        with any further jobs; None if they cannot run together.
    limit
        Maximum number of sets to weigh; None for no limit.
    """
    jobs = sorted((one for one in jobs if one[1]), key=lambda one: -(one[1][0][0] << 20) // one[0])
    if len(jobs) * nodes > MOST_PRICED_CELLS:
        return max(floor, sum(choices[0][0] for _, choices in jobs))
    effort.spend(len(jobs) * nodes // 4)
    rest = _knapsack_rests([(tasks, choices[0][0]) for tasks, choices in jobs], nodes)
    best, weighed = floor, 0
    chosen: list[Choice] = []
    open_sets = [(0, 0, 0, nodes)]  # next job, its next choice, upper bound on the set's weight, free nodes
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
            return max(best, *(bound + rest[index][free] for index, _, bound, free in open_sets))
        best = max(best, weights[0])
        open_sets.append((number + 1, 0, weights[1], left - tasks))
    return best


def _knapsack_rests(items: Sequence[tuple[int, int]], nodes: int) -> list[list[int]]:
    """Return ``rest[i][c]``: the maximum weight of items i, i + 1, …, each (tasks, weight), on c nodes."""
    rest = [[0] * (nodes + 1)]
    for tasks, weight in reversed(items):
        without = rest[-1]
        with_item = [value + weight for value in without[: nodes + 1 - tasks]]
        rest.append(without[:tasks] + list(map(max, without[tasks:], with_item)))
    rest.reverse()
    return rest


def heaviest_together(
    together: Together,
    rows: Sequence[Sequence[tuple[int, int]]],
    floor: int = 0,
    fits: Callable[[Sequence[LeveledJob]], bool] | None = None,
) -> int:
    """Return `heaviest_set` for jobs given by their levels, fastest first, each with a weight of at least 0.

    The sets are those that `fits` accepts, or `Together.fits`. With a set, these must include its subsets and the sets
    in which some of its jobs have slower levels.
    """
    accepts = fits or together.fits
    weight_of: dict[LeveledJob, int] = {}
    jobs = []
    for job, row in enumerate(rows):
        choices: list[tuple[int, LeveledJob]] = []
        for level, weight in reversed(row):
            if weight > (choices[-1][0] if choices else 0):  # otherwise a slower level is at least as good
                choices.append((weight, (job, level)))
                weight_of[job, level] = weight
        jobs.append((together.tasks[job], choices[::-1]))

    def weigh(items: Sequence[LeveledJob]) -> tuple[int, int] | None:
        weight = sum([weight_of[item] for item in items])
        return (weight, weight) if accepts(items) else None

    nodes = together.capacity[-1]
    return heaviest_set(jobs, nodes, weigh, together.effort, floor=floor, limit=MOST_PRICED_SETS)


def read_level_weights(value: Any, where: str, lengths: Sequence[int], most: int) -> list[list[int]]:
    """Return the weights of each job, at most `most`; `lengths` are the numbers of weights."""
    rows = zip(list_of(value, where, len(lengths)), lengths, strict=True)
    return [integers_of(row, f"{where}[{job}]", length, most) for job, (row, length) in enumerate(rows)]
