"""One instance by `oas.solve` and by CP-SAT, and whether the two can both be right."""

from __future__ import annotations

import os
import sys
import time
import traceback
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.campaign.identity import commit, source_hash
from benchmarks.closing.plans import Cell
from benchmarks.closing.rows import Answer, Row
from benchmarks.formulations import cpu_model
from oas.bounds.coallocation import area, longest_job
from oas.bounds.lower_bound import best_bound, recheck
from oas.core.rational import ceil_to
from oas.core.result import Bound, ProofKind, Termination
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.pipeline import solve
from oas.exact.start import heuristic_schedules
from oas.exact.versions import versions
from oas.models.registry import find_formulation
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from benchmarks.closing.plans import Case
    from oas.core.coallocation import CoallocationInstance
    from oas.core.result import Proof, Result
    from oas.exact.pipeline import SolveProgress

TRIVIAL = (area.BOUND, longest_job.BOUND)
LEAST_RIVAL_SECONDS = 1.0  # less would not let CP-SAT build its model


def warm_up() -> None:
    """Let both parties start their processes, and load or compile what they need: this instance takes every stage."""
    cell = Cell(jobs=8, percent="0", seconds=120.0)
    instance = cell.instance(2)
    solve(instance, time_limit=cell.seconds)
    _solve_by_rival(instance, 1.0)


def measure(case: Case) -> Row:
    """Solve one instance twice.

    Raises
    ------
    KeyboardInterrupt
        If either solve was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance = cell.instance(case.seed)
    own, result, steps = _solve(instance, cell.seconds)
    limit = cell.rival_seconds or max(LEAST_RIVAL_SECONDS, own.seconds)
    rival, rival_version = _solve_by_rival(instance, limit)
    proof = result.proof if result else None
    certified = proof.bound if proof else None
    tick = instance.scaled().tick
    trivial = max(_ticks(ceil_to(bound.compute(instance), tick), tick) for bound in TRIVIAL)
    began = time.monotonic()
    rechecked = certified is not None and recheck(instance, certified)
    recheck_seconds = time.monotonic() - began
    return Row(
        plan=case.plan,
        cell=cell,
        seed=case.seed,
        digest=instance.digest,
        own=own,
        rival=rival,
        proof=proof.kind.value if proof else "",
        bound=certified.name if certified else "",
        claims=[f"{claim.solver}:{claim.formulation}" for claim in proof.claims] if proof else [],
        closed_by=closed_by(result.proof, own.upper == trivial) if own.proven and result and result.proof else "",
        trivial=trivial,
        combinatorial=_ticks(best_bound(instance).value, tick),
        rechecked=rechecked,
        recheck_seconds=recheck_seconds,
        stages={name: took for name, took in result.seconds.items() if name != "total"} if result else {},
        steps=steps,
        mismatch=mismatch(own, rival, rechecked),
        load=os.getloadavg()[0],
        versions={**(result.versions if result else versions({})), "cpsat": rival_version},
        machine=f"{cpu_model()}, {os.cpu_count()} CPUs",
        commit=commit(),
        source=source(),
        recorded=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@cache
def source() -> str:
    """Return a hash of what instances are drawn and solved by, as it was when this process began."""
    return f"{source_hash('exact')[:16]}-{source_hash('instances')[:16]}"


def closed_by(proof: Proof, trivial: bool) -> str:
    """Return what proved an optimum; `trivial` if a trivial bound would have done."""
    if proof.kind is ProofKind.CERTIFICATE and proof.bound is not None:
        return "trivial bound" if trivial else proof.bound.name
    if proof.kind is ProofKind.BRUTE_FORCE:
        return "brute force"
    return "search" if any(claim.solver == "oas" for claim in proof.claims) else "model"


def mismatch(own: Answer, rival: Answer, rechecked: bool) -> str:
    """Return what of two answers on one instance cannot be true, whoever is to blame; nothing if all can."""
    faults = [
        f"{who} ended in an error: {answer.message}"
        for who, answer in (("oas.solve", own), ("CP-SAT", rival))
        if answer.termination == Termination.ERROR
    ]
    pairs = (("oas.solve", own, "CP-SAT", rival), ("CP-SAT", rival, "oas.solve", own), ("oas.solve", own, "it", own))
    faults += [
        f"{bounder} proves at least {low.lower}, {finder} has a verified schedule of {high.upper}"
        for bounder, low, finder, high in pairs
        if low.lower is not None and high.upper is not None and low.lower > high.upper
    ]
    if own.upper is None:
        faults.append("oas.solve has no schedule")
    if not rechecked:
        faults.append("the certified bound is not confirmed by its re-check")
    return "; ".join(faults)


def _solve(
    instance: CoallocationInstance, seconds: float
) -> tuple[Answer, Result | None, list[tuple[float, int | None, int | None]]]:
    """Run `oas.solve`; an exception becomes an answer that ended in an error, for a long run has to go on."""
    tick = instance.scaled().tick
    steps: list[tuple[float, int | None, int | None]] = []

    def note(progress: SolveProgress) -> None:
        stand = _ticks_of(progress.lower_bound, tick), _ticks_of(progress.objective, tick)
        if not steps or steps[-1][1:] != stand:
            steps.append((round(progress.seconds, 3), *stand))

    began = time.monotonic()
    try:
        result = solve(instance, time_limit=seconds, on_progress=note)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        took = time.monotonic() - began
        return Answer(termination="error", lower=None, upper=None, seconds=took, message=repr(error)), None, steps
    if result.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    answer = Answer(
        termination=result.termination.value,
        lower=_ticks_of(result.lower_bound, tick),
        upper=_ticks_of(result.objective, tick),
        seconds=result.seconds["total"],
        message=result.message,
    )
    return answer, result, steps


def _solve_by_rival(instance: CoallocationInstance, seconds: float) -> tuple[Answer, str]:
    """Run CP-SAT on the counts model, from the best heuristic schedule and from no bound; return its version too.

    The clock runs while the model is built and solved, not while the heuristics run.
    """
    evidence = Evidence(instance)
    for name, schedule in heuristic_schedules(instance):
        evidence.offer(schedule, name)
    evidence.bound = Bound("none", Fraction(0))
    began = time.monotonic()
    formulation = find_formulation("counts", type(instance))
    run = run_model(evidence, formulation, Settings("cpsat"), Limits(seconds), lambda *_: None)
    took = time.monotonic() - began
    if run.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    tick = instance.scaled().tick
    answer = Answer(
        termination=run.termination.value,
        lower=_ticks_of(run.claim.bound if run.claim else None, tick),
        upper=_ticks_of(evidence.makespan, tick),
        seconds=took,
        message=run.message,
    )
    return answer, run.version


def _ticks(value: Fraction, tick: Fraction) -> int:
    return int(value / tick)


def _ticks_of(value: Fraction | None, tick: Fraction) -> int | None:
    return None if value is None else _ticks(value, tick)
