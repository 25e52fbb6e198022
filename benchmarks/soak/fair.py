"""Comparison of all participants with brute force on an instance of fair sharing.

Each objective is optimised over greedy and over arbitrary schedules. Models start from the worst of some greedy
schedules, without a bound, so that they must find and prove the optimum without help.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from benchmarks.soak.findings import (
    MIP_RUNS,
    MISMATCH,
    TIME_LIMIT,
    TOO_LARGE,
    Asked,
    Finding,
    attempts,
    finding,
    raise_if_interrupted,
    run_name,
    solvers,
    trial,
)
from benchmarks.soak.poor_schedules import worst_start
from benchmarks.soak.results import certified_schedule_fault
from oas.core.errors import TooLargeError
from oas.core.registry import FAIR
from oas.core.result import Bound, Termination
from oas.fair.bounds import objective_bound
from oas.fair.exact.brute_force import brute_force
from oas.fair.exact.optimum import FairEvidence, FairOptions, find_optimum, run_model
from oas.fair.models.start_indexed import formulation
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.solvers.task import Limits, Settings
from oas.solving.methods import find_method, toolkit_methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance

Question = tuple[Objective, ScheduleClass]
QUESTIONS: tuple[Question, ...] = tuple(product(Objective, ScheduleClass))
REF_CHECK = "re-check of REF's schedule"
LIMITLESS = {Objective.STRATEGY_PROOF: 10**6, Objective.FLOW: 0, Objective.MAKESPAN: 0}


def examine(instance: FairInstance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on all participants."""
    optima: dict[Question, int] = {}
    for question in QUESTIONS:
        yield from _enumerated(instance, question, optima)
    for question in asked.one_of([one for one in QUESTIONS if one in optima], "question"):
        yield from _asked_of(instance, question, optima[question], asked)
    for objective in Objective:
        greedy, free = (
            optima.get((objective, schedule_class)) for schedule_class in (ScheduleClass.GREEDY, ScheduleClass.ANY)
        )
        if greedy is not None and free is not None:
            worse = objective.sign * (free - greedy) > 0
            yield finding("any is at least as good as greedy", f"{objective}: {free}, {greedy}" if worse else "")
        if greedy is not None:
            yield from (one for one in _methods(instance, objective, greedy) if asked.wants(one.participant))
    if asked.wants(REF_CHECK):
        reference = find_method("REF", FAIR)(instance, seed=0)
        yield trial(REF_CHECK, partial(certified_schedule_fault, instance, reference))


def _enumerated(instance: FairInstance, question: Question, optima: dict[Question, int]) -> Iterator[Finding]:
    """Enumerate, store the optimum in `optima` and compare it with the bound."""
    objective, schedule_class = question
    try:
        found = brute_force(instance, objective, schedule_class)
    except TooLargeError as error:
        yield Finding("brute force", TOO_LARGE, str(error))
        return
    if found is None:
        missed = schedule_class is ScheduleClass.GREEDY and worst_start(instance, objective) is not None
        yield finding("brute force", "misses a schedule that ends every job" if missed else "")
        return
    value, schedule = found
    optima[question] = value
    violations = class_violations(instance, schedule, schedule_class)
    its_value = objective_value(instance, schedule, objective)
    wrong = f"says {value} of a schedule of {its_value}" if its_value != value else ""
    yield finding("brute force", str(violations[0]) if violations else wrong)
    yield trial(f"{objective} bound", partial(bound_fault, instance, objective, value))


def bound_fault(instance: FairInstance, objective: Objective, optimum: int) -> str:
    """Describe how the bound exceeds the optimum; empty if it does not."""
    bound = int(objective_bound(instance.scaled(), objective).value)
    return f"{bound}, optimum {optimum}" if objective.sign * (bound - optimum) > 0 else ""


def _asked_of(instance: FairInstance, question: Question, optimum: int, asked: Asked) -> Iterator[Finding]:
    """Test that models and the pipeline find and prove an optimum."""
    start = worst_start(instance, question[0])
    if start is None:
        return
    if asked.wants("pipeline"):
        yield trial("pipeline", partial(_pipeline_fault, instance, question, start, optimum, asked))
    for run in asked.runs([("start-indexed", settings) for settings in MIP_RUNS if settings.solver in solvers()]):
        call = partial(model, instance, question, run[1], start, optimum, asked.seconds)
        yield from attempts(run_name(*run), call)


def model(
    instance: FairInstance, question: Question, settings: Settings, start: Schedule, optimum: int, seconds: float
) -> Finding:
    """Check that a solver finds and proves `optimum` from a poor schedule and without a bound."""
    objective, schedule_class = question
    chosen = formulation(objective, schedule_class)
    participant = run_name(chosen.name, settings)
    evidence = FairEvidence(instance, objective, schedule_class, start)
    evidence.bound = Bound("none", Fraction(LIMITLESS[objective]))
    run = run_model(evidence, settings, Limits(seconds), lambda *_: None, chosen)
    raise_if_interrupted(run.termination)
    if run.termination is Termination.TIME_LIMIT:
        return Finding(participant, TIME_LIMIT, run.message)
    if run.termination is not Termination.FINISHED:
        return Finding(participant, MISMATCH, f"{run.termination.value}: {run.message}")
    value, bound = objective.sign * evidence.cost, None if run.claim is None else int(run.claim.bound)
    wrong = f"{objective}, {schedule_class}: finds {value}, proves {bound}, optimum {optimum}"
    return finding(participant, "" if value == bound == optimum else wrong)


def _pipeline_fault(instance: FairInstance, question: Question, start: Schedule, optimum: int, asked: Asked) -> str:
    found = find_optimum(FairEvidence(instance, *question, start), FairOptions(time_limit=asked.search_seconds))
    raise_if_interrupted(found.termination)
    asked.proofs["pipeline"] = found.proof.bound.name if found.proof.bound is not None else found.proof.kind.value
    wrong = f"{question[0]}, {question[1]}: {found.value}, bound {found.bound}, optimum {optimum}; {found.message}"
    return "" if found.value == found.bound == optimum else wrong


def _methods(instance: FairInstance, objective: Objective, optimum: int) -> Iterator[Finding]:
    """Yield the findings on each greedy method: none is better than the greedy optimum."""
    for method in toolkit_methods(FAIR):
        schedule = method(instance, seed=0)
        violations = class_violations(instance, schedule, ScheduleClass.GREEDY)
        fault = str(violations[0]) if violations else ""
        if not fault and not (objective is Objective.MAKESPAN and open_at_horizon(instance, schedule)):
            value = objective_value(instance, schedule, objective)
            better = objective.sign * (value - optimum) < 0
            fault = f"{objective}: {value}, better than the optimum {optimum}" if better else ""
        yield finding(method.name, fault)
