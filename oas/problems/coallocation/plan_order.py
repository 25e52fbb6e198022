"""A plan as an order: the jobs on each node and on each link, in the order in which the plan starts them."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import ceil_to
from oas.core.violation import each_job_once
from oas.problems.coallocation.runs import allocation_of, placements_by_job

if TYPE_CHECKING:
    from oas.core.schedule import Placement, Schedule
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance, Job


class PlanOrder:
    """Where each job runs, and after which others.

    Parameters
    ----------
    instance
        Under whose limits of links the plan is to run.
    plan
        Each job once, on as many nodes as it has tasks. Its ends are not looked at.
    keep_starts
        Whether jobs also wait for the starts of the plan, rounded up to whole slots.

    Attributes
    ----------
    placements, allocations
        By job.
    order
        Jobs by their starts in the plan, ties by index.
    earliest
        By job: the moment before which it may not start.
    before
        By job: how many others are just before it on its nodes.
    after
        By job: those just after it on its nodes.
    links
        By link: the jobs that load it, in this order.

    Raises
    ------
    InputError
        If the plan is not of the instance's jobs and nodes, or a job alone asks a link for more than it may be asked
        for.
    """

    def __init__(self, instance: CoallocationInstance, plan: Schedule, keep_starts: bool = False) -> None:
        _check(instance, plan)
        scaled = instance.scaled()
        self.placements = placements_by_job(instance, plan)
        self.allocations = [allocation_of(instance, scaled, job, one) for job, one in enumerate(self.placements)]
        _check_links(instance, self.allocations)
        count = len(self.placements)
        self.order = sorted(range(count), key=lambda job: (self.placements[job].start, job))
        self.earliest = [
            ceil_to(max(one.start, Fraction(0)), instance.slot) if keep_starts else Fraction(0)
            for one in self.placements
        ]
        self.before = [0] * count
        self.after: list[list[int]] = [[] for _ in range(count)]
        last = {name: [-1] * size for name, size in instance.cluster_sizes}  # by cluster and node
        for job in self.order:
            others = {-1}
            for name, own in self.placements[job].nodes.items():
                others.update(map(last[name].__getitem__, own))
                for node in own:
                    last[name][node] = job
            others.remove(-1)
            for other in others:
                self.after[other].append(job)
            self.before[job] = len(others)
        self.links = [
            deque(job for job in self.order if self.allocations[job].loads[link])
            for link in range(scaled.cluster_count)
        ]


def _check(instance: CoallocationInstance, plan: Schedule) -> None:
    jobs = {job.id: job for job in instance.jobs}
    for violation in each_job_once(jobs, plan):
        raise InputError(violation.message, field="plan")
    sizes = dict(instance.cluster_sizes)
    for placement in plan.placements:
        _check_nodes(jobs[placement.job], placement, sizes)


def _check_nodes(job: Job, placement: Placement, sizes: dict[str, int]) -> None:
    for name, numbers in placement.nodes.items():
        if name not in sizes:
            raise InputError(f"job {job.id} uses a cluster that does not exist", field="plan", value=name)
        if numbers[-1] >= sizes[name]:
            reason = f"job {job.id} uses a node that cluster {name} does not have"
            raise InputError(reason, field="plan", value=numbers[-1])
        if len(set(numbers)) < len(numbers):
            raise InputError(f"job {job.id} names a node of cluster {name} twice", field="plan")
    if placement.tasks != job.tasks:
        raise InputError(f"job {job.id} has {job.tasks} tasks, but other nodes", field="plan", value=placement.tasks)


def _check_links(instance: CoallocationInstance, allocations: list[Allocation]) -> None:
    for link, limit in enumerate(instance.scaled().link_capacity):
        for job, allocation in zip(instance.jobs, allocations, strict=True):
            if allocation.loads[link] > limit:
                name = instance.clusters[link].id
                reason = f"job {job.id} alone asks the link of cluster {name} for more than it may be asked for"
                raise InputError(reason, field="plan")
