"""The heaviest set of jobs that can run together, in integers; it gives the bound that weights prove."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.bounds.configurations import Modes, ModeWeights
    from oas.coallocation.bounds.configurations.packing import Item

MAX_SETS = 200_000  # number of sets after which the search returns an upper bound
MAX_CELLS = 20_000_000  # jobs times nodes; beyond it there is no search
EXACT, LONG_SIZE = 2**62, 5  # greater sums of weights are Python integers, whose objects are this much larger


class RunningSets(Protocol):
    """Sets of items that run together: with a set, its subsets, and those in which items have slower levels."""

    @property
    def tasks(self) -> Sequence[int]: ...
    @property
    def capacity(self) -> Sequence[int]: ...
    def fits(self, items: Sequence[Item], /) -> bool:
        """Whether this is one of the sets."""
        ...


Choice = TypeVar("Choice")


class HeaviestSet(NamedTuple, Generic[Choice]):
    """The result of a search: the greatest weight of a set, and the sets found."""

    weight: int  # upper bound for all sets, at least the given minimum; attained if a set exceeds it
    sets: list[tuple[Choice, ...]]  # improving sets found during the search, all heavier than the given minimum
    complete: bool = True  # whether the search was complete; otherwise the weight is an upper bound only


def heaviest_set(
    jobs: Sequence[tuple[int, Sequence[tuple[int, Choice]]]],
    nodes: int,
    bound: Callable[[Sequence[Choice], int], int | None],
    weigh: Callable[[Sequence[Choice], int], int] = lambda _, most: most,
    *,
    floor: int = 0,
    limit: int,
    stop: Callable[[], bool] | None = None,
) -> HeaviestSet[Choice]:
    """Return the heaviest set of choices, at most one of each job, that can run together.

    Branch and bound over the jobs. The remaining jobs contribute at most the knapsack of their weights in the remaining
    nodes. A search that ends early returns the bound of the open sets; each set that it has not considered continues
    one of these.

    Parameters
    ----------
    jobs
        For each job its tasks, and its choices with their weights alone, heaviest first. The search is fast if jobs
        with much weight per task come first.
    nodes
        Number of nodes.
    bound
        Called with a set, and the bound of the set without its last choice plus the weight of this choice. Returns an
        upper bound on the weight of the set, alone or with further jobs; None if the set cannot run together. The sets
        are in depth-first order.
    weigh
        Called with a set and its bound, if this is above the weights so far. Returns the weight of the set.
    floor
        Sets of at most this weight are ignored.
    limit
        Maximum number of sets.
    stop
        Called before each set; returns whether to stop.
    """
    rest = knapsack_rows([(tasks, choices[0][0]) for tasks, choices in jobs], nodes)
    best = floor
    sets: list[tuple[Choice, ...]] = []
    chosen: list[Choice] = []
    frames = [[0, 0, 0, nodes]]  # next job, next choice of it, bound and nodes left so far
    while frames:
        frame = frames[-1]
        index, place, most, left = frame
        if index == len(jobs) or most + rest[index][left] <= best:
            frames.pop()
            if chosen:
                chosen.pop()
            continue
        tasks, choices = jobs[index]
        if tasks > left or place == len(choices) or most + choices[place][0] + rest[index + 1][left - tasks] <= best:
            frame[0], frame[1] = index + 1, 0
            continue
        frame[1] += 1
        weight, choice = choices[place]
        chosen.append(choice)
        stopped = stop is not None and stop()
        together = None if stopped else bound(chosen, most + weight)
        if together is None and not stopped:
            chosen.pop()
            continue
        limit -= 1
        if together is None or limit < 0:
            return HeaviestSet(max(best, *(one[2] + rest[one[0]][one[3]] for one in frames)), sets, complete=False)
        if together > best and (weight := weigh(chosen, together)) > best:
            best = weight
            sets.append(tuple(chosen))
        frames.append([index + 1, 0, together, left - tasks])
    return HeaviestSet(best, sets)


def heaviest(
    packing: RunningSets,
    modes: Modes,
    weights: ModeWeights,
    *,
    floor: int = 0,
    limit: int = MAX_SETS,
    stop: Callable[[], bool] | None = None,
) -> HeaviestSet[Item]:
    """Return the heaviest set of jobs, each in one mode, that can run together.

    `weights`: at least 0; 0 for a forbidden mode. `floor`, `limit`, `stop`: as for `heaviest_set`.
    """
    jobs = _choices(packing, modes, weights)
    total = sum(choices[0][0] for _, choices in jobs)
    if len(jobs) * packing.capacity[-1] * (1 if total < EXACT else LONG_SIZE) > MAX_CELLS:
        return HeaviestSet(max(floor, total), [])

    def bound(items: Sequence[Item], most: int) -> int | None:
        return most if packing.fits(items) else None

    return heaviest_set(jobs, packing.capacity[-1], bound, floor=floor, limit=limit, stop=stop)


def _choices(packing: RunningSets, modes: Modes, weights: ModeWeights) -> list[tuple[int, list[tuple[int, Item]]]]:
    """Return the jobs by weight per task, without modes dominated by a slower mode of at least their weight."""
    jobs = []
    for job, row in enumerate(weights):
        choices: list[tuple[int, Item]] = []
        for weight, mode in zip(reversed(row), reversed(modes[job]), strict=True):
            if weight > (choices[-1][0] if choices else 0):
                choices.append((weight, (job, mode.level)))
        if choices:
            jobs.append((packing.tasks[job], choices[::-1]))
    return sorted(jobs, key=lambda one: -(one[1][0][0] << 20) // one[0])


def knapsack_rows(jobs: Sequence[tuple[int, int]], nodes: int) -> list[Sequence[int]]:
    """Return rows [i][c]: maximum weight of a subset of jobs i, i + 1, … (tasks, weight) on c nodes, ignoring links.

    A number takes eight bytes if the weights add up to less than 2^62.
    """
    small = sum(weight for _, weight in jobs) < EXACT
    rows: list[Sequence[int]] = [array("q", [0]) * (nodes + 1) if small else [0] * (nodes + 1)]
    for tasks, weight in reversed(jobs):
        after = rows[-1]
        now = list(after[:tasks])
        now += [max(without, with_job + weight) for without, with_job in zip(after[tasks:], after, strict=False)]
        rows.append(array("q", now) if small else now)
    rows.reverse()
    return rows
