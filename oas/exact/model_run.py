"""Run one formulation by one solver between known bounds, and verify its answer."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, SolverError
from oas.core.result import Claim, Termination
from oas.exact.parts import exact_parts
from oas.exact.start import heuristic_schedules
from oas.models.formulation import PREPARE, Preparation, check_takes, default_formulation, find_formulation
from oas.solvers.isolation.client import call, run
from oas.solvers.outcome import continuous_bound, integer_bound
from oas.solvers.task import MIP, Task, write_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.exact.evidence import Evidence
    from oas.models.formulation import Formulation
    from oas.solvers.outcome import Outcome, Progress
    from oas.solvers.task import Limits, Settings

_DIGITS = 12  # of a time that comes from a float


class ModelTimes:
    """Conversions for one formulation of one instance.

    Where the formulation is continuous there may be no ticks: times stay Fractions, and a bound is rounded down after
    its margin is taken off.
    """

    def __init__(self, formulation: Formulation, instance: Instance) -> None:
        self.formulation = formulation
        self.scaled = instance.scaled()

    def given(self, time: Fraction) -> int | Fraction:
        """Return a horizon or a bound as the formulation's `prepare` takes it."""
        return time if self.formulation.continuous else int(time / self.scaled.tick)

    def proven(self, spec: object, bound: float) -> Fraction:
        """Return what a stated bound on the objective proves of the makespan."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, continuous_bound(bound)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, integer_bound(bound)))

    def stated(self, spec: object, objective: float) -> Fraction:
        """Return the makespan that a stated objective stands for, untested."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, Fraction(objective)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, math.ceil(objective - 0.5)))


def rounded_down(value: Fraction) -> Fraction:
    """Round a time down to about twelve significant digits; 0 below 0."""
    if value <= 0:
        return Fraction(0)
    places = _DIGITS - len(str(value.numerator)) + len(str(value.denominator))
    unit = Fraction(10) ** -places
    return value // unit * unit


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


def exportable(name: str, instance: Instance) -> Formulation:
    """Return the formulation for `instance` of this name, or the default for ``auto``, if it can be written to a file.

    Raises
    ------
    InputError
        If it cannot, is unknown, or is not for the variant of the instance's rules.
    """
    if name == "auto":
        return default_formulation(instance.problem, instance=instance)
    if name == "brute-force":
        raise InputError("has no model to write", field="--formulation", value=name)
    formulation = find_formulation(name, instance.problem, instance)
    if formulation.family != MIP:
        raise InputError("is a CP-SAT model; LP and MPS files hold MIP models only", field="--formulation", value=name)
    check_takes(formulation, instance)
    return formulation


def export_model(instance: Instance, formulation: Formulation, path: str) -> None:
    """Write the model that `solve` would hand to a solver, between the best heuristic's schedule and the best bound.

    Raises
    ------
    InputError
        If the path ends neither in .lp nor in .mps, if the formulation is not for the variant of the instance's
        rules, or if no heuristic makes a schedule.
    InfeasibleError
        If there is no schedule, so no horizon.
    TooLargeError
        If the model would pass its caps.
    """
    check_takes(formulation, instance)
    times = ModelTimes(formulation, instance)
    horizon = min((schedule.makespan for _, schedule in heuristic_schedules(instance)), default=None)
    if horizon is None:
        raise InputError("no heuristic makes a schedule of this instance, from which a model has its horizon")
    bound = best_bound(instance).value
    spec = formulation.prepare(instance, instance.scaled(), times.given(horizon), times.given(bound))
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
    check_takes(formulation, evidence.instance)
    instance, schedule, bound = evidence.instance, evidence.schedule, evidence.bound
    assert schedule is not None and bound is not None
    times = ModelTimes(formulation, instance)
    given = Preparation(
        formulation.prepare,
        formulation.start_values,
        instance,
        horizon=times.given(schedule.makespan),
        lower_bound=times.given(bound.value),
        runs=exact_parts(instance).to_runs(instance, instance.scaled(), schedule),
    )

    def report(spec: object, seen: Progress) -> None:
        proven = None if seen.bound is None else times.proven(spec, seen.bound)
        on_progress(proven, None if seen.objective is None else times.stated(spec, seen.objective))

    ended = solve_prepared(formulation, given, settings, limits, report)
    return ended if isinstance(ended, ModelRun) else _judge(evidence, formulation, *ended)


def solve_prepared(
    formulation: Formulation,
    given: Preparation,
    settings: Settings,
    limits: Limits,
    report: Callable[[Any, Progress], None],
) -> tuple[Any, Outcome] | ModelRun:
    """Prepare and build a model in the solver's process and solve it, all within the limits.

    Return its spec and the solver's outcome, or how it ended if it did not get that far. `report` gets the spec and
    the solver's state meanwhile.
    """
    began = time.monotonic()
    prepared = call(PREPARE, given, replace(limits, grace=0), family=settings.family)
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
    task = Task(formulation.builder, spec, start, label=given.instance.name)
    settings = replace(settings, integer_objective=not formulation.continuous)
    return spec, run(task, settings, limits, partial(report, spec))


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
            if formulation.schedule is None:
                found = exact_parts(evidence.instance).from_runs(evidence.instance, scaled, runs)
            else:
                found = formulation.schedule(evidence.instance, runs)
            violation = evidence.offer(found, who, anyway=True)
        except (SolverError, InputError) as error:
            violation = str(error)
        if violation:
            return fault(f"returned a schedule that the verifier rejects, {violation}; nothing it says is used")
    claim = None
    if outcome.bound is not None:
        bound = ModelTimes(formulation, evidence.instance).proven(spec, outcome.bound)
        assert evidence.makespan is not None
        if bound > evidence.makespan:
            return fault(f"claims a bound of {bound}, above a verified schedule; nothing it says is used")
        claim = Claim(outcome.solver, outcome.version, formulation.name, bound)
    return ModelRun(outcome.termination, claim, outcome.version, outcome.message)
