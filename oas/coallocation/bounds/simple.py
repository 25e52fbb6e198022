"""Bounds that are functions of the instance alone: the area, the longest job, and jobs too wide to run together.

They use the shortest run of each job on an empty grid. Where saturated links slow jobs down, no run is shorter: its
slowdown SC is at least 1 throughout.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.coallocation.allocations import fastest_level
from oas.coallocation.ticks import duration
from oas.core.errors import InfeasibleError
from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN
from oas.solving.lower_bound import LowerBound

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance

VARIANTS = (FORBID, SLOWDOWN, MAX_MIN)


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's running time at the fastest level at which it has an allocation, with unsaturated links.

    Raises `InfeasibleError` if a job has no allocation.
    """
    scaled = instance.scaled()
    runs = []
    for index, job in enumerate(instance.jobs):
        level = fastest_level(scaled, index)
        if level is None:
            raise InfeasibleError(f"job {job.id} has no allocation")
        runs.append(duration(job, scaled.powers[level], instance.slot))
    return runs


def area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest run) / nodes: the node time that the jobs need at least, spread over all nodes."""
    runs = shortest_runs(instance)
    usage = sum((job.tasks * run for job, run in zip(instance.jobs, runs, strict=True)), Fraction(0))
    return usage / instance.node_count


def longest_job(instance: CoallocationInstance) -> Fraction:
    """Return the greatest of the jobs' shortest runs."""
    return max(shortest_runs(instance))


def wide_jobs(instance: CoallocationInstance) -> Fraction:
    """Return the sum of the shortest runs of the jobs with more tasks than half of the nodes, plus one further job.

    No two of these jobs fit together, so they run one after another. Of the jobs with at most half of the nodes, one
    that fits alongside none of them may be added; the longest is used.
    """
    nodes = instance.node_count
    runs = [(job.tasks, run) for job, run in zip(instance.jobs, shortest_runs(instance), strict=True)]
    wide = [(tasks, run) for tasks, run in runs if 2 * tasks > nodes]
    if not wide:
        return Fraction(0)
    narrowest, _ = min(wide)
    beside = [run for tasks, run in runs if 2 * tasks <= nodes < tasks + narrowest]
    return sum((run for _, run in wide), Fraction(0)) + max(beside, default=Fraction(0))


BOUNDS = (
    LowerBound("area", area, variants=VARIANTS),
    LowerBound("longest job", longest_job, variants=VARIANTS),
    LowerBound("wide jobs", wide_jobs, variants=VARIANTS),
)
