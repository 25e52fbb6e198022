"""The heaviest set of jobs that can run together, in integers; it gives the bound that weights prove."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple, Protocol

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


class Heaviest(NamedTuple):
    """The result of pricing: the greatest weight of a set, and the sets found."""

    # Upper bound for all sets; attained unless the search was stopped or no set exceeds the given minimum.
    weight: int
    sets: list[tuple[Item, ...]]  # improving sets found during the search, all heavier than the given minimum


class _Choice(NamedTuple):
    """A job with the modes worth taking: (weight, level), heaviest first."""

    job: int
    tasks: int
    options: tuple[tuple[int, int], ...]


def heaviest(
    packing: RunningSets,
    modes: Modes,
    weights: ModeWeights,
    *,
    floor: int = 0,
    limit: int = MAX_SETS,
    stop: Callable[[], bool] | None = None,
) -> Heaviest:
    """Return the heaviest set of jobs, each in one mode, that can run together.

    Branch and bound over the jobs in order of weight per task. The remaining jobs contribute at most the knapsack of
    their weights in the remaining nodes.

    `weights`: at least 0; 0 for a forbidden mode. `floor`: sets of at most this weight are ignored; `weight` is at
    least `floor`. `limit`: maximum number of sets. `stop`: called before each set; returns whether to stop.
    """
    choices = _choices(packing, modes, weights)
    size = 1 if sum(choice.options[0][0] for choice in choices) < EXACT else LONG_SIZE
    if len(choices) * packing.capacity[-1] * size > MAX_CELLS:
        return Heaviest(max(floor, sum(choice.options[0][0] for choice in choices)), [])
    rest = knapsack_rows([(one.tasks, one.options[0][0]) for one in choices], packing.capacity[-1])
    best = floor
    sets: list[tuple[Item, ...]] = []
    chosen: list[Item] = []
    frames = [[0, 0, 0, packing.capacity[-1]]]  # next choice, next option of it, weight and nodes left so far
    while frames:
        frame = frames[-1]
        index, option, weight, left = frame
        if weight + rest[index][left] <= best:
            frames.pop()
            if chosen:
                chosen.pop()
            continue
        job, tasks, options = choices[index]
        if (
            tasks > left
            or option == len(options)
            or weight + options[option][0] + rest[index + 1][left - tasks] <= best
        ):
            frame[0], frame[1] = index + 1, 0
            continue
        frame[1] += 1
        more, level = options[option]
        chosen.append((job, level))
        stopped = stop is not None and stop()
        if not stopped and not packing.fits(chosen):
            chosen.pop()
            continue
        limit -= 1
        if stopped or limit < 0:
            return Heaviest(max(best, *(one[2] + rest[one[0]][one[3]] for one in frames)), sets)
        if weight + more > best:
            best = weight + more
            sets.append(tuple(chosen))
        frames.append([index + 1, 0, weight + more, left - tasks])
    return Heaviest(best, sets)


def _choices(packing: RunningSets, modes: Modes, weights: ModeWeights) -> list[_Choice]:
    """Return the jobs by weight per task, without modes dominated by a slower mode of at least their weight."""
    choices = []
    for job, row in enumerate(weights):
        options: list[tuple[int, int]] = []
        for weight, mode in zip(reversed(row), reversed(modes[job]), strict=True):
            if weight > (options[-1][0] if options else 0):
                options.append((weight, mode.level))
        if options:
            choices.append(_Choice(job, packing.tasks[job], tuple(reversed(options))))
    choices.sort(key=lambda one: (-(one.options[0][0] << 20) // one.tasks, one.job))
    return choices


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
