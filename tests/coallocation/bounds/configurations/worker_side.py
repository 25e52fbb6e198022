"""What the worker runs in these tests; importable there by name. It loads HiGHS: no test imports it."""

import random

import pyomo.environ as pyo

from oas.coallocation.bounds.configurations import generation
from oas.coallocation.bounds.configurations.generation import generate


def root_only(search, session):
    """Generate columns at the root and branch no more."""
    before, generation.MAX_LEAVES = generation.MAX_LEAVES, 1
    try:
        return generate(search, session)
    finally:
        generation.MAX_LEAVES = before


def many_jobs(search, session):
    """Branch no more and stop once the bound equals the program's value, as with very many jobs."""
    before, generation.BRANCHED_JOBS = generation.BRANCHED_JOBS, 0
    try:
        return generate(search, session)
    finally:
        generation.BRANCHED_JOBS = before


def lying(search, session):
    """Generate with a linear program whose duals are noise, most of them far from feasible."""
    draw = random.Random(search.upper)
    honest = generation.LevelMaster.solve

    def solve(master, allowed):
        value, duals, chosen = honest(master, allowed)
        noise = [dual * draw.choice((-1, 0.5, 1, 3)) + draw.uniform(-0.2, 0.4) for dual in duals]
        return value * 2, noise, chosen

    generation.LevelMaster.solve = solve
    try:
        return generate(search, session)
    finally:
        generation.LevelMaster.solve = honest


def broken(search, session):
    """Hand over what is right so far, then fail."""
    generate(search, session)
    raise ZeroDivisionError


def all_configurations(payload):
    """The bound as a program over every configuration: ``(modes, sets, whether a level is chosen whole)``.

    In ticks. A set is a list of (job, level).
    """
    modes, sets, whole = payload
    model = pyo.ConcreteModel()
    pairs = [(job, mode.level) for job, row in enumerate(modes) for mode in row]
    model.z = pyo.Var(pairs, domain=pyo.Binary if whole else pyo.UnitInterval)
    model.x = pyo.Var(range(len(sets)), domain=pyo.NonNegativeReals)
    model.one = pyo.Constraint(range(len(modes)), rule=lambda m, j: sum(m.z[j, mode.level] for mode in modes[j]) == 1)
    ticks = {(job, mode.level): mode.ticks for job, row in enumerate(modes) for mode in row}
    model.run = pyo.Constraint(
        pairs, rule=lambda m, *pair: sum(m.x[i] for i, one in enumerate(sets) if pair in one) >= ticks[pair] * m.z[pair]
    )
    model.makespan = pyo.Objective(expr=sum(model.x.values()))
    return model


def stopped_at_once(search, session):
    """Generate after a request to stop."""
    session.stop.requested = True
    return generate(search, session)


def stopped_after_some_reports(search, session):
    """Generate until the fourth bound is reported, and then after a request to stop."""
    honest, reported = session.progress, []

    def progress(bound, *more):
        honest(bound, *more)
        reported.append(bound)
        session.stop.requested = len(reported) > 3

    session.progress = progress
    return generate(search, session)
