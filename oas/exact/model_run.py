"""Run one formulation by one solver between known bounds, and verify its answer."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, SolverError
from oas.core.problem import check_variant
from oas.core.result import Claim, Termination
from oas.exact.parts import exact_parts
from oas.exact.start import heuristic_schedules
from oas.models.preparation import PREPARE, Preparation
from oas.models.registry import default_formulation, find_formulation
from oas.solvers.export import write_model
from oas.solvers.isolation.client import call, run
from oas.solvers.outcome import Outcome, integer_bound
from oas.solvers.task import MIP, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.exact.evidence import Evidence
    from oas.models.formulation import Formulation
    from oas.solvers.outcome import CallOutcome, Progress
    from oas.solvers.task import Limits, Settings


@dataclass(frozen=True)
class ModelRun:
    """The outcome of a run.

    Attributes
    ----------
    termination
        The solver's, or ``error`` if what it says contradicts a verified fact.
    claim
        The bound it claims, if that may be believed on its word.
    version
        Of the solver; empty if it never ran.
    message
        For people; empty if there is nothing to say.
    """

    termination: Termination
    claim: Claim | None = None
    version: str = ""
    message: str = ""


def exportable(name: str, problem: Problem) -> Formulation:
    """Return the formulation for `problem` of this name, or the default for ``auto``, if it can be written to a file.

    Raises
    ------
    InputError
        If it cannot, or is unknown.
    """
    if name == "auto":
        return default_formulation(problem)
    if name == "brute-force":
        raise InputError("has no model to write", field="--formulation", value=name)
    formulation = find_formulation(name, problem)
    if formulation.family != MIP:
        raise InputError("is a CP-SAT model; LP and MPS files hold MIP models only", field="--formulation", value=name)
    return formulation


def export_model(instance: Instance, formulation: Formulation, path: str) -> None:
    """Write the model that `solve` would hand to a solver, between the best heuristic's schedule and the best bound.

    Raises
    ------
    InputError
        If the path ends neither in .lp nor in .mps.
    InfeasibleError
        If there is no schedule, so no horizon.
    TooLargeError
        If the model would pass its caps.
    """
    check_variant(instance, f"the formulation {formulation.name}", formulation.variants)
    scaled = instance.scaled()
    horizon = min(schedule.makespan for _, schedule in heuristic_schedules(instance))
    spec = formulation.prepare(
        instance, scaled, int(horizon / scaled.tick), int(best_bound(instance).value / scaled.tick)
    )
    write_model(formulation.builder, spec, path)


def run_model(
    evidence: Evidence,
    formulation: Formulation,
    settings: Settings,
    limits: Limits,
    on_progress: Callable[[Fraction | None, Fraction | None], None],
) -> ModelRun:
    """Solve `formulation` from the best schedule down to the certified bound; offer what it finds to `evidence`.

    The limits are for preparing, building and solving together. `on_progress` gets the bound and the makespan that
    the solver states meanwhile, untested.
    """
    check_variant(evidence.instance, f"the formulation {formulation.name}", formulation.variants)
    began = time.monotonic()
    scaled = evidence.instance.scaled()
    prepared = _prepare(evidence, formulation, settings, limits)
    if prepared.value is None:
        late = prepared.termination is Termination.TIME_LIMIT
        message = f"the {formulation.name} model was not ready in time" if late else prepared.message
        return ModelRun(prepared.termination, message=message)
    assert isinstance(prepared.value, tuple)
    spec, start = prepared.value
    if limits.time is not None:
        left = limits.time - (time.monotonic() - began)
        if left <= 0:
            return ModelRun(Termination.TIME_LIMIT)
        limits = replace(limits, time=left)

    def report(seen: Progress) -> None:
        stated = None if seen.bound is None else formulation.ticks_of(spec, integer_bound(seen.bound))
        found = None if seen.objective is None else formulation.ticks_of(spec, math.ceil(seen.objective - 0.5))
        on_progress(*(None if ticks is None else scaled.to_time(ticks) for ticks in (stated, found)))

    task = Task(formulation.builder, spec, start, label=evidence.instance.name)
    outcome = run(task, replace(settings, integer_objective=True), limits, report)
    return _judge(evidence, formulation, spec, outcome)


def _prepare(evidence: Evidence, formulation: Formulation, settings: Settings, limits: Limits) -> CallOutcome:
    """Return spec and warm start of the model, made in the solver's process; no value if it did not get that far."""
    instance, schedule, bound = evidence.instance, evidence.schedule, evidence.bound
    assert schedule is not None and bound is not None
    scaled = instance.scaled()
    given = Preparation(
        formulation.prepare,
        formulation.start_values,
        instance,
        horizon=int(schedule.makespan / scaled.tick),
        lower_bound=int(bound.value / scaled.tick),
        runs=exact_parts(instance).to_runs(instance, scaled, schedule),
    )
    return call(PREPARE, given, replace(limits, grace=0), family=settings.family)


def _judge(evidence: Evidence, formulation: Formulation, spec: object, outcome: Outcome) -> ModelRun:
    who = f"{outcome.solver} on {formulation.name}"
    scaled = evidence.instance.scaled()

    def fault(message: str) -> ModelRun:
        return ModelRun(Termination.ERROR, version=outcome.version, message=f"{who} {message}")

    if outcome.infeasible:
        return fault("claims that a model with a known solution has none; nothing it says is used")
    if outcome.values is not None:
        try:
            runs = formulation.read(spec, outcome.values)
            found = exact_parts(evidence.instance).from_runs(evidence.instance, scaled, runs)
            violation = evidence.offer(found, who)
        except (SolverError, InputError) as error:
            violation = str(error)
        if violation:
            return fault(f"returned a schedule that the verifier rejects, {violation}; nothing it says is used")
    claim = None
    if outcome.bound is not None:
        bound = scaled.to_time(formulation.ticks_of(spec, integer_bound(outcome.bound)))
        assert evidence.makespan is not None
        if bound > evidence.makespan:
            return fault(f"claims a bound of {bound}, above a verified schedule; nothing it says is used")
        claim = Claim(outcome.solver, outcome.version, formulation.name, bound)
    return ModelRun(outcome.termination, claim, outcome.version, outcome.message)
