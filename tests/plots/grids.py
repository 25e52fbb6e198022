"""Grids and schedules to draw: made by hand or by a greedy that the verifier accepts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from oas.core.schedule import Run, Schedule, schedule_from_runs
from oas.core.verifier import check
from oas.problems.coallocation.allocations import allowed_counts, make_allocation
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.problems.coallocation.ticks import ScaledCoallocation


def grid(
    jobs: int,
    sizes: Sequence[int],
    *,
    slot: str | int | Fraction = 0,
    seed: int = 0,
    bandwidth: int = 1000,
    names: str = "J{}",
    clusters: str = "Cluster {}",
) -> CoallocationInstance:
    """A grid in the manner of the paper's section 4, with random jobs."""
    rng = random.Random(seed)
    powers = ["1", "0.75", "0.5", "0.9", "0.6", "0.8"]
    made = [
        Cluster(clusters.format(index + 1), [NodeGroup(size, powers[index % 6])], bandwidth)
        for index, size in enumerate(sizes)
    ]
    jobs_made = []
    for index in range(jobs):
        tasks, time = rng.randint(1, sum(sizes)), rng.randint(100, 1200) * 1000
        # A multiple of τ − 1 keeps equation (4) in integers, so that many jobs can be scaled together.
        need = rng.randint(0, 3 * bandwidth // tasks**2) * (tasks - 1)
        jobs_made.append(Job(names.format(index + 1), tasks, time, need, "0.7"))
    return CoallocationInstance(made, jobs_made, slot)


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
