"""Objectives and classes of schedules of fair sharing, and earliest starts, which no schedule undercuts.

The paper prices fairness by none of them; they are what a scheduler that cares for nobody's share would aim at.
"""

from __future__ import annotations

from enum import StrEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from oas.problems.fair.rules import fair_violations

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.ticks import FairTicks


def earliest_starts(ticks: FairTicks) -> list[int]:
    """Return when each job would start if its organization had all processors for itself; not cut at the horizon.

    The organization's jobs start in their order, each as soon as it is released, those before it have started, and it
    finds its processors idle. In no schedule does a job start earlier. By induction along the queue: if those before
    job j start here no later than in the schedule, they end no later, and none starts after j does; so at the moment
    at which the schedule starts j, no more of them run here, and j fits beside them.
    """
    starts = [0] * ticks.job_count
    running: list[list[tuple[int, int]]] = [[] for _ in range(ticks.organization_count)]  # heaps of end, width
    idle = [ticks.total] * ticks.organization_count
    last = [0] * ticks.organization_count
    columns = (ticks.owner, ticks.release, ticks.time, ticks.width)
    for job, (owner, release, time, width) in enumerate(zip(*(one.tolist() for one in columns), strict=True)):
        now, own = max(release, last[owner]), running[owner]
        while own and (own[0][0] <= now or idle[owner] < width):
            end, freed = heappop(own)
            now = max(now, end)
            idle[owner] += freed
        heappush(own, (now + time, width))
        idle[owner] -= width
        starts[job] = last[owner] = now
    return starts


class Objective(StrEnum):
    """A whole number that a schedule comes to at the horizon t_end, over all organizations together.

    ``psi_sp``: Σ ψ_sp, to be large. Each unit [i, i + 1) of a job before t_end counts t_end − i, times q (equation (3)
    of the paper, theorem 4.1).

    ``flow``: Σ (min(end, t_end) − release) over the jobs released before t_end, to be small. A job that has not ended
    by then, or not even started, counts until t_end. Each job counts once, however wide it is.

    ``makespan``: the end of the last job, to be small; it applies only where every job ends by t_end.
    """

    STRATEGY_PROOF = "psi_sp"
    FLOW = "flow"
    MAKESPAN = "makespan"

    @property
    def sign(self) -> int:
        """−1 for what is to be large, otherwise 1: sign · value is a cost, to be small."""
        return -1 if self is Objective.STRATEGY_PROOF else 1


class ScheduleClass(StrEnum):
    """Which schedules are compared; in both, the jobs of an organization start in their order, before t_end.

    ``greedy``: no processor is idle while the first waiting job of an organization would fit; what the paper allows.

    ``any``: processors may be kept idle, as if to wait for a job that is known to come.
    """

    GREEDY = "greedy"
    ANY = "any"


def class_violations(instance: FairInstance, schedule: Schedule, wanted: ScheduleClass) -> list[Violation]:
    """Return what keeps `schedule` out of the class: every rule of the verifier that it breaks, greed where asked."""
    found = fair_violations(instance, schedule)
    return found if wanted is ScheduleClass.GREEDY else [one for one in found if one.rule != "greedy"]


def open_at_horizon(instance: FairInstance, schedule: Schedule) -> str:
    """Say which job has not ended by the horizon, so that the makespan does not apply; nothing if all have."""
    ends = {placement.job: placement.end for placement in schedule.placements}
    for job in instance.jobs:
        if job.id not in ends:
            return f"job {job.id} does not start before the horizon, {instance.horizon}"
        if ends[job.id] > instance.horizon:
            return f"job {job.id} ends at {ends[job.id]}, after the horizon, {instance.horizon}"
    return ""


def objective_value(instance: FairInstance, schedule: Schedule, objective: Objective) -> int:
    """Return what a schedule that keeps the rules comes to; a makespan that applies (see `open_at_horizon`)."""
    if objective is Objective.MAKESPAN:
        return int(schedule.makespan)
    runs = {one.job: (int(one.start), min(int(one.end), instance.horizon)) for one in schedule.placements}
    if objective is Objective.STRATEGY_PROOF:
        return sum(_utility(instance, *runs[job.id]) * job.processors for job in instance.jobs if job.id in runs)
    late = (instance.horizon, instance.horizon)
    own = [job for job in instance.jobs if job.release < instance.horizon]
    return sum(runs.get(job.id, late)[1] - int(job.release) for job in own)


def _utility(instance: FairInstance, start: int, end: int) -> int:
    """The sum of t_end − i over start ≤ i < end."""
    return (end - start) * (2 * instance.horizon - start - end + 1) // 2
