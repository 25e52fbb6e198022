"""One instance by `oas.solve` and by CP-SAT, and whether the two can both be right."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.proof_rates.coallocation.plans import Cell
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.answers import compile_loops, solve_by_rival, solve_timed
from benchmarks.proof_rates.shared.facts import facts
from oas.bounds.coallocation import area, longest_job
from oas.bounds.lower_bound import best_bound
from oas.core.numbers import ceil_to
from oas.core.result import Bound, ProofKind
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.exact.start import heuristic_schedules

if TYPE_CHECKING:
    from benchmarks.proof_rates.shared.answers import Answer
    from benchmarks.proof_rates.shared.plans import Case
    from oas.core.result import Proof
    from oas.problems.coallocation.instance import CoallocationInstance

TRIVIAL = (area.BOUND, longest_job.BOUND)
WARM = ((Cell(jobs=8, percent="0", seconds=120.0), 2), (Cell(jobs=40, clusters=6, nodes=20, seconds=120.0), 0))
LEAST_RIVAL_SECONDS = 1.0  # less would not let CP-SAT build its model


def warm_up() -> None:
    """Let both parties start their processes, and load or compile what they need: together these take every stage."""
    compile_loops(WARM[0][0].instance(WARM[0][1]))
    for cell, seed in WARM:
        solve(cell.instance(seed), time_limit=cell.seconds)
    _solve_by_rival(WARM[0][0].instance(WARM[0][1]), 1.0)


def measure(case: Case) -> CoallocationRow:
    """Solve one instance twice.

    Raises
    ------
    KeyboardInterrupt
        If either solve was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance = cell.instance(case.seed)
    own = solve_timed(solve, instance, cell.seconds)
    rival, version = _solve_by_rival(instance, cell.rival_seconds or max(LEAST_RIVAL_SECONDS, own.answer.seconds))
    tick = instance.scaled().tick
    trivial = max(int(ceil_to(bound.compute(instance), tick) / tick) for bound in TRIVIAL)
    proof = own.result.proof if own.result else None
    closed = closed_by(proof, own.answer.upper == trivial) if own.answer.proven and proof else ""
    return CoallocationRow(
        **facts(case, instance, own, rival, version, best_bound(instance)), trivial=trivial, closed_by=closed
    )


def _solve_by_rival(instance: CoallocationInstance, seconds: float) -> tuple[Answer, str]:
    """Run CP-SAT on the counts model, from the best heuristic schedule and from no bound; return its version too."""
    evidence = Evidence(instance)
    for name, schedule in heuristic_schedules(instance):
        evidence.offer(schedule, name)
    evidence.bound = Bound("none", Fraction(0))
    return solve_by_rival(evidence, "counts", seconds)


def closed_by(proof: Proof, trivial: bool) -> str:
    """Return what proved an optimum; `trivial` if a trivial bound would have done."""
    if proof.kind is ProofKind.CERTIFICATE and proof.bound is not None:
        return "trivial bound" if trivial else proof.bound.name
    if proof.kind is ProofKind.BRUTE_FORCE:
        return "brute force"
    return "search" if any(claim.solver == "oas" for claim in proof.claims) else "model"
