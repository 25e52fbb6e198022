"""Comparison of all participants with the brute-force optimum of an instance of co-allocation or MOSP."""

from __future__ import annotations

import time
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.soak.decisions import PARTICIPANT as DECISION
from benchmarks.soak.decisions import decisions
from benchmarks.soak.findings import (
    AGREED,
    FAULT,
    MISMATCH,
    TIME_LIMIT,
    TOLERANCE,
    TOO_LARGE,
    Asked,
    Finding,
    attempts,
    finding,
    raise_if_interrupted,
    run_name,
    runs_of,
    solvers,
    trial,
)
from benchmarks.soak.guarantees import promise_fault
from benchmarks.soak.poor_schedules import late, poor
from benchmarks.soak.results import check, proof_name, result_of
from benchmarks.soak.saturation import slowed
from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.bounds.lower_bound import lower_bounds
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Result, Status, Termination
from oas.core.verifier import verify
from oas.exact.coallocation.saturated.brute_force import brute_force as slowed_brute_force
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.parts import exact_parts
from oas.exact.pipeline import solve
from oas.exact.recheck import recheck
from oas.models.coallocation import literal
from oas.models.formulation import find_formulation, formulations
from oas.solvers.outcome import NOT_INTEGRAL
from oas.solvers.task import CPSAT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.soak.findings import Run
    from heuristics.method import Method
    from oas.bounds.lower_bound import LowerBound
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

COEFFICIENTS = 600  # of a literal model at most; larger ones take CBC seconds
HAIR = Fraction(1, 10**9)
NEAR = Fraction(2, 10**6)  # of the optimum: how far below it the bound of a continuous model may stay
SEARCH, PIPELINE = "search from a poor schedule", "pipeline"


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
    ticks = trial("ticks", lambda: "" if instance.scaled().job_count else "no jobs")
    if ticks.verdict != AGREED:  # brute force alone can count the times of the instance
        yield ticks
        yield from _solved(instance, optimum, asked)
        return
    if instance.variant == "forbid" and asked.wants("brute force of slowdown"):
        plain: Any = instance
        yield trial("brute force of slowdown", lambda: _differs(slowed_brute_force(plain)[0], optimum))
    for method in own_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield from _heuristic(instance, method, optimum)
    for bound in lower_bounds(instance):
        if bound.holds_for(instance) and asked.wants(f"{bound.name} bound"):
            yield trial(f"{bound.name} bound", partial(bound_fault, instance, bound, optimum))
    yield from _solved(instance, optimum, asked)
    yield from _searched(instance, optimum, asked)
    for run in asked.runs(runs_of(formulations(instance.problem, instance).values())):
        yield from attempts(run_name(*run), partial(_model, instance, run, optimum, asked))
    if instance.problem.name == "mosp" and CPSAT in solvers() and asked.wants(DECISION):
        yield from decisions(instance, optimum, asked)
    if instance.problem.name == "coallocation" and instance.variant != "forbid":
        yield from slowed(instance, optimum, asked)  # type: ignore[arg-type]


def schedule_fault(instance: Instance, schedule: Schedule, optimum: Fraction) -> str:
    """Return the first rule that `schedule` breaks, or that its makespan is below the optimum; otherwise nothing."""
    violations = verify(instance, schedule)
    if violations:
        return str(violations[0])
    return f"makespan {schedule.makespan}, below the optimum {optimum}" if schedule.makespan < optimum else ""


def bound_fault(instance: Instance, bound: LowerBound, most: Fraction) -> str:
    """Return the fault of a bound: it exceeds `most`, a makespan, or its re-check is wrong about it or about more."""
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


# The pipeline and the toolkit's own search


def _solved(instance: Instance, optimum: Fraction | None, asked: Asked) -> Iterator[Finding]:
    """Have the pipeline solve the instance as a user would."""

    def run() -> tuple[Result, Finding]:
        result = solve(instance, time_limit=asked.search_seconds)
        raise_if_interrupted(result.termination)
        return result, _solve_finding(instance, result, optimum)

    return _judged(PIPELINE, run, instance, optimum, asked)


def _judged(
    participant: str,
    run: Callable[[], tuple[Result | None, Finding]],
    instance: Instance,
    optimum: Fraction | None,
    asked: Asked,
) -> Iterator[Finding]:
    """Yield the finding on a participant, and how the checkers judge its result if it proves something."""
    results: list[Result | None] = []

    def call() -> Finding:
        result, found = run()
        results.append(result)
        return found

    if asked.wants(participant):
        yield trial(participant, call)
    for result in filter(None, results):
        asked.proofs[participant] = proof_name(result)
        yield from check(participant, instance, result, optimum, asked)


def _solve_finding(instance: Instance, result: Result, optimum: Fraction | None) -> Finding:
    detail = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}, optimum {optimum}"
    detail = f"{detail}; {result.termination.value}; {result.message}"
    if result.status is Status.NO_SOLUTION and result.termination is Termination.TIME_LIMIT:
        return Finding(PIPELINE, TIME_LIMIT, detail)
    if optimum is None or result.objective is None or result.lower_bound is None:
        return finding(PIPELINE, "" if optimum is None and result.status is Status.INFEASIBLE else detail)
    if not result.lower_bound <= optimum <= result.objective:
        return Finding(PIPELINE, MISMATCH, detail)
    if result.status is Status.OPTIMAL:
        return Finding(PIPELINE, AGREED)
    if result.termination is Termination.TOO_LARGE:
        return Finding(PIPELINE, TOO_LARGE, detail)
    # In continuous time slowdown may remain open.
    may_be_open = result.termination is Termination.TIME_LIMIT or not instance.scaled().tick
    return Finding(PIPELINE, TIME_LIMIT if may_be_open else MISMATCH, detail)


def _searched(instance: Instance, optimum: Fraction, asked: Asked) -> Iterator[Finding]:
    """Start the toolkit's own search from a poor schedule and the bound 0."""

    def run() -> tuple[Result | None, Finding]:
        evidence, ended = _search_from(instance, poor(instance), asked.search_seconds)
        result = None if evidence.bound is None or evidence.bound.name == "none" else result_of(evidence, ended)
        assert evidence.lower_bound is not None and evidence.makespan is not None
        detail = f"bound {evidence.lower_bound}, makespan {evidence.makespan}, optimum {optimum}; {ended.value}"
        if not evidence.lower_bound <= optimum <= evidence.makespan:
            return result, Finding(SEARCH, MISMATCH, detail)
        # What the search leaves open is left to the models.
        return result, Finding(SEARCH, AGREED) if evidence.closed else Finding(SEARCH, TIME_LIMIT, detail)

    return _judged(SEARCH, run, instance, optimum, asked)


def _search_from(instance: Instance, start: Schedule, seconds: float) -> tuple[Evidence, Termination]:
    search = exact_parts(instance).search
    assert search is not None
    evidence = poor_evidence(instance, start)
    deadline = time.monotonic() + seconds
    ended = search(evidence, 0, lambda: deadline - time.monotonic(), lambda: None).close()
    raise_if_interrupted(ended)
    return evidence, ended


def poor_evidence(instance: Instance, start: Schedule) -> Evidence:
    """Return evidence of a poor schedule and the bound 0."""
    evidence = Evidence(instance)
    fault = evidence.offer(start, "poor")
    assert fault is None, fault
    evidence.bound = Bound("none", Fraction(0))
    return evidence


# Models


def _model(instance: Instance, run: Run, optimum: Fraction, asked: Asked) -> Finding:
    """Have a solver find and prove the optimum by itself: from a poor schedule and the bound 0.

    A literal model starts from a schedule that is a tick late. Bound and schedule of a model without ticks may differ
    from the optimum by `NEAR` of it: numbers of large denominators lie closer together than a solver's tolerances.
    """
    formulation, settings = run
    participant, start = run_name(*run), poor(instance)
    if formulation == literal.FORMULATION.name:
        plain: Any = instance
        start = late(plain)
        ticks = int(start.makespan / plain.scaled().tick)
        count = literal.LiteralSpec(plain, plain.scaled(), ticks, 0).coefficient_count
        if count > COEFFICIENTS:
            return Finding(participant, TOO_LARGE, f"{count:,} coefficients")
    evidence = poor_evidence(instance, start)
    chosen = find_formulation(formulation, instance.problem)
    solved = run_model(evidence, chosen, settings, Limits(asked.seconds), lambda *_: None)
    assert evidence.makespan is not None
    claimed = Fraction(0) if solved.claim is None else solved.claim.bound
    detail = f"bound {claimed}, makespan {evidence.makespan}, optimum {optimum}"
    if claimed > optimum or evidence.makespan < optimum:
        return Finding(participant, MISMATCH, detail)
    raise_if_interrupted(solved.termination)
    if solved.termination is Termination.TOO_LARGE:
        return Finding(participant, TOO_LARGE, solved.message)
    if solved.termination is Termination.TIME_LIMIT:
        return Finding(participant, TIME_LIMIT, detail)
    near = NEAR * optimum if chosen.continuous else 0
    finished = solved.termination is Termination.FINISHED
    if finished and optimum - near <= claimed and evidence.makespan <= optimum + near:
        return Finding(participant, AGREED)
    if solved.termination is Termination.ERROR and NOT_INTEGRAL in solved.message:
        return Finding(participant, FAULT, detail)
    left_open = finished or solved.termination is Termination.ERROR
    verdict = TOLERANCE if left_open and _is_close(instance) else MISMATCH
    return Finding(participant, verdict, f"{solved.termination.value}: {detail}; {solved.message}")


def _is_close(instance: Instance) -> bool:
    """Whether links that slow jobs down are met but for a hair: floats cannot tell if a job ends in its slot."""
    slowed = instance.problem.name == "coallocation" and instance.variant != "forbid"
    return slowed and any(one.bandwidth.denominator * HAIR >= 1 for one in instance.clusters)  # type: ignore[attr-defined]


# Instances without a schedule


def _infeasible(instance: Instance, asked: Asked) -> Iterator[Finding]:
    """Yield whether all report that there is no schedule."""
    hopeless = exact_parts(instance).unplaceable(instance)
    yield finding("brute force", "" if hopeless else "finds no schedule although every job has an allocation")
    yield from _solved(instance, None, asked)
    for method in own_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield trial(method.name, partial(_refusal_fault, instance, method))


def _refusal_fault(instance: Instance, method: Method) -> str:
    try:
        method(instance)
    except InfeasibleError:
        return ""
    return "schedules an infeasible instance"
