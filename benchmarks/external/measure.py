"""One public instance by `oas.solve` and by CP-SAT, and whether both agree with what is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.external.published import contradiction
from benchmarks.external.rows import ExternalRow
from benchmarks.proof_rates.mosp.measure import LEAST_RIVAL_SECONDS, closed_by, run_rival
from benchmarks.proof_rates.shared.answers import solve_timed, ticks_of
from benchmarks.proof_rates.shared.facts import facts
from oas.bounds.lower_bound import best_bound
from oas.core.errors import SolverError
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.exact.start import heuristic_schedules

if TYPE_CHECKING:
    from benchmarks.external.instances import Source
    from benchmarks.proof_rates.shared.plans import Case
    from oas.problems.mosp.instance import MospInstance


def measure(source: Source, case: Case) -> ExternalRow:
    """Solve one instance twice.

    Raises
    ------
    InputError
        If the instance cannot be read.
    KeyboardInterrupt
        If either solve was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance, known = source.make(cell)
    tick = instance.scaled().tick  # 1, for all times are whole numbers: what is published counts the same
    own = solve_timed(solve, instance, cell.seconds)
    start = _start(instance)
    assert start.bound is not None and start.makespan is not None
    combinatorial, first = start.bound, int(start.makespan / tick)
    rival, version = run_rival(start, min(cell.seconds, max(LEAST_RIVAL_SECONDS, own.answer.seconds)))
    found = facts(case, instance, own, rival, version, combinatorial)
    result = own.result
    bound = result.proof.bound if result and result.proof else None
    faults = [found.pop("mismatch"), contradiction(known, own.answer, rival)]
    return ExternalRow(
        **found,
        mismatch="; ".join(fault for fault in faults if fault),
        closed_by=closed_by(result.proof) if own.answer.proven and result and result.proof else "",
        status=result.status.value if result else "",
        confirmed=ticks_of(bound.value, tick) if bound and found["rechecked"] else None,
        jobs=len(instance.jobs),
        processors=instance.organizations[0].processors,
        start=first,
        found_by=result.schedule.method if result and result.schedule else "",
        published_lower=known.lower,
        published_upper=known.upper,
    )


def _start(instance: MospInstance) -> Evidence:
    """Return the best heuristic schedule and the best combinatorial bound."""
    evidence = Evidence(instance)
    for name, schedule in heuristic_schedules(instance):
        violation = evidence.offer(schedule, name)
        if violation:
            raise SolverError(f"{name} made an infeasible schedule: {violation}")
    evidence.bound = best_bound(instance)
    return evidence
