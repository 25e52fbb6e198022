"""What is held against brute force of an instance of fair sharing: each objective, among greedy schedules and any."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from benchmarks.agreement.fair import on_off
from benchmarks.agreement.fair.price import bound_fault, methods, model, optimum_fault, worst_start
from benchmarks.agreement.participants import (
    MISMATCH,
    TOO_LARGE,
    ParticipantFinding,
    finding,
    raise_if_interrupted,
    run_name,
)
from benchmarks.agreement.soak.asked import MIP_RUNS, attempts, trial
from benchmarks.agreement.soak.checking import check_schedule
from benchmarks.agreement.soak.makespan import solvers
from heuristics.registry import find_method
from oas.core.errors import TooLargeError
from oas.exact.fair.brute_force import brute_force
from oas.exact.fair.evidence import FairEvidence
from oas.exact.fair.optimum import FairOptions, find_optimum
from oas.models.fair import start_indexed
from oas.problems.fair.objectives import Objective, ScheduleClass
from oas.problems.fair.problem import FAIR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.agreement.soak.asked import Asked, Run
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance

QUESTIONS = tuple(product(Objective, ScheduleClass))
MODELS = {"start-indexed": start_indexed.formulation, "on and off": on_off.formulation}
Question = tuple[Objective, ScheduleClass]


def examine(instance: FairInstance, asked: Asked, proofs: dict[str, str]) -> Iterator[ParticipantFinding]:
    """Yield what is found of each participant; `proofs` gets what proves the optima of the pipeline."""
    optima: dict[Question, int] = {}
    for question in QUESTIONS:
        yield from _enumerated(instance, question, optima)
    for question in asked.one_of([one for one in QUESTIONS if one in optima], "question"):
        yield from _asked_of(instance, question, optima[question], asked, proofs)
    for objective in Objective:
        greedy, free = (optima.get((objective, wanted)) for wanted in (ScheduleClass.GREEDY, ScheduleClass.ANY))
        if greedy is not None and free is not None:
            worse = objective.sign * free > objective.sign * greedy
            yield finding("any is at least as good as greedy", f"{objective}: {free}, {greedy}" if worse else "")
        if greedy is not None:
            yield from (one for one in methods(instance, objective, greedy) if asked.wants(one.participant))
    yield from check_schedule(instance, find_method("REF", FAIR)(instance, seed=0), asked)


def _enumerated(
    instance: FairInstance, question: Question, optima: dict[Question, int]
) -> Iterator[ParticipantFinding]:
    """Enumerate; hold the bound against the optimum, which goes to `optima`."""
    objective, wanted = question
    try:
        found = brute_force(instance, objective, wanted)
    except TooLargeError as error:
        yield ParticipantFinding("brute force", TOO_LARGE, str(error))
        return
    if found is None:
        missed = wanted is ScheduleClass.GREEDY and worst_start(instance, objective) is not None
        yield finding("brute force", "misses a schedule that ends every job" if missed else "")
        return
    value, schedule = found
    optima[question] = value
    yield finding("brute force", optimum_fault(instance, schedule, objective, wanted, value, value))
    yield trial(f"{objective} bound", partial(bound_fault, instance, objective, value))


def runs() -> list[Run]:
    """Return every run of both models."""
    return [(name, settings) for name in MODELS for settings in MIP_RUNS if settings.solver in solvers()]


def _asked_of(
    instance: FairInstance, question: Question, optimum: int, asked: Asked, proofs: dict[str, str]
) -> Iterator[ParticipantFinding]:
    """Let models and the pipeline find and prove an optimum, from the worst greedy schedule at hand."""
    objective, wanted = question
    start = worst_start(instance, objective)
    if start is None:
        return
    if asked.wants("pipeline"):
        yield trial("pipeline", partial(_pipeline_fault, instance, question, start, optimum, asked, proofs))
    for name, settings in asked.runs(runs()):
        call = partial(
            model, instance, MODELS[name](objective, wanted), objective, wanted, settings, start, optimum, asked.seconds
        )
        for found in attempts(run_name(name, settings), call):
            detail = f"{objective}, {wanted}: {found.detail}" if found.verdict == MISMATCH else found.detail
            yield ParticipantFinding(found.participant, found.verdict, detail)


def _pipeline_fault(
    instance: FairInstance, question: Question, start: Schedule, optimum: int, asked: Asked, proofs: dict[str, str]
) -> str:
    found = find_optimum(FairEvidence(instance, *question, start), FairOptions(time_limit=asked.search_seconds))
    raise_if_interrupted(found.termination)
    proofs["pipeline"] = found.proof.bound.name if found.proof.bound is not None else found.proof.kind.value
    wrong = f"{question[0]}, {question[1]}: {found.value}, bound {found.bound}, optimum {optimum}; {found.message}"
    return "" if found.value == found.bound == optimum else wrong
