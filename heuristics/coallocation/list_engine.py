"""The list engine: jobs from a queue onto the grid, as time passes.

One engine under all queue heuristics of the OAS paper's section 4.2. They differ in the queue's order and in whether
a job may overtake a waiting one.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from heuristics.coallocation.placement import PlacementRule, one_cluster_first
from oas.core.errors import InfeasibleError
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.runs import Run, schedule_from_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation


def list_schedule(
    instance: CoallocationInstance,
    queue: Sequence[int],
    *,
    overtaking: bool,
    place: PlacementRule = one_cluster_first,
    method: str = "",
) -> Schedule:
    """Schedule the jobs of `queue` at the instance's slot size (η = 0: in continuous time).

    Parameters
    ----------
    queue
        Job indices, first in line first.
    overtaking
        False: the queue blocks; a job starts only when all before it have started, so starts never decrease along
        the queue. True: whenever nodes come free, the queue is gone through in order and every job that fits starts.
    place
        The placement rule.
    method
        Name for the schedule.

    Raises
    ------
    InfeasibleError
        If some job has no allocation even on an empty grid.
    """
    scaled = instance.scaled()
    hopeless = jobs_without_allocation(scaled)
    if hopeless:
        names = ", ".join(instance.jobs[job].id for job in hopeless)
        raise InfeasibleError(f"no allocation exists for: {names} (too little link bandwidth)")
    return schedule_from_runs(instance, scaled, _run_queue(scaled, queue, overtaking, place), method)


def _run_queue(scaled: ScaledCoallocation, queue: Sequence[int], overtaking: bool, place: PlacementRule) -> list[Run]:
    free = [len(node_class.nodes) for node_class in scaled.classes]
    residual = list(scaled.link_capacity)
    waiting, runs = list(queue), []
    ends: list[tuple[int, int]] = []  # (end, position in runs) of what is running
    now = 0
    while waiting:
        left = []
        for place_in_queue, job in enumerate(waiting):
            allocation = place(scaled, job, free, residual)
            if allocation is None:
                left.append(job)
                if not overtaking:
                    left += waiting[place_in_queue + 1 :]
                    break
                continue
            runs.append(Run(job, now, allocation))
            heapq.heappush(ends, (runs[-1].end, len(runs) - 1))
            _take(free, residual, runs[-1], 1)
        waiting = left
        if waiting:
            # A job that has an allocation at all fits the empty grid, so something is running here.
            now = ends[0][0]
            while ends and ends[0][0] == now:
                _take(free, residual, runs[heapq.heappop(ends)[1]], -1)
    return runs


def _take(free: list[int], residual: list[int], run: Run, sign: int) -> None:
    for index, count in enumerate(run.allocation.counts):
        free[index] -= sign * count
    for index, load in enumerate(run.allocation.loads):
        residual[index] -= sign * load
