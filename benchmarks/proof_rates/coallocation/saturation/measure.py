"""One instance by `oas.solve`; schedule and bound are checked again afterwards."""

from __future__ import annotations

import os
import sys
import time
import traceback
from datetime import UTC, datetime
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from benchmarks.measurements.machine import cpu_model
from benchmarks.proof_rates.coallocation.saturation.plans import Cell
from benchmarks.proof_rates.coallocation.saturation.rows import SaturationRow
from benchmarks.proof_rates.shared.answers import Answer, compile_loops, mismatch, source
from oas.bounds.lower_bound import best_bound
from oas.campaigns.identity import commit
from oas.core.result import ProofKind, Termination
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.pipeline import solve
from oas.exact.versions import versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.proof_rates.shared.plans import Case
    from oas.core.result import Bound, Result
    from oas.problems.coallocation.instance import CoallocationInstance

LEFT_OUT = "left out"
WARM = Cell(jobs=6, percent="0", seconds=20.0), Cell(jobs=6, percent="25", seconds=20.0)
WARM_SEED = 10_000  # of no plan


def warm_up() -> None:
    """Let worker processes start, and load or compile what is needed."""
    compile_loops(WARM[0].instance(WARM_SEED))
    for cell in WARM:
        solve(cell.instance(WARM_SEED), time_limit=cell.seconds)


def measure(case: Case) -> SaturationRow:
    """Solve one instance; an exception becomes an answer that ended in an error, for a long run has to go on.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted: then there is nothing to keep.
    """
    cell = case.cell
    instance = cell.instance(case.seed)
    began = time.monotonic()
    result, message = _solve(instance, cell.seconds)
    took = time.monotonic() - began if result is None else result.seconds["total"]
    proof = None if result is None else result.proof
    certified = None if proof is None else proof.bound
    began = time.monotonic()
    rechecked = certified is not None and recheck(instance, certified)
    recheck_seconds = time.monotonic() - began
    combinatorial = best_bound(instance).value
    confirmed = certified.value if certified is not None and rechecked else None
    lower, upper = (None, None) if result is None else (result.lower_bound, result.objective)
    unit = _unit(instance, [one for one in (lower, upper, combinatorial, confirmed) if one is not None])
    own = Answer(
        termination=Termination.ERROR.value if result is None else result.termination.value,
        lower=_in(unit, lower),
        upper=_in(unit, upper),
        seconds=took,
        message=message,
    )
    rival = Answer(termination=LEFT_OUT, lower=None, upper=None, seconds=0.0)
    faults = [mismatch(own, rival, rechecked), *_faults(instance, result, certified)]
    return SaturationRow(
        plan=case.plan,
        cell=cell,
        seed=case.seed,
        digest=instance.digest,
        own=own,
        rival=rival,
        proof=proof.kind.value if proof else "",
        bound=certified.name if certified else "",
        claims=[f"{claim.solver}:{claim.formulation}" for claim in proof.claims] if proof else [],
        closed_by=closed_by(result) if own.proven and result is not None else "",
        combinatorial=-int(-combinatorial // unit),
        rechecked=rechecked,
        recheck_seconds=recheck_seconds,
        stages={name: spent for name, spent in result.seconds.items() if name != "total"} if result else {},
        steps=[],
        mismatch="; ".join(fault for fault in faults if fault),
        load=os.getloadavg()[0],
        versions=dict(result.versions) if result else versions({}),
        machine=f"{cpu_model()}, {os.cpu_count()} CPUs",
        commit=commit(),
        source=source(),
        recorded=datetime.now(UTC).isoformat(timespec="seconds"),
        unit=str(unit),
        confirmed=_in(unit, confirmed),
    )


def closed_by(result: Result) -> str:
    """Return what proved an optimum: the name of a certified bound, or on whose word it is."""
    proof = result.proof
    if proof is None:
        return ""
    if proof.kind is ProofKind.CERTIFICATE and proof.bound is not None:
        return proof.bound.name
    if proof.kind is ProofKind.BRUTE_FORCE:
        return "brute force"
    return "search" if any(claim.solver == "oas" for claim in proof.claims) else "model"


def _solve(instance: CoallocationInstance, seconds: float) -> tuple[Result | None, str]:
    try:
        result = solve(instance, time_limit=seconds)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return None, repr(error)
    if result.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    return result, result.message


def _faults(instance: CoallocationInstance, result: Result | None, certified: Bound | None) -> Iterable[str]:
    """Yield what is wrong with a result, whatever it claims."""
    if result is None:
        return
    if result.schedule is not None:
        yield from (str(violation) for violation in verify(instance, result.schedule))
        if certified is not None and certified.value > result.schedule.makespan:
            yield f"the certified bound {certified.value} is above the schedule's {result.schedule.makespan}"


def _unit(instance: CoallocationInstance, values: Iterable[Fraction]) -> Fraction:
    """Return η; without slots the longest time of which all `values` are multiples."""
    if instance.slot:
        return instance.slot
    parts = lcm(*(value.denominator for value in values))
    return Fraction(gcd(*(int(value * parts) for value in values)) or 1, parts)


def _in(unit: Fraction, value: Fraction | None) -> int | None:
    """Return a time in units; a bound between two slots counts as the later, on which a makespan can be."""
    return None if value is None else -int(-value // unit)
