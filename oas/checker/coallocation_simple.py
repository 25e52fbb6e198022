"""Bounds of co-allocation that follow from the instance alone: area, longest job, wide jobs. Certificate: ``{}``.

**Theorem.** With p_j the run of job j on the fastest nodes that it could have on an empty grid, a schedule takes at
least Σ τ_j·p_j / nodes (area), max p_j (longest job), and the sum of p_j over jobs of which no two fit side by side
(wide jobs): those of more than half of the nodes, and one more that fits beside none of them.

**Proof.** No job runs shorter than p_j, since saturated links only slow it down, and it holds τ_j nodes while it runs.
Jobs of which no two can run at the same moment run one after the other.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import fastest_levels


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's run on the fastest nodes that it could have; raise `Refused` if a job has no allocation."""
    scaled = instance.scaled()
    levels = fastest_levels(scaled)
    return [job.duration(scaled.powers[level], instance.slot) for job, level in zip(instance.jobs, levels, strict=True)]


def coallocation_area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest run) / nodes."""
    runs = shortest_runs(instance)
    work = sum((job.tasks * run for job, run in zip(instance.jobs, runs, strict=True)), Fraction(0))
    return work / instance.node_count


def coallocation_longest_job(instance: CoallocationInstance) -> Fraction:
    """Return the greatest of the shortest runs."""
    return max(shortest_runs(instance))


def coallocation_wide_jobs(instance: CoallocationInstance) -> Fraction:
    """Return the time that the wide jobs take, and the longest of the others that fits beside none of them."""
    nodes = instance.node_count
    runs = [(job.tasks, run) for job, run in zip(instance.jobs, shortest_runs(instance), strict=True)]
    wide = [(tasks, run) for tasks, run in runs if 2 * tasks > nodes]
    if not wide:
        return Fraction(0)
    narrowest, _ = min(wide)
    beside = [run for tasks, run in runs if 2 * tasks <= nodes < tasks + narrowest]
    return sum((run for _, run in wide), Fraction(0)) + max(beside, default=Fraction(0))
