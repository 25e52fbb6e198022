"""One instance by every heuristic, by `oas.solve`, and by CP-SAT from the same start and bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.plans import Cell
from benchmarks.proof_rates.mosp.rows import MospRow
from benchmarks.proof_rates.shared.answers import Answer, compile_loops, solve_by_rival, solve_timed, ticks_of
from benchmarks.proof_rates.shared.facts import facts
from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.bounds.mosp.paper import paper_bound
from oas.core.errors import SolverError
from oas.core.result import ProofKind, Termination
from oas.exact.evidence import Evidence
from oas.exact.pipeline import solve
from oas.problems.mosp.instance import MospInstance
from oas.solvers.known.preflight import preflight

if TYPE_CHECKING:
    from benchmarks.proof_rates.shared.plans import Case
    from oas.core.result import Proof

LEAST_RIVAL_SECONDS = 1.0  # less would not let CP-SAT build its model
RIVAL = "cumulative"
WARM_CELLS = (Cell(organizations=2, jobs=10, seconds=20.0), Cell(organizations=2, jobs=50, seconds=5.0))


def warm_up() -> None:
    """Let both parties start their processes, and load or compile what they need."""
    compile_loops(WARM_CELLS[0].instance(0))
    for cell in WARM_CELLS:
        solve(cell.instance(0), time_limit=cell.seconds)
    solve_by_rival(_start(WARM_CELLS[0].instance(0))[0], RIVAL, WARM_CELLS[0].seconds)


def measure(case: Case) -> MospRow:
    """Solve one instance twice.

    Raises
    ------
    KeyboardInterrupt
        If either solve was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance = cell.instance(case.seed)
    start, heuristics = _start(instance)
    combinatorial, tick = start.bound, instance.scaled().tick
    assert combinatorial is not None and start.makespan is not None
    first = int(start.makespan / tick)
    own = solve_timed(solve, instance, cell.seconds)
    limit = cell.rival_seconds or min(cell.seconds, max(LEAST_RIVAL_SECONDS, own.answer.seconds))
    rival, version = run_rival(start, limit)
    result = own.result
    found = facts(case, instance, own, rival, version, combinatorial)
    bound = result.proof.bound if result and result.proof else None
    return MospRow(
        **found,
        closed_by=closed_by(result.proof) if own.answer.proven and result and result.proof else "",
        status=result.status.value if result else "",
        heuristics=heuristics,
        start=first,
        paper=str(paper_bound(instance) / tick),
        confirmed=ticks_of(bound.value, tick) if bound and found["rechecked"] else None,
        found_by=result.schedule.method if result and result.schedule else "",
    )


def _start(instance: MospInstance) -> tuple[Evidence, dict[str, int]]:
    """Return the best heuristic schedule that keeps locality with the best combinatorial bound, and all makespans."""
    evidence, makespans = Evidence(instance), {}
    for method in own_methods(MospInstance):
        try:
            schedule = method(instance)
        except (NotApplicableError, NotPlacedError):
            continue
        makespans[method.name] = int(schedule.makespan / instance.scaled().tick)
        violation = evidence.offer(schedule, method.name)
        if violation and (method.respects_locality or instance.locality is None):
            raise SolverError(f"{method.name} made an infeasible schedule: {violation}")
    evidence.bound = best_bound(instance)
    return evidence, makespans


def run_rival(start: Evidence, seconds: float) -> tuple[Answer, str]:
    """Run CP-SAT from this schedule and bound, unless there is nothing left to prove; return its version too.

    Where the limit of the instance before ended its process, it starts again outside the clock.
    """
    if not start.closed:
        preflight("cpsat")
        return solve_by_rival(start, RIVAL, seconds)
    assert start.makespan is not None
    ticks = int(start.makespan / start.instance.scaled().tick)
    return Answer(termination=Termination.FINISHED.value, lower=ticks, upper=ticks, seconds=0.0), ""


def closed_by(proof: Proof) -> str:
    """Return what proved an optimum: a bound by name, or the claims that it rests on."""
    if proof.kind is ProofKind.CERTIFICATE and proof.bound is not None:
        return proof.bound.name
    if proof.kind is ProofKind.BRUTE_FORCE:
        return "brute force"
    return ", ".join(dict.fromkeys(f"claim of {claim.solver}:{claim.formulation}" for claim in proof.claims))
