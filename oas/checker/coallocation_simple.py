"""Bounds of co-allocation that follow from the instance alone: area, longest job, wide jobs. Certificate: ``{}``.

No job runs shorter than on the fastest nodes that it could have on an empty grid; saturated links only slow it down.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_levels import fastest_level_of, nodes_up_to_level
from oas.checker.errors import refused


def empty_grid_levels(instance: CoallocationInstance) -> list[int | None]:
    """Return for each job the least level at which it has an allocation on an empty grid; None if it has none.

    Level l means: on nodes with Γ of at least `CoallocationTicks.powers[l]` alone.
    """
    ticks = instance.scaled()
    nodes = nodes_up_to_level(ticks)
    kinds = [(job.tasks, job.bandwidth) for job in instance.jobs]
    first = {kind: index for index, kind in reversed([*enumerate(kinds)])}
    known = {kind: fastest_level_of(ticks, nodes, index) for kind, index in first.items()}
    return [known[kind] for kind in kinds]


def shortest_runs(instance: CoallocationInstance) -> list[Fraction]:
    """Return each job's run on the fastest nodes that it could have; raise `Refused` if a job has no allocation."""
    powers = instance.scaled().powers
    runs = []
    for job, level in zip(instance.jobs, empty_grid_levels(instance), strict=True):
        if level is None:
            raise refused("instance", f"job {job.id} has no allocation, so that no bound is needed")
        runs.append(job.duration(powers[level], instance.slot))
    return runs


def coallocation_area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest run) / nodes."""
    runs = shortest_runs(instance)
    return (
        sum((job.tasks * run for job, run in zip(instance.jobs, runs, strict=True)), Fraction(0)) / instance.node_count
    )


def coallocation_longest_job(instance: CoallocationInstance) -> Fraction:
    """Return the greatest of the shortest runs."""
    return max(shortest_runs(instance))


def coallocation_wide_jobs(instance: CoallocationInstance) -> Fraction:
    """Return the time that jobs take of which no two fit side by side: those of more tasks than half of the nodes.

    One more may join them that fits beside none of them.
    """
    runs = shortest_runs(instance)
    nodes = instance.node_count
    wide = [(job.tasks, run) for job, run in zip(instance.jobs, runs, strict=True) if 2 * job.tasks > nodes]
    if not wide:
        return Fraction(0)
    narrowest = min(tasks for tasks, _ in wide)
    beside = [
        run
        for job, run in zip(instance.jobs, runs, strict=True)
        if 2 * job.tasks <= nodes and job.tasks + narrowest > nodes
    ]
    return sum((run for _, run in wide), Fraction(0)) + max(beside, default=Fraction(0))
