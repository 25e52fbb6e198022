"""Runs, and every assignment of jobs to machines."""

from itertools import product

from oas.core.errors import TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.solving.parts import ExactParts


def from_runs(instance, scaled, runs):
    """Runs are machines by job; each machine has its jobs one after the other."""
    free = [0] * scaled.machines
    placements = []
    for job, machine in enumerate(runs):
        end = free[machine] + scaled.times[job]
        placements.append(Placement(instance.jobs[job].id, free[machine], end, {"park": [machine]}))
        free[machine] = end
    return Schedule(placements)


def to_runs(instance, _scaled, schedule):
    return [schedule[job.id].nodes["park"][0] for job in instance.jobs]


def brute_force(instance):
    scaled = instance.scaled()
    if scaled.machines**scaled.job_count > 100_000:
        raise TooLargeError("too many assignments")
    every = product(range(scaled.machines), repeat=scaled.job_count)
    best = min((from_runs(instance, scaled, runs) for runs in every), key=lambda one: one.makespan)
    return best.makespan, best


PARTS = (ExactParts(lambda _: [], to_runs, from_runs, brute_force),)
