"""Runs in ticks and node counts, and the schedules that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.allocations import make_allocation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation


@dataclass(frozen=True)
class Run:
    """A job's run in ticks: what a search or a model decides.

    Attributes
    ----------
    job
        Index of the job.
    start
        Tick of its start.
    allocation
        Node counts; they set the duration.
    """

    job: int
    start: int
    allocation: Allocation

    @property
    def end(self) -> int:
        """Tick of its end."""
        return self.start + self.allocation.duration


def schedule_from_runs(
    instance: CoallocationInstance, scaled: ScaledCoallocation, runs: Iterable[Run], method: str = ""
) -> Schedule:
    """Give runs concrete nodes: first fit in time, lowest number first, for each node class.

    Raises
    ------
    InputError
        If at some moment the runs ask for more nodes of a class than it has.
    """
    free_at = [dict.fromkeys(node_class.nodes, 0) for node_class in scaled.classes]
    placements = []
    for run in sorted(runs, key=lambda one: (one.start, one.job)):
        nodes: dict[str, list[int]] = {}
        for node_class, free, count in zip(scaled.classes, free_at, run.allocation.counts, strict=True):
            idle = [number for number in node_class.nodes if free[number] <= run.start][:count]
            if len(idle) < count:
                job = instance.jobs[run.job].id
                raise InputError(f"job {job} finds {len(idle)} of {count} nodes free at tick {run.start}")
            for number in idle:
                free[number] = run.end
            nodes.setdefault(instance.clusters[node_class.cluster].id, []).extend(idle)
        start, end = scaled.to_time(run.start), scaled.to_time(run.end)
        placements.append(Placement(instance.jobs[run.job].id, start, end, nodes))
    return Schedule(placements, method)


def runs_from_schedule(instance: CoallocationInstance, scaled: ScaledCoallocation, schedule: Schedule) -> list[Run]:
    """Return a verified schedule in ticks and node counts, in the order of job indices."""
    placed = placements_by_job(instance, schedule)
    return [
        Run(job, int(placement.start / scaled.tick), allocation_of(instance, scaled, job, placement))
        for job, placement in enumerate(placed)
    ]


def placements_by_job(instance: CoallocationInstance, schedule: Schedule) -> list[Placement]:
    """Return the placements of a verified schedule in the order of job indices."""
    by_job = {placement.job: placement for placement in schedule.placements}
    return [by_job[job.id] for job in instance.jobs]


def allocation_of(
    instance: CoallocationInstance, scaled: ScaledCoallocation, job: int, placement: Placement
) -> Allocation:
    """Return the node counts of a placement of a job."""
    counts = [
        len(node_class.members.intersection(placement.nodes.get(instance.clusters[node_class.cluster].id, ())))
        for node_class in scaled.classes
    ]
    return make_allocation(scaled, job, counts)
