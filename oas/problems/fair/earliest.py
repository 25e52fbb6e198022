"""Earliest starts: what no schedule of fair sharing undercuts, greedy or not."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
