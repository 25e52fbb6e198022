"""Seconds that a MIP solver needs for the optimum of one model at one slot size.

The solver starts from the best heuristic schedule. It gets no combinatorial bound, which often proves that schedule
optimal before the search and so hides the cost of the slot size.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.registry import COALLOCATION
from oas.core.result import Bound, Termination
from oas.solvers.isolation.client import prepare
from oas.solvers.task import Limits, Settings
from oas.solving.evidence import Evidence
from oas.solving.formulation import find_formulation
from oas.solving.model_run import run_model
from oas.solving.start import heuristic_schedules

if TYPE_CHECKING:
    from oas.coallocation.slot_sizes.points import SlotPoint

FORMULATIONS = ("start-indexed", "literal")
_STATUS = {Termination.TIME_LIMIT: "limit", Termination.TOO_LARGE: "too large"}


@dataclass(frozen=True)
class ModelTime:
    """The run of a solver on one MIP model."""

    name: str  #: solver and formulation
    seconds: float  #: wall time of preparing, building and solving
    status: str  #: ``proven``, ``limit`` (time limit), ``too large`` (not built) or ``failed``
    message: str = ""  #: reason if the run is not proven; may be empty


def model_time(point: SlotPoint, solver: str, formulation: str, limit: float, seed: int) -> ModelTime:
    """Run `solver` on a model of the instance at this slot size; Ctrl-C raises `KeyboardInterrupt`.

    A claim that contradicts the point is a failure of the run.
    """
    prepare("pyomo.environ")
    evidence = Evidence(point.grid)
    for method, schedule in heuristic_schedules(point.grid):
        evidence.offer(schedule, method)
    evidence.bound = Bound("none", Fraction(0))
    began = time.monotonic()
    model, settings = find_formulation(formulation, COALLOCATION), Settings(solver, seed=seed)
    run = run_model(evidence, model, settings, Limits(limit), lambda _bound, _objective: None)
    seconds, name, makespan = time.monotonic() - began, f"{solver} {formulation}", evidence.makespan
    if run.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    if makespan is None or run.claim is None or run.claim.bound != makespan:
        return ModelTime(name, seconds, _STATUS.get(run.termination, "failed"), run.message)
    if not point.lower_bound <= makespan <= point.makespan:
        known = f"between {point.lower_bound} and {point.makespan}"
        message = f"claims the optimum {makespan} at η = {point.slot}, which is {known}"
        return ModelTime(name, seconds, "failed", message)
    return ModelTime(name, seconds, "proven")
