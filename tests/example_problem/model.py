"""The assignment model: which machine each job is on."""

import pyomo.environ as pyo

from oas.solving.formulation import Formulation


def prepare(_instance, scaled, horizon, lower_bound):
    return scaled, horizon, lower_bound


def build(spec):
    scaled, horizon, lower_bound = spec
    jobs, park = range(scaled.job_count), range(scaled.machines)
    model = pyo.ConcreteModel()
    model.on = pyo.Var(jobs, park, domain=pyo.Binary)
    model.makespan = pyo.Var([0], domain=pyo.NonNegativeIntegers, bounds=(lower_bound, horizon))
    model.once = pyo.Constraint(jobs, rule=lambda m, job: sum(m.on[job, one] for one in park) == 1)
    model.ends = pyo.Constraint(
        park, rule=lambda m, one: sum(scaled.times[job] * m.on[job, one] for job in jobs) <= m.makespan[0]
    )
    model.objective = pyo.Objective(expr=model.makespan[0])
    return model


def read(spec, values):
    machine = {index[0]: index[1] for (name, index), value in values.items() if name == "on" and value}
    return [machine[job] for job in range(spec[0].job_count)]


def start_values(spec, runs):
    values = {("on", (job, machine)): 1 for job, machine in enumerate(runs)}
    load = [sum(spec[0].times[job] for job, own in enumerate(runs) if own == one) for one in range(spec[0].machines)]
    return {**values, ("makespan", (0,)): max(load)}


def ticks_of(_spec, objective):
    return objective


FORMULATIONS = (
    Formulation(
        "assignment", "tests.example_problem.model:build", prepare, read, start_values, ticks_of, "jobs to machines"
    ),
)
