"""Random instances and schedules of fair sharing, and the paper's examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oas.generate.fair.tiny import random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.ticks import NOT_STARTED
from oas.problems.rigid import Organization, RigidJob
from tests.problems.fair.naive import by_lot, placed, stepped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oas.core.schedule import Schedule

__all__ = ["array_of", "fair", "feasible", "random_instance", "random_starts"]


def fair(*organizations: tuple[int, list[tuple[int, ...]]], horizon: int) -> FairInstance:
    """Organizations A, B, … of so many processors, with jobs (time, release, processors), called a1, a2, …, b1, …"""
    return FairInstance(
        [
            Organization(
                chr(65 + k),
                size,
                [
                    RigidJob(f"{chr(97 + k)}{i}", time, *(more[1:] or (1,)), *(more[:1] or (0,)))
                    for i, (time, *more) in enumerate(jobs, start=1)
                ],
            )
            for k, (size, jobs) in enumerate(organizations)
        ],
        horizon,
    )


def random_starts(instance: FairInstance, seed: int) -> dict[str, int]:
    """Starts of a greedy schedule that picks organizations by lot."""
    return stepped(instance, by_lot(seed))


def feasible(seed: int) -> tuple[FairInstance, Schedule]:
    """Return a random instance, and a schedule of it that keeps every rule."""
    instance = random_instance(seed)
    return instance, placed(instance, random_starts(instance, seed), seed)


def array_of(instance: FairInstance, starts: dict[str, int]) -> NDArray[np.int64]:
    """Starts by job as an array in the order of presentation: by release, organization, and place in it."""
    rows = [
        (int(job.release), k, place, starts.get(job.id, NOT_STARTED))
        for k, own in enumerate(instance.organizations)
        for place, job in enumerate(own.jobs)
    ]
    return np.array([row[3] for row in sorted(rows)], dtype=np.int64)
