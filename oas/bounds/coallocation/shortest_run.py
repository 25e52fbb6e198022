"""The shortest run of each job on an empty grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InfeasibleError
from oas.problems.coallocation.allocations import fastest_level

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's run on the fastest nodes that it can take together, links included.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    """
    scaled = instance.scaled()
    runs = []
    for index, job in enumerate(instance.jobs):
        level = fastest_level(scaled, index)
        if level is None:
            raise InfeasibleError(f"job {job.id} has no allocation")
        runs.append(scaled.to_time(scaled.durations[index][level]))
    return runs
