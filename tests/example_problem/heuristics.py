"""Longest time first, on the machine that is free first (Graham 1969)."""

from oas.core.schedule import Schedule
from oas.solving.method import Guarantee, Method
from tests.example_problem.exact import from_runs
from tests.example_problem.problem import MACHINES


def longest_first(instance, *, seed=0):
    scaled = instance.scaled()
    load, runs = [0] * scaled.machines, [0] * scaled.job_count
    for job in sorted(range(scaled.job_count), key=lambda job: -scaled.times[job]):
        runs[job] = load.index(min(load))
        load[runs[job]] += scaled.times[job]
    return from_runs(instance, scaled, runs)


METHOD = Method(
    "longest-first",
    longest_first,
    "longest job first",
    problem=MACHINES,
    guarantee=lambda _: Guarantee(2, "Graham 1966"),
)


def forgets(instance, *, seed=0):
    """A fault: job J2 is left out."""
    return Schedule([one for one in longest_first(instance).placements if one.job != "J2"])
