"""The shortest run of each job on an empty grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InfeasibleError
from oas.problems.coallocation.allocations import fastest_level
from oas.problems.coallocation.ticks import duration

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's run on the fastest nodes that it can take together, links included, none of them saturated.

    Where saturated links slow jobs down, no run is shorter: its slowdown SC is at least 1 throughout.

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
        runs.append(duration(job, scaled.powers[level], instance.slot))
    return runs
