"""Formulations that lie in a stated way; the worker imports their parts by name, so a real solver does the lying."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import pyomo.environ as pyo

from heuristics.coallocation import list_scheduling
from oas.coallocation.allocations import Run, make_allocation, runs_from_schedule
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core import problem
from oas.core.errors import TooLargeError
from oas.core.registry import COALLOCATION
from oas.core.schedule import Placement, Schedule
from oas.solving import parts
from oas.solving.brute_force import brute_force
from oas.solving.formulation import Formulation
from tests.solvers.builders import market_split


def leave_the_list_schedule(monkeypatch):
    """Let no local search improve the schedule with which a named solver begins: it would leave nothing to find."""
    monkeypatch.setattr(parts, "LOCAL_CALLS", 0)


def make_known(monkeypatch, formulation, name):
    """Let co-allocation have one formulation more, as long as a test lasts."""
    leave_the_list_schedule(monkeypatch)
    found = problem.import_object

    def with_one_more(place):
        part = found(place)
        return (*part, replace(formulation, name=name)) if place == COALLOCATION.formulations else part

    monkeypatch.setattr(problem, "import_object", with_one_more)


@dataclass(frozen=True)
class Spec:
    """What a lie is made of: the objective that the solver will prove, and the runs that its answer is read as."""

    objective: float
    runs: tuple[Run, ...]


def state(spec):
    """Build a model whose optimum is the objective asked for."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.x >= 1)
    model.objective = pyo.Objective(expr=spec.objective * model.x)
    return model


def state_time(spec):
    """Build a model whose optimum is the time asked for, which need not be whole."""
    return state(replace(spec, objective=float(spec.objective)))


def impossible(spec):
    """Build a model without a solution."""
    model = state(spec)
    model.contradiction = pyo.Constraint(expr=model.x <= 0)
    return model


def endless(_):
    """Build a model that no solver proves within a test."""
    return market_split((0, 40, 5))


def too_large(_):
    """Notice while building that the model is too large."""
    raise TooLargeError("the planted model would have 10 rows, above 9")


@dataclass(frozen=True)
class AtHorizon:
    """Says that the optimum is the horizon, plus so many ticks or so much time."""

    beyond: int | Fraction = 0

    def __call__(self, horizon, _lower_bound):
        return horizon + self.beyond


def at_bound(_horizon, lower_bound):
    """Say that the optimum is the lower bound."""
    return lower_bound


@dataclass(frozen=True)
class Always:
    """Says that the optimum is this many ticks."""

    ticks: int

    def __call__(self, _horizon, _lower_bound):
        return self.ticks


def best_heuristic(instance):
    """Answer what every heuristic finds."""
    return list_scheduling.schedule("FCFS", instance)


def optimal(instance):
    """Answer the truth."""
    return brute_force(instance)[1]


def all_at_once(instance):
    """Answer every job at 0 on the first node: more than there is."""
    scaled = instance.scaled()
    return [Run(job, 0, make_allocation(scaled, job, (1,))) for job in range(scaled.job_count)]


# A's link carries one split job, not two.
ONE_SPLIT_JOB = CoallocationInstance(
    [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, 1)], 9), Cluster("C", [NodeGroup(1, 1)], 0)],
    [Job("u", 3, 5, 1), Job("v", 2, 4, 1), Job("w", 1, 4), Job("x", 1, 3), Job("y", 4, 2, Fraction(1, 8))],
    slot=1,
)


def overloaded(instance):
    """Answer two split jobs on A's link at a time."""
    nodes = {
        "u": (0, {"A": [0], "B": [0, 1]}),
        "v": (0, {"A": [1], "C": [0]}),
        "w": (5, {"A": [0]}),
        "x": (5, {"A": [1]}),
        "y": (9, {"A": [0, 1], "B": [0, 1]}),
    }
    times = {job.id: job.base_time for job in instance.jobs}
    return Schedule([Placement(name, start, start + times[name], own) for name, (start, own) in nodes.items()])


def refused(*_):
    """Notice while preparing that the model is too large."""
    raise TooLargeError("the planted model would have 10 variables, above 9")


def planted(builder, objective, read):
    """Return a formulation whose solver states ``objective(horizon, lower_bound)`` ticks and answers ``read``."""
    return Formulation(
        name="planted",
        builder=f"{__name__}:{builder}",
        prepare=partial(_prepare, objective, read),
        read=lambda spec, _: list(spec.runs),
        start_values=no_start,
        ticks_of=lambda _, objective: objective,
        summary="lies",
    )


def _prepare(objective, read, instance, scaled, horizon, lower_bound):
    answer = read(instance)
    runs = answer if isinstance(answer, list) else runs_from_schedule(instance, scaled, answer)
    return Spec(objective(horizon, lower_bound), tuple(runs))


def no_start(*_):
    """Offer no warm start."""
    return
