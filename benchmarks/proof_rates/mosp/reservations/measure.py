"""One instance by `oas.solve`, and by CP-SAT alone within the same limit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.measure import closed_by
from benchmarks.proof_rates.mosp.reservations.plans import Cell
from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow
from benchmarks.proof_rates.shared.answers import Answer, Own, compile_loops, solve_timed, ticks_of
from benchmarks.proof_rates.shared.facts import facts
from oas.bounds.lower_bound import best_bound
from oas.exact.pipeline import solve
from oas.solvers.known.preflight import preflight

if TYPE_CHECKING:
    from benchmarks.proof_rates.shared.plans import Case
    from oas.problems.mosp.instance import MospInstance

RIVAL = "cpsat"
LEFT_OUT = "left out"
# Drawn instances that the bounds leave open, so that every stage of both is loaded.
WARM = ((Cell(jobs=10, releases=True, seconds=10.0), 100), (Cell(availability="general", jobs=20, seconds=10.0), 101))


def warm_up(rival: bool = True) -> None:
    """Let both parties start their processes, and load or compile what they need."""
    compile_loops(WARM[0][0].instance(WARM[0][1]))
    for cell, seed in WARM:
        solve(cell.instance(seed), time_limit=cell.seconds)
        if rival:
            _rival(cell.instance(seed), cell.seconds)


def measure(case: Case) -> ReservationRow:
    """Solve one instance, by CP-SAT too if its cell says so.

    Raises
    ------
    KeyboardInterrupt
        If either solve was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance = cell.instance(case.seed)
    own = solve_timed(solve, instance, cell.seconds)
    rival = _rival(instance, cell.seconds) if cell.rival else _left_out()
    proof = own.result.proof if own.result else None
    rival_proof = rival.result.proof if rival.result else None
    version = rival.result.versions.get(RIVAL, "") if rival.result else ""
    found = facts(case, instance, own, rival.answer, version, best_bound(instance))
    return ReservationRow(
        **found,
        closed_by=closed_by(proof) if own.answer.proven and proof else "",
        status=own.result.status.value if own.result else "",
        confirmed=ticks_of(proof.bound.value, instance.scaled().tick)
        if proof and proof.bound and found["rechecked"]
        else None,
        rival_proof=rival_proof.kind.value if rival_proof else "",
    )


def _rival(instance: MospInstance, seconds: float) -> Own:
    """Run CP-SAT on the cumulative model, in which reservations are fixed intervals.

    Where the limit of the instance before ended its process, it starts again outside the clock.
    """
    preflight(RIVAL)
    return solve_timed(partial(solve, solver=RIVAL), instance, seconds)


def _left_out() -> Own:
    return Own(Answer(termination=LEFT_OUT, lower=None, upper=None, seconds=0.0), None, [])
