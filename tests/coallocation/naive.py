"""Plain reference computations for co-allocation: durations, loads, and a checker of schedules."""

from fractions import Fraction
from fractions import Fraction as F
from itertools import product

from oas.coallocation.allocations import allocations
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.errors import InputError


def naive_time(instance, job, powers):
    """Run time on nodes of these powers: the longest of the tasks' times, in slots counted one by one."""
    longest = max(job.base_time * job.sigma / power + job.base_time * (1 - job.sigma) for power in powers)
    if instance.slot == 0:
        return longest
    held = Fraction(0)
    while held < longest:
        held += instance.slot
    return held


def naive_load(job, inside):
    """Load on a link with `inside` tasks behind it: a task shares its bandwidth evenly among the other τ − 1."""
    load = Fraction(0)
    for one, two in product(range(job.tasks), repeat=2):
        if one < inside <= two:
            load += job.bandwidth / (job.tasks - 1)
    return load


def fit_together(scaled, chosen):
    """Whether nodes and links hold these allocations at the same moment."""
    return all(sum(one.counts[k] for one in chosen) <= len(own.nodes) for k, own in enumerate(scaled.classes)) and all(
        sum(one.loads[k] for one in chosen) <= most for k, most in enumerate(scaled.link_capacity)
    )


def sets_that_fit(scaled, choices, allowed=None):
    """Yield each set of jobs on one of their `choices`, by index, that can run together, also if more jobs could."""
    for chosen in product(*([None, *sorted(own)] for own in allowed or map(range, map(len, choices)))):
        members = tuple((job, index) for job, index in enumerate(chosen) if index is not None)
        if members and fit_together(scaled, [choices[job][index] for job, index in members]):
            yield members


def naive_accepts(instance, schedule, partial=False):
    """Whether `schedule` keeps every rule; with `partial`, jobs may still be missing."""
    names = [placement.job for placement in schedule.placements]
    wanted = [job.id for job in instance.jobs]
    if len(names) != len(set(names)) or not set(names) <= set(wanted) or (len(names) < len(wanted) and not partial):
        return False
    if not all(_sound(instance, placement) for placement in schedule.placements):
        return False
    moments = {moment for placement in schedule.placements for moment in (placement.start, placement.end)}
    return all(_room_at(instance, schedule, moment) for moment in moments)


def _sound(instance, placement):
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


def _room_at(instance, schedule, moment):
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


def random_slowed_schedule(rng, instance):
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
