"""Plain reference computations for co-allocation: durations, loads, and checks that step through time."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.rates import slowdowns
from oas.problems.coallocation.running import StartedRun, schedule_from_starts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

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


LAST = 200


def random_slowed_schedule(rng: Random, instance: CoallocationInstance) -> Schedule:
    """Start every job at random on random nodes, closer or farther apart, until they find room."""
    scaled = instance.scaled()
    every = [allocations(scaled, job) for job in range(len(instance.jobs))]
    for spread in (1,) * 4 + (2,) * 4 + (4,) * 4 + (8,) * 4 + (16,) * 4 + (40,) * 4 + (LAST,):
        step = instance.slot or F(rng.randint(1, 3), rng.randint(1, 3))
        starts = [step * rng.randint(0, spread) for _ in instance.jobs]
        if spread == LAST:
            starts = [step * spread * job for job in range(len(instance.jobs))]
        runs = [StartedRun(job, start, rng.choice(every[job])) for job, start in enumerate(starts)]
        try:
            return schedule_from_starts(instance, runs, "random")
        except InputError:
            continue
    raise AssertionError("jobs one after the other find no room")


def steps_accept(instance: CoallocationInstance, schedule: Schedule) -> bool:
    """Whether a schedule of an instance with slots keeps every rule under slowdown."""
    jobs = {job.id: job for job in instance.jobs}
    if sorted(one.job for one in schedule.placements) != sorted(jobs):
        return False
    if not all(_on_nodes(instance, one) and _on_grid(instance, one) for one in schedule.placements):
        return False
    progress = dict.fromkeys(jobs, F(0))
    now = F(0)
    while now < schedule.makespan:
        running = [one for one in schedule.placements if one.start <= now < one.end]
        if any(progress[one.job] >= 1 for one in running) or not _room(instance, running):
            return False
        for one, factor in zip(running, _factors(instance, running), strict=True):
            job = jobs[one.job]
            powers = {cluster.id: cluster.node_powers for cluster in instance.clusters}
            slowest = min(powers[name][number] for name, own in one.nodes.items() for number in own)
            time = job.base_time * job.sigma / slowest + job.base_time * (1 - job.sigma) * factor
            progress[one.job] += instance.slot / time
        now += instance.slot
        if any(one.end == now and progress[one.job] < 1 for one in running):
            return False
    return all(done >= 1 for done in progress.values())


def _on_nodes(instance: CoallocationInstance, one: Placement) -> bool:
    sizes = {cluster.id: cluster.size for cluster in instance.clusters}
    held = [(name, number) for name, numbers in one.nodes.items() for number in numbers]
    tasks = next(job.tasks for job in instance.jobs if job.id == one.job)
    return len(held) == len(set(held)) == tasks and all(number < sizes.get(name, 0) for name, number in held)


def _on_grid(instance: CoallocationInstance, one: Placement) -> bool:
    return one.start >= 0 and one.start % instance.slot == one.end % instance.slot == 0


def _loads(instance: CoallocationInstance, running: list[Placement]) -> list[list[F]]:
    """Of each job on each link."""
    jobs = {job.id: job for job in instance.jobs}
    return [
        [naive_load(jobs[one.job], len(one.nodes.get(cluster.id, ()))) for cluster in instance.clusters]
        for one in running
    ]


def _room(instance: CoallocationInstance, running: list[Placement]) -> bool:
    held = [(name, number) for one in running for name, numbers in one.nodes.items() for number in numbers]
    if len(held) != len(set(held)):
        return False
    threshold = instance.saturation.threshold
    for index, cluster in enumerate(instance.clusters):
        asked = sum((row[index] for row in _loads(instance, running)), F(0))
        if asked and (not cluster.bandwidth or (threshold and cluster.bandwidth / asked < threshold)):
            return False
    return True


def _factors(instance: CoallocationInstance, running: list[Placement]) -> list[F]:
    """SC of each job."""
    loads = _loads(instance, running)
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    if instance.saturation.sharing == "max-min":
        return slowdowns("max-min", bandwidths, loads)  # type: ignore[arg-type]
    found = []
    for row in loads:
        slowest = F(1)
        for index, own in enumerate(row):
            if own:
                slowest = max(slowest, sum(other[index] for other in loads) / bandwidths[index])
        found.append(slowest)
    return found
