"""Schedules to draw: made by a greedy that the verifier accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.verifier import check
from oas.problems.coallocation.allocations import allowed_counts, make_allocation
from oas.problems.coallocation.runs import Run, schedule_from_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation


def greedy(instance: CoallocationInstance, order: Sequence[int] | None = None) -> Schedule:
    """Each job of the queue in turn, as early as nodes and links allow; checked by the verifier."""
    scaled = instance.scaled()
    runs: list[Run] = []
    for job in order or range(scaled.job_count):
        moments = sorted({0, *(run.end for run in runs)})
        runs.append(next(run for moment in moments if (run := _fit(scaled, runs, job, moment)) is not None))
    return check(instance, schedule_from_runs(instance, scaled, runs, "greedy"))


def _fit(scaled: ScaledCoallocation, runs: list[Run], job: int, moment: int) -> Run | None:
    """The job's run from `moment` if the idle nodes and links then carry it; later runs are ignored as none start."""
    if any(run.start > moment for run in runs):
        return None
    running = [run for run in runs if run.end > moment]
    free = [
        len(one.nodes) - sum(run.allocation.counts[place] for run in running)
        for place, one in enumerate(scaled.classes)
    ]
    by_cluster = [0] * scaled.cluster_count
    for one, count in zip(scaled.classes, free, strict=True):
        by_cluster[one.cluster] += count
    residual = [
        capacity - sum(run.allocation.loads[place] for run in running)
        for place, capacity in enumerate(scaled.link_capacity)
    ]
    allowed = allowed_counts(scaled, job, by_cluster, residual)
    held = _split(allowed, scaled.tasks[job])
    if held is None:
        return None
    counts = []
    for one, count in zip(scaled.classes, free, strict=True):
        taken = min(count, held[one.cluster])
        held[one.cluster] -= taken
        counts.append(taken)
    return Run(job, moment, make_allocation(scaled, job, counts))


def _split(allowed: list[list[int]], tasks: int) -> list[int] | None:
    """Counts for each cluster, one of those allowed there, that sum to `tasks`: most on the first clusters."""
    reachable = [{0}]
    for counts in reversed(allowed):
        reachable.insert(0, {count + rest for count in counts for rest in reachable[0]})
    if tasks not in reachable[0]:
        return None
    held = []
    for counts, rest in zip(allowed, reachable[1:], strict=True):
        count = max(count for count in counts if tasks - count in rest)
        held.append(count)
        tasks -= count
    return held
