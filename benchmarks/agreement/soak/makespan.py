"""What is held against the brute-force optimum of an instance of co-allocation or MOSP."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING

from benchmarks.agreement.coallocation import optima, saturation
from benchmarks.agreement.coallocation.saturation_relations import relations
from benchmarks.agreement.mosp.optima import longest_start
from benchmarks.agreement.participants import (
    AGREED,
    MISMATCH,
    NEAR,
    TIME_LIMIT,
    TOO_LARGE,
    ParticipantFinding,
    finding,
    model,
    raise_if_interrupted,
    run_name,
    schedule_fault,
    search_from,
)
from benchmarks.agreement.soak.asked import Asked, attempts, runs_of, trial
from benchmarks.agreement.soak.checking import check, proof_name, result_of
from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.bounds.lower_bound import lower_bounds
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Result, Status, Termination
from oas.exact.bound_check import recheck
from oas.exact.coallocation.saturated.brute_force import brute_force as slowed_brute_force
from oas.exact.parts import exact_parts
from oas.exact.pipeline import solve
from oas.models.coallocation import literal
from oas.models.registry import formulations
from oas.solvers.discovery import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.agreement.soak.asked import Run
    from heuristics.method import Method
    from oas.bounds.lower_bound import LowerBound
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.exact.evidence import Evidence

COEFFICIENTS = 600  # of a literal model at most; larger ones take CBC seconds
HAIR = Fraction(1, 10**9)
SEARCH, PIPELINE = "search from a poor schedule", "pipeline"


@cache
def solvers() -> frozenset[str]:
    """Return the names of the solvers that are installed."""
    return frozenset(one.name for one in installed() if one.usable)


def examine(instance: Instance, asked: Asked, proofs: dict[str, str]) -> Iterator[ParticipantFinding]:
    """Yield what is found of each participant; `proofs` gets what proves each result that the checkers are shown."""
    try:
        optimum, schedule = exact_parts(instance).brute_force(instance)
    except InfeasibleError:
        yield from _infeasible(instance, asked, proofs)
        return
    except TooLargeError as error:
        yield ParticipantFinding("brute force", TOO_LARGE, str(error))
        return
    own = schedule_fault(instance, schedule, optimum)
    said = "" if schedule.makespan == optimum else f"says {optimum} of a schedule of {schedule.makespan}"
    yield finding("brute force", own or said)
    ticks = trial("ticks", lambda: "" if instance.scaled().job_count else "no jobs")
    if ticks.verdict != AGREED:  # no one but brute force can count the times of the instance
        yield ticks
        yield from _solved(instance, optimum, asked, proofs)
        return
    yield from _second_brute_force(instance, optimum, asked)
    for method in own_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield from _heuristic(instance, method, optimum)
    for bound in lower_bounds(instance):
        if bound.holds_for(instance) and asked.wants(f"{bound.name} bound"):
            yield trial(f"{bound.name} bound", partial(_bound_fault, instance, bound, optimum))
    yield from _solved(instance, optimum, asked, proofs)
    yield from _searched(instance, optimum, asked, proofs)
    for run in asked.runs(runs(instance)):
        yield from attempts(run_name(*run), partial(_model, instance, run, optimum, asked))
    yield from _variant(instance, optimum, asked)


def runs(instance: Instance) -> list[Run]:
    """Return every run of every formulation that takes the instance."""
    return runs_of(formulations(instance.problem, instance).values(), solvers())


def poor(instance: Instance) -> Schedule:
    """Return a feasible schedule that is no good."""
    if instance.problem.name == "mosp":
        return longest_start(instance)  # type: ignore[arg-type]
    plain = instance.variant == instance.problem.variants[0]
    return optima.serial(instance) if plain else saturation.serial(instance)  # type: ignore[arg-type]


def _model(instance: Instance, run: Run, optimum: Fraction, asked: Asked) -> ParticipantFinding:
    """Let a solver find and prove the optimum from a poor schedule; a literal model from one that is a tick late."""
    formulation, settings = run
    start = poor(instance)
    if formulation == literal.FORMULATION.name:
        start = optima.late(instance)  # type: ignore[arg-type]
        ticks = int(start.makespan / instance.scaled().tick)
        count = literal.LiteralSpec(instance, instance.scaled(), ticks, 0).coefficient_count  # type: ignore[arg-type]
        if count > COEFFICIENTS:
            return ParticipantFinding(run_name(*run), TOO_LARGE, f"{count:,} coefficients")
    close = _is_close(instance)
    return model(instance, formulation, settings, start, optimum, asked.seconds, found_near=NEAR, close=close)


def _is_close(instance: Instance) -> bool:
    """Whether links that slow jobs are met but for a hair: by floats nobody can tell if a job ends in its slot."""
    if instance.variant == instance.problem.variants[0] or instance.problem.name != "coallocation":
        return False
    return any(one.bandwidth.denominator * HAIR >= 1 for one in instance.clusters)  # type: ignore[attr-defined]


def _heuristic(instance: Instance, method: Method, optimum: Fraction) -> Iterator[ParticipantFinding]:
    """Hold a heuristic against the optimum; one that may break locality, against that without locality."""
    held, least = instance, optimum
    if not method.respects_locality and instance.relaxed() != instance:
        held = instance.relaxed()
        least, _ = exact_parts(held).brute_force(held)
        if least > optimum:
            yield finding("brute force", f"{least} without locality, {optimum} with it")
    with suppress(NotApplicableError, NotPlacedError):
        yield trial(
            method.name,
            lambda: schedule_fault(held, method(instance), least),
            NotApplicableError,
            NotPlacedError,
        )


def _bound_fault(instance: Instance, bound: LowerBound, optimum: Fraction) -> str:
    """Return what is wrong with a bound: it passes the optimum, or its re-check is wrong about it or about more."""
    tick = instance.scaled().tick
    value = ceil_to(bound.compute(instance), tick)
    if value > optimum:
        return f"{value}, above the optimum {optimum}"
    if not recheck(instance, Bound(bound.name, value, {})):
        return f"the re-check rejects {value}"
    above = optimum + (tick or HAIR)
    return f"the re-check accepts {above}" if recheck(instance, Bound(bound.name, above, {})) else ""


def _solved(
    instance: Instance, optimum: Fraction | None, asked: Asked, proofs: dict[str, str]
) -> Iterator[ParticipantFinding]:
    """Let the pipeline solve as a user would, and the checkers look at its result."""
    results: list[Result] = []

    def call() -> ParticipantFinding:
        results.append(solve(instance, time_limit=asked.search_seconds))
        raise_if_interrupted(results[0].termination)
        return _solve_finding(instance, results[0], optimum)

    if asked.wants_of(PIPELINE):
        yield trial(PIPELINE, call)
    for result in results:
        proofs[PIPELINE] = proof_name(result)
        yield from check(PIPELINE, instance, result, optimum, asked)


def _solve_finding(instance: Instance, result: Result, optimum: Fraction | None) -> ParticipantFinding:
    said = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}, optimum {optimum}"
    said = f"{said}; {result.termination.value}; {result.message}"
    if result.status is Status.NO_SOLUTION and result.termination is Termination.TIME_LIMIT:
        return ParticipantFinding(PIPELINE, TIME_LIMIT, said)
    if optimum is None or result.objective is None or result.lower_bound is None:
        agreed = optimum is None and result.status is Status.INFEASIBLE
        return ParticipantFinding(PIPELINE, AGREED if agreed else MISMATCH, "" if agreed else said)
    if not result.lower_bound <= optimum <= result.objective:
        return ParticipantFinding(PIPELINE, MISMATCH, said)
    if result.status is Status.OPTIMAL:
        return ParticipantFinding(PIPELINE, AGREED)
    return ParticipantFinding(PIPELINE, _left_open(instance, result.termination), said)


def _left_open(instance: Instance, ended: Termination) -> str:
    """Return the verdict on who did not close an instance: in continuous time slowdown may remain open."""
    if ended is Termination.TOO_LARGE:
        return TOO_LARGE
    return TIME_LIMIT if ended is Termination.TIME_LIMIT or not instance.scaled().tick else MISMATCH


def _searched(
    instance: Instance, optimum: Fraction, asked: Asked, proofs: dict[str, str]
) -> Iterator[ParticipantFinding]:
    """Let the toolkit's own search go on from a poor schedule, and the checkers look at what it proves."""
    found: list[tuple[Evidence, Termination]] = []

    def call() -> ParticipantFinding:
        found.append(search_from(instance, poor(instance), asked.search_seconds))
        evidence, ended = found[0]
        assert evidence.lower_bound is not None and evidence.makespan is not None
        said = f"bound {evidence.lower_bound}, makespan {evidence.makespan}, optimum {optimum}; {ended.value}"
        if not evidence.lower_bound <= optimum <= evidence.makespan:
            return ParticipantFinding(SEARCH, MISMATCH, said)
        # What the search leaves open is the models' to close.
        return ParticipantFinding(SEARCH, AGREED if evidence.closed else TIME_LIMIT, "" if evidence.closed else said)

    if asked.wants_of(SEARCH):
        yield trial(SEARCH, call)
    for evidence, ended in found:
        result = result_of(evidence, ended)
        if evidence.bound is not None and evidence.bound.name != "none":
            proofs[SEARCH] = proof_name(result)
            yield from check(SEARCH, instance, result, optimum, asked)


def _second_brute_force(instance: Instance, optimum: Fraction, asked: Asked) -> Iterator[ParticipantFinding]:
    """Hold the two brute forces of co-allocation against each other where both take the instance."""
    name = "brute force of slowdown"
    if instance.variant == "forbid" and asked.wants(name):
        yield trial(name, lambda: _differs(slowed_brute_force(instance)[0], optimum))  # type: ignore[arg-type]


def _differs(value: Fraction, optimum: Fraction) -> str:
    return "" if value == optimum else f"{value}, optimum {optimum}"


def _variant(instance: Instance, optimum: Fraction, asked: Asked) -> Iterator[ParticipantFinding]:
    """Yield what there is under slowdown alone: the search over grid moments, and the optima of related instances."""
    if instance.problem.name != "coallocation" or instance.variant == "forbid":
        return
    if instance.scaled().tick and asked.wants(saturation.SEARCH):
        yield trial(saturation.SEARCH, lambda: saturation.grid_search(instance, optimum))  # type: ignore[arg-type]
    if asked.full or asked.only:
        with suppress(InfeasibleError):  # a job may have no allocation where saturation is forbidden
            yield from (one for one in relations(instance, optimum) if asked.wants(one.participant))  # type: ignore[arg-type]


def _infeasible(instance: Instance, asked: Asked, proofs: dict[str, str]) -> Iterator[ParticipantFinding]:
    """Yield whether all say that there is no schedule."""
    hopeless = exact_parts(instance).unplaceable(instance)
    yield finding("brute force", "" if hopeless else "finds no schedule although every job has an allocation")
    yield from _solved(instance, None, asked, proofs)
    for method in own_methods(instance.problem, instance.variant):
        if asked.wants(method.name):
            yield trial(method.name, partial(_refusal_fault, instance, method))


def _refusal_fault(instance: Instance, method: Method) -> str:
    try:
        method(instance)
    except InfeasibleError:
        return ""
    return "schedules an infeasible instance"
