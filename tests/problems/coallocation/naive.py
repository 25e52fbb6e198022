"""A second checker of schedules, written unlike `oas.core.verifier`: it steps through time and counts task pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.schedule import Placement, Schedule
    from oas.problems.coallocation.instance import CoallocationInstance, Job


def naive_time(instance: CoallocationInstance, job: Job, powers: Iterable[Fraction]) -> Fraction:
    """Run time on nodes of these powers: the longest of the tasks' times, in slots counted one by one."""
    longest = max(job.base_time * job.sigma / power + job.base_time * (1 - job.sigma) for power in powers)
    if instance.slot == 0:
        return longest
    held = Fraction(0)
    while held < longest:
        held += instance.slot
    return held


def naive_load(job: Job, inside: int) -> Fraction:
    """Load on a link with `inside` tasks behind it: a task shares its bandwidth evenly among the other τ − 1."""
    load = Fraction(0)
    for one, two in product(range(job.tasks), repeat=2):
        if one < inside <= two:
            load += job.bandwidth / (job.tasks - 1)
    return load


def naive_accepts(instance: CoallocationInstance, schedule: Schedule, partial: bool = False) -> bool:
    """Whether `schedule` keeps every rule; with `partial`, jobs may still be missing."""
    names = [placement.job for placement in schedule.placements]
    wanted = [job.id for job in instance.jobs]
    if len(names) != len(set(names)) or not set(names) <= set(wanted) or (len(names) < len(wanted) and not partial):
        return False
    if not all(_sound(instance, placement) for placement in schedule.placements):
        return False
    moments = {moment for placement in schedule.placements for moment in (placement.start, placement.end)}
    return all(_room_at(instance, schedule, moment) for moment in moments)


def _sound(instance: CoallocationInstance, placement: Placement) -> bool:
    job = next(job for job in instance.jobs if job.id == placement.job)
    nodes = {
        (cluster.id, number): power for cluster in instance.clusters for number, power in enumerate(cluster.node_powers)
    }
    held = [(cluster, number) for cluster, numbers in placement.nodes.items() for number in numbers]
    if len(held) != job.tasks or len(set(held)) != job.tasks or not set(held) <= set(nodes):
        return False
    if placement.start < 0 or (instance.slot and (placement.start / instance.slot).denominator != 1):
        return False
    return placement.end == placement.start + naive_time(instance, job, (nodes[node] for node in held))


def _room_at(instance: CoallocationInstance, schedule: Schedule, moment: Fraction) -> bool:
    jobs = {job.id: job for job in instance.jobs}
    running = [one for one in schedule.placements if one.start <= moment < one.end]
    held = [(cluster, number) for one in running for cluster, numbers in one.nodes.items() for number in numbers]
    if len(held) != len(set(held)):
        return False
    for cluster in instance.clusters:
        loads = (naive_load(jobs[one.job], len(one.nodes.get(cluster.id, ()))) for one in running)
        if sum(loads, Fraction(0)) > cluster.bandwidth:
            return False
    return True
