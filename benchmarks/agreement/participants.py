"""Compare a participant (a model by a solver, a heuristic, a bound) with the known optimum of a tiny instance."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import best_bound, lower_bounds
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Status, Termination
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.parts import exact_parts
from oas.exact.pipeline import solve
from oas.models.registry import find_formulation
from oas.solvers.outcome import NOT_INTEGRAL
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT = "agreed", "mismatch", "too large", "time limit"
TOLERANCE, FAULT = "within tolerances", "solver's fault"
SECONDS = 120.0
NEAR = Fraction(2, 10**6)  # of the optimum: how far below it the bound of a continuous model may stay
MIP_SOLVERS = ("highs", "cbc")


@dataclass(frozen=True)
class ParticipantFinding:
    """The finding on one participant and one instance.

    Attributes
    ----------
    participant
        A formulation by a solver, the pipeline, a heuristic, a bound.
    verdict
        ``agreed``, ``mismatch``, ``too large``, ``time limit``; ``within tolerances``: a solver in floating point does
        not close it, and claims nothing false; ``solver's fault``: its solution is none, and it is told so.
    detail
        How it disagrees.
    """

    participant: str
    verdict: str
    detail: str = ""


def finding(participant: str, fault: str) -> ParticipantFinding:
    """Return a mismatch if there is a fault, else agreement."""
    return ParticipantFinding(participant, MISMATCH if fault else AGREED, fault)


def run_name(formulation: str, settings: Settings) -> str:
    """Return the participant's name: formulation, solver, and what its settings are beside the usual."""
    own = [f"{name} {value}" for name, value in settings.options.items()]
    return ", ".join([f"{formulation}/{settings.solver}", *own, *([f"seed {settings.seed}"] if settings.seed else [])])


def model(
    instance: Instance,
    formulation: str,
    solver: str | Settings,
    poor: Schedule,
    optimum: Fraction,
    seconds: float = SECONDS,
    *,
    found_near: Fraction = Fraction(0),
    close: bool = False,
) -> ParticipantFinding:
    """Let a solver find and prove `optimum` by itself: from a poor schedule, with 0 for a bound, no heuristic near.

    Of a model that has no ticks, the bound may stay below the optimum by `NEAR` of it, and the schedule above it by
    `found_near` of it: numbers of large denominators lie closer together than a solver's tolerances. Where that is so
    of the instance itself, `close`, what a solver takes for a schedule may be none, and it need not close the instance.
    """
    settings = Settings(solver) if isinstance(solver, str) else solver
    participant = run_name(formulation, settings)
    evidence = poor_evidence(instance, poor)
    chosen = find_formulation(formulation, instance.problem)
    run = run_model(evidence, chosen, settings, Limits(seconds), lambda *_: None)
    assert evidence.makespan is not None
    claimed = Fraction(0) if run.claim is None else run.claim.bound
    said = f"bound {claimed}, makespan {evidence.makespan}, optimum {optimum}"
    if claimed > optimum or evidence.makespan < optimum:
        return ParticipantFinding(participant, MISMATCH, said)
    raise_if_interrupted(run.termination)
    if run.termination is Termination.TOO_LARGE:
        return ParticipantFinding(participant, TOO_LARGE, run.message)
    if run.termination is Termination.TIME_LIMIT:
        return ParticipantFinding(participant, TIME_LIMIT, said)
    least, most = (optimum * (1 - NEAR), optimum * (1 + found_near)) if chosen.continuous else (optimum, optimum)
    if run.termination is Termination.FINISHED and least <= claimed and evidence.makespan <= most:
        return ParticipantFinding(participant, AGREED)
    if run.termination is Termination.ERROR and NOT_INTEGRAL in run.message:
        return ParticipantFinding(participant, FAULT, said)
    open_as_may_be = close and run.termination in (Termination.FINISHED, Termination.ERROR)
    verdict = TOLERANCE if open_as_may_be else MISMATCH
    return ParticipantFinding(participant, verdict, f"{run.termination.value}: {said}; {run.message}")


def raise_if_interrupted(termination: Termination) -> None:
    """Raise KeyboardInterrupt if Ctrl-C has ended what a participant did: that is no finding on it."""
    if termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt


def poor_evidence(instance: Instance, poor: Schedule) -> Evidence:
    """Return what is known of an instance where that is a poor schedule and the bound 0."""
    evidence = Evidence(instance)
    fault = evidence.offer(poor, "poor")
    assert fault is None, fault
    evidence.bound = Bound("none", Fraction(0))
    return evidence


def search_from(instance: Instance, poor: Schedule, seconds: float = SECONDS) -> tuple[Evidence, Termination]:
    """Let the search behind ``auto`` do what it can from a poor schedule, with 0 for a bound; say why it ended."""
    search = exact_parts(instance).search
    assert search is not None
    evidence = poor_evidence(instance, poor)
    deadline = time.monotonic() + seconds
    ended = search(evidence, 0, lambda: deadline - time.monotonic(), lambda: None).close()
    raise_if_interrupted(ended)
    return evidence, ended


def pipeline(instance: Instance, optimum: Fraction) -> ParticipantFinding:
    """Let the pipeline solve the instance as a user would."""
    result = solve(instance, time_limit=SECONDS)
    if result.status is Status.OPTIMAL and result.objective == result.lower_bound == optimum:
        return ParticipantFinding("pipeline", AGREED)
    said = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}"
    return ParticipantFinding("pipeline", MISMATCH, f"{said}, optimum {optimum}; {result.message}")


def bounds(instance: Instance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    """Compare every bound that holds for the instance with the optimum; re-check the best."""
    tick = instance.scaled().tick
    for bound in lower_bounds(instance):
        if bound.holds_for(instance):
            value = ceil_to(bound.compute(instance), tick)
            yield finding(f"{bound.name} bound", f"{value}, above the optimum {optimum}" if value > optimum else "")
    best = best_bound(instance)
    yield finding("re-check of the best bound", "" if recheck(instance, best) else f"rejects {best.value}")


def schedule_fault(instance: Instance, schedule: Schedule, optimum: Fraction) -> str:
    """Return the first rule that `schedule` breaks, or that it is too good to be true; nothing if all is well."""
    violations = verify(instance, schedule)
    if violations:
        return str(violations[0])
    return f"makespan {schedule.makespan}, below the optimum {optimum}" if schedule.makespan < optimum else ""


def table(findings: Iterable[ParticipantFinding]) -> str:
    """Return one line a participant: how often it agreed, disagreed, and could not answer."""
    counts: dict[str, Counter[str]] = {}
    for finding in findings:
        counts.setdefault(finding.participant, Counter())[finding.verdict] += 1
    verdicts = (AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT)
    width = max(map(len, counts), default=0)
    lines = [" " * width + "".join(f"{verdict:>12}" for verdict in verdicts)]
    for participant, own in counts.items():
        lines.append(f"{participant:<{width}}" + "".join(f"{own[verdict]:>12}" for verdict in verdicts))
    return "\n".join(lines)


def complain(instance: Instance, findings: Iterable[ParticipantFinding]) -> None:
    """Print what did not end in agreement for a reason other than size, to stderr."""
    for finding in findings:
        if finding.verdict in (MISMATCH, TIME_LIMIT):
            print(f"{instance.name}: {finding.participant}: {finding.verdict}: {finding.detail}", file=sys.stderr)


def cpsat_installed() -> bool:
    """Whether CP-SAT can take part; if not, that is said on stderr."""
    found = find_spec("ortools") is not None
    if not found:
        print("CP-SAT IS MISSING HERE (ortools is not installed); the others go on without it", file=sys.stderr)
    return found
