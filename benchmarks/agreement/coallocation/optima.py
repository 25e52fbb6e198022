"""Brute force = every formulation by every solver, on random tiny instances; no heuristic below, no bound above.

    python -m benchmarks.agreement.coallocation --count 300 --seed 0

Each model runs from a poor schedule and from the bound 0, so that it has to find and to prove the optimum by itself.
The start-indexed model and, where CP-SAT is installed, its counts model get the jobs one after another; the literal
one, whose size grows with the horizon, the best heuristic schedule a tick late. Instances whose literal model would
have more than `--coefficients` coefficients, and infeasible ones, come on top of the count and are held against
everything else. What stands behind ``auto`` starts poor too, or nearly every instance would be closed before its
configuration bound and its searches begin. Exit code 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agreement.participants import (
    AGREED,
    MIP_SOLVERS,
    MISMATCH,
    SECONDS,
    TIME_LIMIT,
    TOO_LARGE,
    ParticipantFinding,
    bounds,
    complain,
    cpsat_installed,
    finding,
    model,
    pipeline,
    schedule_fault,
    search_from,
    table,
)
from heuristics.registry import own_methods
from oas.core.errors import InfeasibleError
from oas.core.result import Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.exact.bound_check import recheck
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.pipeline import solve
from oas.generate.coallocation.tiny import draw_tiny, tiny
from oas.models.coallocation import literal
from oas.problems.coallocation.allocations import allocations, jobs_without_allocation
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.runs import Run, schedule_from_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance

COEFFICIENTS = 5000


def cases(seed: int, wild: bool = True) -> Iterator[CoallocationInstance]:
    """Yield a tiny instance, perhaps infeasible, of few ticks for each job; if `wild`, also one of hundreds perhaps."""
    yield tiny(seed=seed, feasible=False)
    if wild:
        yield draw_tiny(Random(seed), feasible=False, name=f"wild, seed {seed}")


def examine(
    instance: CoallocationInstance, coefficients: int = COEFFICIENTS, seconds: float = SECONDS
) -> list[ParticipantFinding]:
    """Compare every model, heuristic and bound with the brute-force optimum of `instance`."""
    hopeless = jobs_without_allocation(instance.scaled())
    try:
        optimum, schedule = brute_force(instance)
    except InfeasibleError:
        return list(_infeasible(instance, bool(hopeless)))
    if hopeless:
        return [
            ParticipantFinding("brute force", MISMATCH, f"finds a schedule although jobs {hopeless} have no allocation")
        ]
    return [
        finding("brute force", schedule_fault(instance, schedule, optimum)),
        *_models(instance, optimum, coefficients, seconds),
        pipeline(instance, optimum),
        exact_search(instance, serial(instance), optimum),
        *(
            finding(method.name, schedule_fault(instance, method(instance), optimum))
            for method in own_methods(COALLOCATION)
        ),
        *bounds(instance, optimum),
    ]


def serial(instance: CoallocationInstance) -> Schedule:
    """Return a poor feasible schedule: the jobs one after another, each on the first of its fastest allocations."""
    scaled = instance.scaled()
    runs, now = [], 0
    for job in range(scaled.job_count):
        allocation = min(allocations(scaled, job), key=lambda one: one.duration)
        runs.append(Run(job, now, allocation))
        now = runs[-1].end
    return schedule_from_runs(instance, scaled, runs, "serial")


def late(instance: CoallocationInstance) -> Schedule:
    """Return a feasible schedule that is no optimum, nor much too long: the best heuristic one, all a tick later."""
    best = min((method(instance) for method in own_methods(COALLOCATION)), key=lambda schedule: schedule.makespan)
    tick = instance.scaled().tick
    moved = [Placement(one.job, one.start + tick, one.end + tick, one.nodes) for one in best.placements]
    return Schedule(moved, "late")


def exact_search(
    instance: CoallocationInstance, poor: Schedule, optimum: Fraction, seconds: float = SECONDS
) -> ParticipantFinding:
    """Let the exact search of ``auto`` find and prove `optimum` from a poor schedule, with 0 for a bound.

    Its configuration bound, where that is the proof, is confirmed by the re-check.
    """
    participant = "auto from a poor schedule"
    evidence, ended = search_from(instance, poor, seconds)
    said = f"bound {evidence.lower_bound}, makespan {evidence.makespan}, optimum {optimum}"
    assert evidence.lower_bound is not None and evidence.makespan is not None and evidence.bound is not None
    if not evidence.lower_bound <= optimum <= evidence.makespan:
        return ParticipantFinding(participant, MISMATCH, said)
    if ended is Termination.TIME_LIMIT:
        return ParticipantFinding(participant, TIME_LIMIT, said)
    if not evidence.closed:
        return ParticipantFinding(participant, MISMATCH, f"{ended.value}: {said}")
    if evidence.bound.value > 0 and not recheck(instance, evidence.bound):
        return ParticipantFinding(
            participant, MISMATCH, f"the re-check rejects the {evidence.bound.name} bound {evidence.bound.value}"
        )
    return ParticipantFinding(participant, AGREED)


def _models(
    instance: CoallocationInstance, optimum: Fraction, coefficients: int, seconds: float
) -> Iterator[ParticipantFinding]:
    for formulation, poor in (("literal", late(instance)), ("start-indexed", serial(instance))):
        if formulation == "literal" and _literal_size(instance, poor) > coefficients:
            yield from (ParticipantFinding(f"{formulation}/{solver}", TOO_LARGE) for solver in MIP_SOLVERS)
        else:
            yield from (model(instance, formulation, solver, poor, optimum, seconds) for solver in MIP_SOLVERS)
    if find_spec("ortools") is not None:
        yield model(instance, "counts", "cpsat", serial(instance), optimum, seconds)


def _literal_size(instance: CoallocationInstance, poor: Schedule) -> int:
    scaled = instance.scaled()
    return literal.LiteralSpec(instance, scaled, int(poor.makespan / scaled.tick), 0).coefficient_count


def _infeasible(instance: CoallocationInstance, expected: bool) -> Iterator[ParticipantFinding]:
    yield finding("brute force", "" if expected else "finds no schedule although every job has an allocation")
    result = solve(instance, time_limit=SECONDS)
    found = "" if result.status is Status.INFEASIBLE else f"{result.status.value}, not infeasible"
    yield finding("pipeline", found)
    for method in own_methods(COALLOCATION):
        try:
            method(instance)
        except InfeasibleError:
            yield ParticipantFinding(method.name, AGREED)
        else:
            yield ParticipantFinding(method.name, MISMATCH, "schedules an infeasible instance")


def examined_by_all(findings: Iterable[ParticipantFinding]) -> bool:
    """Whether every formulation was compared with brute force here."""
    verdicts = {finding.participant: finding.verdict for finding in findings}
    return verdicts.get(f"literal/{MIP_SOLVERS[0]}", TOO_LARGE) != TOO_LARGE


def run(
    count: int, seed: int, coefficients: int = COEFFICIENTS, seconds: float = SECONDS, wild: bool = True
) -> Iterator[list[ParticipantFinding]]:
    """Yield the findings of one instance after another, from `seed` on, until `count` were examined by all models."""
    examined = 0
    while examined < count:
        for instance in cases(seed, wild):
            findings = examine(instance, coefficients, seconds)
            complain(instance, findings)
            examined += examined_by_all(findings)
            yield findings
        seed += 1


def main(arguments: list[str] | None = None) -> int:
    """Examine instances and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="number of instances held against every model")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow")
    parser.add_argument("--coefficients", type=int, default=COEFFICIENTS, help="the largest literal model to solve")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each model run")
    options = parser.parse_args(arguments)
    cpsat_installed()  # says so if it is not
    every = list(run(options.count, options.seed, options.coefficients, options.seconds))
    print(table(finding for findings in every for finding in findings))
    print(f"{len(every)} instances, {sum(map(examined_by_all, every))} of them by every formulation and solver")
    return int(any(finding.verdict == MISMATCH for findings in every for finding in findings))
