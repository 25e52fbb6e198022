"""One instance of section 4 under every policy."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.measurements.coallocation.tight_links import without_links
from benchmarks.measurements.machine import cpu_model
from benchmarks.papers.saturation.rows import FORBID, NO_LINKS, Made, PolicyFigures, SectionRow
from benchmarks.proof_rates.shared.answers import source
from oas.campaigns.identity import commit
from oas.core.errors import InputError
from oas.core.metrics import compaction
from oas.core.result import ProofKind, Termination
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.pipeline import solve
from oas.exact.versions import versions
from oas.problems.coallocation.execution import execute
from oas.studies.saturation.heuristics import made_by_heuristics
from oas.studies.saturation.price import price_of_saturation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.proof_rates.shared.plans import Case
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.studies.saturation.points import SaturationPoint

THRESHOLDS = (Fraction(3, 4), Fraction(1, 2), None)
SOLVES = len(THRESHOLDS) + 1  # with forbid


def measure(case: Case) -> SectionRow:
    """Solve one instance under every policy and without links; execute the plans.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted: then there is nothing to keep.
    SolverError
        If results under two policies contradict one another.
    """
    instance: CoallocationInstance = case.cell.instance(case.seed)
    began = time.monotonic()
    wide = without_links(instance)
    free = solve(wide, time_limit=case.cell.seconds)
    study = price_of_saturation(instance, THRESHOLDS, time_limit=SOLVES * case.cell.seconds)
    if study.interrupted or free.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    seconds = time.monotonic() - began
    points = (study.forbid, *study.points)
    assert study.forbid.schedule is not None and free.schedule is not None and free.lower_bound is not None
    plans = {FORBID: study.forbid.schedule, NO_LINKS: free.schedule}
    faults: list[str] = []
    sure = {point.saturation: _certified(instance, point, faults) for point in points}
    found = [_figures(instance, point, sure[point.bound_from], plans, faults) for point in points]
    loosest = found[-1]
    if free.lower_bound > loosest.best.length:
        faults.append(f"without links at least {free.lower_bound}, with links {loosest.best.makespan}")
    return SectionRow(
        plan=case.plan,
        cell=case.cell,
        seed=case.seed,
        digest=instance.digest,
        policies=found,
        plans={FORBID: _made(instance, plans[FORBID]), NO_LINKS: _made(wide, plans[NO_LINKS])},
        no_links_lower=str(free.lower_bound),
        mismatch="; ".join(faults),
        seconds=seconds,
        load=os.getloadavg()[0],
        versions=dict(free.versions) or versions({}),
        machine=f"{cpu_model()}, {os.cpu_count()} CPUs",
        commit=commit(),
        source=source(),
        recorded=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def executed_length(instance: CoallocationInstance, plan: Schedule) -> Schedule | None:
    """Return the plan as it runs; None where a job alone asks a link for more than it may be asked for."""
    try:
        return execute(instance, plan).schedule
    except InputError as error:
        if error.field == "slot":
            raise
        return None


def _figures(
    instance: CoallocationInstance,
    point: SaturationPoint,
    certified: bool,
    plans: Mapping[str, Schedule],
    faults: list[str],
) -> PolicyFigures:
    held = instance.with_saturation(point.saturation)
    assert point.schedule is not None
    heuristics = {name: _made(held, one) for name, one in made_by_heuristics(held).items() if one is not None}
    executed: dict[str, Made | None] = {}
    for name, plan in plans.items():
        run = executed_length(held, plan)
        executed[name] = None if run is None else _made(held, run)
        if run is not None:
            faults += [f"{name} executed under {point.saturation}: {one}" for one in verify(held, run)]
            if run.makespan < point.lower_bound:
                faults.append(f"{name} executed under {point.saturation}: {run.makespan} < {point.lower_bound}")
    best = min([point.schedule, *_feasible(held, plans)], key=lambda one: one.makespan)
    return PolicyFigures(
        policy=str(point.saturation),
        lower=str(point.lower_bound),
        best=_made(held, best),
        certified=certified,
        heuristics=heuristics,
        executed=executed,
    )


def _feasible(instance: CoallocationInstance, plans: Mapping[str, Schedule]) -> list[Schedule]:
    """Return executed plans that are schedules of the instance: one may be shorter than what the limit let be found."""
    runs = (executed_length(instance, plan) for plan in plans.values())
    return [run for run in runs if run is not None and not verify(instance, run)]


def _certified(instance: CoallocationInstance, point: SaturationPoint, faults: list[str]) -> bool:
    """Tell whether exact arithmetic confirms the bound of a point's own solve; a certificate that fails is a fault."""
    result: Result | None = point.result
    proof = None if result is None else result.proof
    if proof is None or proof.bound is None:
        return False
    if not recheck(instance.with_saturation(point.saturation), proof.bound):
        faults.append(f"under {point.saturation} the bound {proof.bound.name} is not confirmed")
        return False
    return proof.kind is ProofKind.CERTIFICATE


def _made(instance: CoallocationInstance, schedule: Schedule) -> Made:
    return Made(makespan=str(schedule.makespan), compaction=float(compaction(instance, schedule)))
