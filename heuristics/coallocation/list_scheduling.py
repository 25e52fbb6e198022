"""FCFS, SJF, BJF, FPFS, SPT and LPT (OAS paper, section 4.2), and PATIENT: queues that differ in order and overtaking.

They support all saturation policies: the demand of a split job on each link is at most the remaining permitted demand.
PATIENT is for links that slow jobs down: a job that would be split over saturated links may wait for better nodes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import check_placeable, list_schedule, one_cluster_first, run_slowed_queue
from heuristics.method import Method
from oas.problems.coallocation.allocations import slowest_level
from oas.problems.coallocation.running import RunningJobs, schedule_from_starts
from oas.problems.coallocation.ticks import duration
from oas.problems.registry import COALLOCATION, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance, Job
    from oas.problems.coallocation.ticks import ScaledCoallocation


# Jobs are sorted by these, ties by index.
ORDERS: dict[str, Callable[[Job], int | Fraction]] = {
    "FCFS": lambda job: 0,
    "SJF": lambda job: job.tasks,
    "BJF": lambda job: -job.tasks,
    "FPFS": lambda job: 0,
    "SPT": lambda job: job.base_time,
    "LPT": lambda job: -job.base_time,
}


def schedule(name: str, instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule in one of `ORDERS`; deterministic, `seed` is not used. Only in FPFS may a job overtake another."""
    queue = sorted(range(len(instance.jobs)), key=lambda index: ORDERS[name](instance.jobs[index]))
    return list_schedule(instance, queue, overtaking=name == "FPFS", method=name)


class PatientRule:
    """A placement rule that delays a slowed split if waiting leads to an earlier end.

    If `one_cluster_first` finds nodes within the remaining bandwidths MBW, the job starts immediately. Otherwise it may
    be split beyond MBW. The rule then computes its end at the resulting speeds, plus the total delay of the running
    jobs in node-time divided by the nodes of the job. The job starts if this sum is at most its end after waiting until
    enough running jobs have ended, at present speeds, for nodes within MBW.

    The policy of the instance is slowdown; the grid contains the running jobs at the time of the call.
    """

    def __init__(self, instance: CoallocationInstance, grid: RunningJobs) -> None:
        self._instance = instance
        self._grid = grid

    def __call__(
        self, scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
    ) -> Allocation | None:
        """Return the allocation of a job that starts now, or None."""
        if sum(free) < scaled.tasks[job]:
            return None
        spare = _spare(scaled, residual)
        unslowed = one_cluster_first(scaled, job, free, spare)
        if unslowed is not None:
            return unslowed
        split = one_cluster_first(scaled, job, free, residual)
        if split is None:
            return None
        later = self._end_after_waiting(scaled, job, free, residual)
        return None if later is not None and later < self._end_if_started(job, split) else split

    def _end_if_started(self, job: int, split: Allocation) -> Fraction:
        """Return when the job would end, and the delay of the others in node-time, spread over its nodes."""
        jobs, grid = self._instance.jobs, self._grid.copy()
        before = {one.job: one.end for one in grid.running}
        grid.start(job, split)
        after = {one.job: one.end for one in grid.running}
        delay = sum((jobs[one].tasks * (after[one] - end) for one, end in before.items()), Fraction(0))
        return after[job] + delay / jobs[job].tasks

    def _end_after_waiting(
        self, scaled: ScaledCoallocation, job: int, free: Sequence[int], residual: Sequence[int]
    ) -> Fraction | None:
        """Return when the job would end if it waited for nodes within MBW; None where nothing runs that could end."""
        nodes, links = list(free), list(residual)
        for one in sorted(self._grid.running, key=lambda one: one.end):
            nodes = [have + count for have, count in zip(nodes, one.allocation.counts, strict=True)]
            links = [have + load for have, load in zip(links, one.allocation.loads, strict=True)]
            found = one_cluster_first(scaled, job, nodes, _spare(scaled, links))
            if found is not None:
                power = scaled.powers[slowest_level(scaled, found.counts)]
                return one.end + duration(self._instance.jobs[job], power, self._instance.slot)
        return None


def _spare(scaled: ScaledCoallocation, residual: Sequence[int]) -> list[int]:
    """Return the remaining bandwidth of each link, given its remaining permitted demand."""
    return [
        max(0, left - (limit - own))
        for left, limit, own in zip(residual, scaled.link_capacity, scaled.link_bandwidth, strict=True)
    ]


def _patient(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by this rule, the greatest base time by tasks first, overtaking; deterministic, `seed` is not used."""
    check_placeable(instance)
    area = [job.tasks * job.base_time for job in instance.jobs]
    grid, queue = RunningJobs(instance), sorted(range(len(area)), key=lambda job: -area[job])
    runs = run_slowed_queue(grid, instance.scaled(), queue, True, PatientRule(instance, grid))
    return schedule_from_starts(instance, runs, PATIENT.name)


PATIENT = Method(
    "PATIENT",
    _patient,
    "most node-time first, overtaking; a split that would be slowed down waits where that promises an earlier end",
    rank=70,
    problem=COALLOCATION,
    variants=(SLOWDOWN, MAX_MIN),
)
QUEUE_METHODS = tuple(
    Method(name, partial(schedule, name), summary, rank=rank, problem=COALLOCATION, variants=COALLOCATION.variants)
    for name, rank, summary in (
        ("FCFS", 10, "first come, first served; the queue blocks"),
        ("SJF", 20, "short jobs first: fewest tasks first; the queue blocks"),
        ("BJF", 30, "big jobs first: most tasks first; the queue blocks"),
        ("FPFS", 40, "fit processors first served: whatever in the queue fits starts, overtaking"),
        ("SPT", 50, "short processing time: least base time first; the queue blocks"),
        ("LPT", 60, "long processing time: greatest base time first; the queue blocks"),
    )
)
METHODS = (*QUEUE_METHODS, PATIENT)
