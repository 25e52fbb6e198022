"""Weights and sets of jobs to begin column generation with, where jobs are many: what simple rules give."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oas.bounds.coallocation.configurations.modes import Modes
    from oas.bounds.coallocation.configurations.packing import Item, Packing

# How far the order by tasks is blurred, in shares of the tasks; a list of runs for each.
BLURS = (0.0, 0.2, 0.4)


def apart_weights(packing: Packing, modes: Modes, stop: Callable[[], bool]) -> list[list[float]]:
    """Return weights 1 for jobs of which no two can run together, 0 for others: they run one after another.

    Widest first, each job that fits beside none of those before.

    `stop`: asked for each job: whether to give up, with the jobs so far.
    """
    slowest = [(job, row[-1].level) for job, row in enumerate(modes)]  # where a job can run at all, it can at that
    apart: list[int] = []
    for job in sorted(range(len(modes)), key=lambda one: (-packing.tasks[one], -modes[one][0].ticks, one)):
        if stop():
            break
        if not any(packing.fits((slowest[job], slowest[other])) for other in apart):
            apart.append(job)
    return [[float(job in apart)] * len(row) for job, row in enumerate(modes)]


def first_columns(packing: Packing, modes: Modes, stop: Callable[[], bool]) -> Iterator[tuple[Item, ...]]:
    """Yield what runs together when jobs begin widest first, each at its fastest mode that fits beside the others.

    Which nodes they take is decided anew at each moment; so the sets are those of a relaxed schedule, whose makespan
    bounds the first linear program from above.

    `stop`: asked at each moment: whether to give up.
    """
    draw = random.Random(0)
    for blur in BLURS:
        order = sorted(range(len(modes)), key=lambda job: -packing.tasks[job] * draw.uniform(1 - blur, 1))
        yield from _widest_first(packing, modes, order, stop)


def _widest_first(
    packing: Packing, modes: Modes, order: list[int], stop: Callable[[], bool]
) -> Iterator[tuple[Item, ...]]:
    waiting, running = order, dict[int, tuple[int, int]]()  # job: level, ticks left
    while (waiting or running) and not stop():
        items = [(job, level) for job, (level, _) in running.items()]
        free = packing.capacity[-1] - sum(packing.tasks[job] for job in running)
        left = []
        for job in waiting:
            mode = None
            if packing.tasks[job] <= free:
                mode = next((mode for mode in modes[job] if packing.fits([*items, (job, mode.level)])), None)
            if mode is None:
                left.append(job)
                continue
            items.append((job, mode.level))
            running[job] = (mode.level, mode.ticks)
            free -= packing.tasks[job]
        waiting = left
        yield tuple(items)
        passed = min(ticks for _, ticks in running.values())
        running = {job: (level, ticks - passed) for job, (level, ticks) in running.items() if ticks > passed}
