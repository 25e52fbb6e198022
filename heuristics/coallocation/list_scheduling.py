"""FCFS, SJF, BJF, FPFS, SPT and LPT (OAS paper, section 4.2), and PATIENT: queues that differ in order and overtaking.

They support every saturation policy: a split job requests no more than the residual capacity of each link. PATIENT is
for links that slow jobs down: a job that would be split over saturated links may wait for better nodes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import check_placeable, list_schedule, one_cluster_first, run_slowed_queue
from oas.coallocation.allocations import slowest_level
from oas.coallocation.running import RunningJobs, schedule_from_starts
from oas.coallocation.ticks import duration
from oas.core.registry import COALLOCATION, MAX_MIN, SLOWDOWN
from oas.solving.method import Method

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.allocations import Allocation
    from oas.coallocation.instance import CoallocationInstance, Job
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.core.schedule import Schedule


# Sort keys of the queues, ties by index
ORDERS: dict[str, Callable[[Job], int | Fraction]] = {
    "FCFS": lambda job: 0,
    "SJF": lambda job: job.tasks,
    "BJF": lambda job: -job.tasks,
    "FPFS": lambda job: 0,
    "SPT": lambda job: job.base_time,
    "LPT": lambda job: -job.base_time,
}


def schedule(name: str, instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule the jobs in the order `name` of `ORDERS`; only FPFS allows overtaking."""
    queue = sorted(range(len(instance.jobs)), key=lambda index: ORDERS[name](instance.jobs[index]))
    return list_schedule(instance, queue, overtaking=name == "FPFS", method=name)


def patient_rule(
    instance: CoallocationInstance,
    grid: RunningJobs,
    scaled: ScaledCoallocation,
    job: int,
    free: Sequence[int],
    residual: Sequence[int],
) -> Allocation | None:
    """Return an allocation of `job`, or None if it should wait: a placement rule for links that slow jobs down.

    A job starts immediately on the nodes of `one_cluster_first` within the residual bandwidths MBW, if there are any.
    Otherwise the rule considers a split beyond MBW. It computes the end of the job at the resulting speeds, plus the
    delay of the running jobs in node-time divided by the job's nodes. The split is used unless this sum is later than
    the end of the job if it waited for nodes within MBW, with the running jobs ending at their present speeds.

    `grid` contains the running jobs.
    """
    if sum(free) < scaled.tasks[job]:
        return None
    unslowed = one_cluster_first(scaled, job, free, _spare(scaled, residual))
    if unslowed is not None:
        return unslowed
    split = one_cluster_first(scaled, job, free, residual)
    if split is None:
        return None
    nodes, links = list(free), list(residual)
    for run in sorted(grid.running, key=lambda run: run.end):
        nodes = [have + count for have, count in zip(nodes, run.allocation.counts, strict=True)]
        links = [have + load for have, load in zip(links, run.allocation.loads, strict=True)]
        allocation = one_cluster_first(scaled, job, nodes, _spare(scaled, links))
        if allocation is not None:
            power = scaled.powers[slowest_level(scaled, allocation.counts)]
            later = run.end + duration(instance.jobs[job], power, instance.slot)
            return None if later < _end_if_started(instance, grid, job, split) else split
    return split


def _end_if_started(instance: CoallocationInstance, grid: RunningJobs, job: int, split: Allocation) -> Fraction:
    """Return the job's end plus the delay of the running jobs in node-time divided by the job's nodes."""
    trial = grid.copy()
    before = {run.job: run.end for run in trial.running}
    trial.start(job, split)
    after = {run.job: run.end for run in trial.running}
    delay = sum((instance.jobs[other].tasks * (after[other] - end) for other, end in before.items()), Fraction(0))
    return after[job] + delay / instance.jobs[job].tasks


def _spare(scaled: ScaledCoallocation, residual: Sequence[int]) -> list[int]:
    """Return the residual bandwidth MBW of each link, at least 0."""
    return [
        max(0, left - (limit - bandwidth))
        for left, limit, bandwidth in zip(residual, scaled.link_capacity, scaled.link_bandwidth, strict=True)
    ]


def _patient(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by `patient_rule`, with overtaking, in descending order of base time × tasks."""
    check_placeable(instance)
    area = [job.tasks * job.base_time for job in instance.jobs]
    grid, queue = RunningJobs(instance), sorted(range(len(area)), key=lambda job: -area[job])
    runs = run_slowed_queue(grid, instance.scaled(), queue, True, partial(patient_rule, instance, grid))
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
