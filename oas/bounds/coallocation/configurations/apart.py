"""Weights by pairs alone, to begin column generation with: jobs of which no two can run together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.bounds.coallocation.configurations.modes import Modes
    from oas.bounds.coallocation.configurations.packing import Packing


def apart_weights(packing: Packing, modes: Modes, stop: Callable[[], bool]) -> list[list[float]]:
    """Return weights 1 for jobs of which no two can run together, 0 for others: they run one after another.

    Widest first, each job that fits beside none of those before.

    Parameters
    ----------
    stop
        Asked for each job: whether to give up, with the jobs so far.
    """
    slowest = [(job, row[-1].level) for job, row in enumerate(modes)]  # where a job can run at all, it can at that
    apart: list[int] = []
    for job in sorted(range(len(modes)), key=lambda one: (-packing.tasks[one], -modes[one][0].ticks, one)):
        if stop():
            break
        if not any(packing.fits((slowest[job], slowest[other])) for other in apart):
            apart.append(job)
    return [[float(job in apart)] * len(row) for job, row in enumerate(modes)]
