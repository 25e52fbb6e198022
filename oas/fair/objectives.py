"""Objectives and classes of schedules of fair sharing, and lower bounds on the starts of jobs.

The paper does not use these objectives; a scheduler that ignores fairness would optimise them.
"""

from __future__ import annotations

from enum import StrEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.fair.rules import fair_violations

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation
    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks


def earliest_starts(ticks: FairTicks) -> list[int]:
    """Return the start of each job if its organization had all processors to itself, also beyond the horizon.

    The organization's jobs start in their order, each as soon as it is released, the jobs before it have started, and
    enough processors are idle. No job starts earlier in any schedule. Proof by induction along the queue: if the jobs
    before job j start here no later than in the schedule, they end no later, and none starts after j does; so when the
    schedule starts j, no more of them run here, and j fits alongside them.
    """
    starts = [0] * ticks.job_count
    running: list[list[tuple[int, int]]] = [[] for _ in range(ticks.organization_count)]  # heaps of end, width
    idle = [ticks.total] * ticks.organization_count
    last = [0] * ticks.organization_count
    columns = (ticks.owner, ticks.release, ticks.time, ticks.width)
    for job, (owner, release, time, width) in enumerate(zip(*(one.tolist() for one in columns), strict=True)):
        now, heap = max(release, last[owner]), running[owner]
        while heap and (heap[0][0] <= now or idle[owner] < width):
            end, freed = heappop(heap)
            now = max(now, end)
            idle[owner] += freed
        heappush(heap, (now + time, width))
        idle[owner] -= width
        starts[job] = last[owner] = now
    return starts


class Objective(StrEnum):
    """An integer objective at the horizon t_end, over all organizations together.

    ``psi_sp``: maximise Σ ψ_sp. Each unit [i, i + 1) of a job before t_end counts t_end − i, times q (equation (3) of
    the paper, theorem 4.1).

    ``flow``: minimise Σ (min(end, t_end) − release) over the jobs released before t_end. A job that has not ended or
    not started by t_end counts until t_end. The width of a job does not matter.

    ``makespan``: minimise the end of the last job; only applicable if every job ends by t_end.
    """

    STRATEGY_PROOF = "psi_sp"
    FLOW = "flow"
    MAKESPAN = "makespan"

    @property
    def sign(self) -> int:
        """−1 for an objective to be maximised, otherwise 1: sign · value is a cost."""
        return -1 if self is Objective.STRATEGY_PROOF else 1


class ScheduleClass(StrEnum):
    """The schedules that are compared; in both classes, the jobs of an organization start in their order, before t_end.

    ``greedy``: no processor is idle while the first waiting job of an organization would fit, as in the paper.

    ``any``: processors may be kept idle, for example for a job that is known to arrive.
    """

    GREEDY = "greedy"
    ANY = "any"


def class_violations(instance: FairInstance, schedule: Schedule, schedule_class: ScheduleClass) -> list[Violation]:
    """Return the violations of the verifier's rules; the rule ``greedy`` only counts for its class."""
    violations = fair_violations(instance, schedule)
    return violations if schedule_class is ScheduleClass.GREEDY else [one for one in violations if one.rule != "greedy"]


def open_at_horizon(instance: FairInstance, schedule: Schedule) -> str:
    """Return a message about the first job that has not ended by the horizon; an empty text if all have."""
    ends = {placement.job: placement.end for placement in schedule.placements}
    for job in instance.jobs:
        if job.id not in ends:
            return f"job {job.id} does not start before the horizon, {instance.horizon}"
        if ends[job.id] > instance.horizon:
            return f"job {job.id} ends at {ends[job.id]}, after the horizon, {instance.horizon}"
    return ""


def objective_value(instance: FairInstance, schedule: Schedule, objective: Objective) -> int:
    """Return the objective value of a feasible schedule; for the makespan, all jobs have ended by the horizon."""
    if objective is Objective.MAKESPAN:
        return int(schedule.makespan)
    runs = {one.job: (int(one.start), min(int(one.end), instance.horizon)) for one in schedule.placements}
    if objective is Objective.STRATEGY_PROOF:
        value = 0
        for job in instance.jobs:
            if job.id in runs:
                start, end = runs[job.id]  # Σ t_end − i over start ≤ i < end
                value += job.processors * (end - start) * (2 * instance.horizon - start - end + 1) // 2
        return value
    late = (instance.horizon, instance.horizon)
    released = [job for job in instance.jobs if job.release < instance.horizon]
    return sum(runs.get(job.id, late)[1] - int(job.release) for job in released)
