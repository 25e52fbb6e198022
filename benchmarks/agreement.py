"""Brute force = every formulation by every solver, on random tiny instances; no heuristic below, no bound above.

    python -m benchmarks.agreement --count 300 --seed 0

Each model runs from a poor schedule and from the bound 0, so that it has to find and to prove the optimum by itself.
The start-indexed model gets the jobs one after another; the literal one, whose size grows with the horizon, the best
heuristic schedule a tick late. Instances whose literal model would have more than `--coefficients` coefficients, and
infeasible ones, come on top of the count and are held against everything else. Exit code 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound, lower_bounds, recheck
from oas.core.allocations import allocations, jobs_without_allocation
from oas.core.errors import InfeasibleError
from oas.core.rational import ceil_to
from oas.core.result import Bound, Status, Termination
from oas.core.schedule import Placement, Run, Schedule, schedule_from_runs
from oas.core.verifier import verify
from oas.exact.brute_force import brute_force
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.pipeline import solve
from oas.generate.tiny_instances import draw_tiny, tiny
from oas.models.coallocation import literal
from oas.models.registry import find_formulation
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.core.coallocation import CoallocationInstance

SOLVERS = ("highs", "cbc")
AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT = "agreed", "mismatch", "too large", "time limit"
SECONDS = 120.0
COEFFICIENTS = 5000


@dataclass(frozen=True)
class Finding:
    """What one party says of one instance.

    Attributes
    ----------
    party
        A formulation by a solver, the pipeline, a heuristic, a bound.
    verdict
        ``agreed``, ``mismatch``, ``too large`` or ``time limit``.
    detail
        How it disagrees.
    """

    party: str
    verdict: str
    detail: str = ""


def cases(seed: int, wild: bool = True) -> Iterator[CoallocationInstance]:
    """Yield a tiny instance, perhaps infeasible, of few ticks for each job; if `wild`, also one of hundreds perhaps."""
    yield tiny(seed=seed, feasible=False)
    if wild:
        yield draw_tiny(Random(seed), feasible=False, name=f"wild, seed {seed}")


def examine(
    instance: CoallocationInstance, coefficients: int = COEFFICIENTS, seconds: float = SECONDS
) -> list[Finding]:
    """Hold every model, heuristic and bound against the brute-force optimum of `instance`."""
    hopeless = jobs_without_allocation(instance.scaled())
    try:
        optimum, schedule = brute_force(instance)
    except InfeasibleError:
        return list(_infeasible(instance, bool(hopeless)))
    if hopeless:
        return [Finding("brute force", MISMATCH, f"finds a schedule although jobs {hopeless} have no allocation")]
    return [
        _finding("brute force", _schedule_fault(instance, schedule, optimum)),
        *_models(instance, optimum, coefficients, seconds),
        _pipeline(instance, optimum),
        *(_finding(method.name, _schedule_fault(instance, method(instance), optimum)) for method in own_methods()),
        *_bounds(instance, optimum),
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
    best = min((method(instance) for method in own_methods()), key=lambda schedule: schedule.makespan)
    tick = instance.scaled().tick
    moved = [Placement(one.job, one.start + tick, one.end + tick, one.nodes) for one in best.placements]
    return Schedule(moved, "late")


def _models(instance: CoallocationInstance, optimum: Fraction, coefficients: int, seconds: float) -> Iterator[Finding]:
    for formulation, poor in (("literal", late(instance)), ("start-indexed", serial(instance))):
        if formulation == "literal" and _literal_size(instance, poor) > coefficients:
            yield from (Finding(f"{formulation}/{solver}", TOO_LARGE) for solver in SOLVERS)
        else:
            yield from (_model(instance, formulation, solver, poor, optimum, seconds) for solver in SOLVERS)


def _literal_size(instance: CoallocationInstance, poor: Schedule) -> int:
    scaled = instance.scaled()
    return literal.LiteralSpec(instance, scaled, int(poor.makespan / scaled.tick), 0).coefficient_count


def _model(
    instance: CoallocationInstance, formulation: str, solver: str, poor: Schedule, optimum: Fraction, seconds: float
) -> Finding:
    party = f"{formulation}/{solver}"
    evidence = Evidence(instance)
    fault = evidence.offer(poor, "poor")
    assert fault is None, fault
    evidence.bound = Bound("none", Fraction(0))
    run = run_model(evidence, find_formulation(formulation), Settings(solver), Limits(seconds), lambda *_: None)
    claimed = None if run.claim is None else run.claim.bound
    if claimed is not None and claimed > optimum:
        return Finding(party, MISMATCH, f"proves {claimed}, above the optimum {optimum}")
    if run.termination is Termination.TOO_LARGE:
        return Finding(party, TOO_LARGE, run.message)
    if run.termination is Termination.TIME_LIMIT:
        return Finding(party, TIME_LIMIT, f"bound {claimed}, makespan {evidence.makespan}, optimum {optimum}")
    if run.termination is not Termination.FINISHED:
        return Finding(party, MISMATCH, f"{run.termination.value}: {run.message}")
    if not claimed == evidence.makespan == optimum:
        return Finding(party, MISMATCH, f"bound {claimed}, makespan {evidence.makespan}, optimum {optimum}")
    return Finding(party, AGREED)


def _pipeline(instance: CoallocationInstance, optimum: Fraction) -> Finding:
    result = solve(instance, time_limit=SECONDS)
    if result.status is Status.OPTIMAL and result.objective == result.lower_bound == optimum:
        return Finding("pipeline", AGREED)
    said = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}"
    return Finding("pipeline", MISMATCH, f"{said}, optimum {optimum}; {result.message}")


def _bounds(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Finding]:
    tick = instance.scaled().tick
    for bound in lower_bounds():
        value = ceil_to(bound.compute(instance), tick)
        yield _finding(f"{bound.name} bound", f"{value}, above the optimum {optimum}" if value > optimum else "")
    best = best_bound(instance)
    yield _finding("re-check of the best bound", "" if recheck(instance, best) else f"rejects {best.value}")


def _infeasible(instance: CoallocationInstance, expected: bool) -> Iterator[Finding]:
    yield _finding("brute force", "" if expected else "finds no schedule although every job has an allocation")
    result = solve(instance, time_limit=SECONDS)
    found = "" if result.status is Status.INFEASIBLE else f"{result.status.value}, not infeasible"
    yield _finding("pipeline", found)
    for method in own_methods():
        try:
            method(instance)
        except InfeasibleError:
            yield Finding(method.name, AGREED)
        else:
            yield Finding(method.name, MISMATCH, "schedules an infeasible instance")


def _schedule_fault(instance: CoallocationInstance, schedule: Schedule, optimum: Fraction) -> str:
    violations = verify(instance, schedule)
    if violations:
        return str(violations[0])
    return f"makespan {schedule.makespan}, below the optimum {optimum}" if schedule.makespan < optimum else ""


def _finding(party: str, fault: str) -> Finding:
    return Finding(party, MISMATCH if fault else AGREED, fault)


def table(findings: Iterable[Finding]) -> str:
    """Return one line a party: how often it agreed, disagreed, and could not answer."""
    counts: dict[str, Counter[str]] = {}
    for finding in findings:
        counts.setdefault(finding.party, Counter())[finding.verdict] += 1
    verdicts = (AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT)
    width = max(map(len, counts), default=0)
    lines = [" " * width + "".join(f"{verdict:>12}" for verdict in verdicts)]
    for party, own in counts.items():
        lines.append(f"{party:<{width}}" + "".join(f"{own[verdict]:>12}" for verdict in verdicts))
    return "\n".join(lines)


def examined_by_all(findings: Iterable[Finding]) -> bool:
    """Whether every formulation was held against brute force here."""
    verdicts = {finding.party: finding.verdict for finding in findings}
    return verdicts.get(f"literal/{SOLVERS[0]}", TOO_LARGE) != TOO_LARGE


def run(
    count: int, seed: int, coefficients: int = COEFFICIENTS, seconds: float = SECONDS, wild: bool = True
) -> Iterator[list[Finding]]:
    """Yield the findings of one instance after another, from `seed` on, until `count` were examined by all models."""
    examined = 0
    while examined < count:
        for instance in cases(seed, wild):
            findings = examine(instance, coefficients, seconds)
            for finding in findings:
                if finding.verdict in (MISMATCH, TIME_LIMIT):
                    print(f"{instance.name}: {finding.party}: {finding.verdict}: {finding.detail}", file=sys.stderr)
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
    every = list(run(options.count, options.seed, options.coefficients, options.seconds))
    print(table(finding for findings in every for finding in findings))
    print(f"{len(every)} instances, {sum(map(examined_by_all, every))} of them by every formulation and solver")
    return int(any(finding.verdict == MISMATCH for findings in every for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
