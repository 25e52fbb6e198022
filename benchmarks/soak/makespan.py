"""Comparison of all participants with the brute-force optimum of an instance of co-allocation or MOSP."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.soak.findings import (
    TOO_LARGE,
    Asked,
    Finding,
    attempts,
    finding,
    run_name,
    runs_of,
    solvers,
    trial,
)
from benchmarks.soak.guarantees import promise_fault
from benchmarks.soak.models import DECISION, decisions, model
from benchmarks.soak.solving import searched, solved
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import ceil_to
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.solvers.task import CPSAT
from oas.solving.formulation import formulations
from oas.solving.lower_bound import lower_bounds
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import toolkit_methods
from oas.solving.parts import exact_parts
from oas.solving.recheck import recheck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solving.lower_bound import LowerBound
    from oas.solving.method import Method

HAIR = Fraction(1, 10**9)


def examine(instance: Instance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on all participants."""
    try:
        optimum, schedule = exact_parts(instance).brute_force(instance)
    except InfeasibleError:
        yield from _infeasible(instance, asked)
        return
    except TooLargeError as error:
        yield Finding("brute force", TOO_LARGE, str(error))
        return
    yield finding("brute force", schedule_fault(instance, schedule, optimum) or _differs(schedule.makespan, optimum))
    for method in toolkit_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield from _heuristic(instance, method, optimum)
    for bound in lower_bounds(instance):
        if bound.holds_for(instance) and asked.wants(f"{bound.name} bound"):
            yield trial(f"{bound.name} bound", partial(bound_fault, instance, bound, optimum))
    yield from solved(instance, optimum, asked)
    yield from searched(instance, optimum, asked)
    for run in asked.runs(runs_of(formulations(instance.problem, instance).values())):
        yield from attempts(run_name(*run), partial(model, instance, run, optimum, asked))
    if instance.problem.name == "mosp" and CPSAT in solvers() and asked.wants(DECISION):
        yield from decisions(instance, optimum, asked)


def schedule_fault(instance: Instance, schedule: Schedule, optimum: Fraction) -> str:
    """Return the first violation of a rule by `schedule`, or a makespan below the optimum; empty if there is none."""
    violations = verify(instance, schedule)
    if violations:
        return str(violations[0])
    return f"makespan {schedule.makespan}, below the optimum {optimum}" if schedule.makespan < optimum else ""


def bound_fault(instance: Instance, bound: LowerBound, most: Fraction) -> str:
    """Return the fault of a bound: it exceeds the makespan `most`, or its re-check is wrong for it or a higher one."""
    tick = instance.scaled().tick
    value = ceil_to(bound.compute(instance), tick)
    if value > most:
        return f"{value}, above the makespan {most}"
    if not recheck(instance, Bound(bound.name, value, {})):
        return f"the re-check rejects {value}"
    above = most + (tick or HAIR)
    return f"the re-check accepts {above}" if recheck(instance, Bound(bound.name, above, {})) else ""


def _differs(value: Fraction, optimum: Fraction) -> str:
    return "" if value == optimum else f"{value}, optimum {optimum}"


def _heuristic(instance: Instance, method: Method, optimum: Fraction) -> Iterator[Finding]:
    """Compare a heuristic with the optimum and its guarantee; without locality if it may break locality."""
    free = instance.relaxed()
    least = optimum if free == instance else exact_parts(free).brute_force(free)[0]
    if least > optimum:
        yield finding("brute force", f"{least} without locality, {optimum} with it")
    compared, limit = (instance, optimum) if method.respects_locality else (free, least)

    def call() -> Finding:
        schedule = method(compared)
        fault = schedule_fault(compared, schedule, limit) or promise_fault(compared, method, schedule.makespan, least)
        return finding(method.name, fault, float(schedule.makespan / limit))

    with suppress(NotApplicableError, NotPlacedError):
        yield trial(method.name, call, NotApplicableError, NotPlacedError)


# Instances without a schedule


def _infeasible(instance: Instance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on whether all participants report that there is no schedule."""
    hopeless = exact_parts(instance).unplaceable(instance)
    yield finding("brute force", "" if hopeless else "finds no schedule although every job has an allocation")
    yield from solved(instance, None, asked)
    for method in toolkit_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield trial(method.name, partial(_refusal_fault, instance, method))


def _refusal_fault(instance: Instance, method: Method) -> str:
    try:
        method(instance)
    except InfeasibleError:
        return ""
    return "schedules an infeasible instance"
