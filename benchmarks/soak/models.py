"""Answers of solvers, compared with the brute-force optimum."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.soak.findings import (
    AGREED,
    FAULT,
    MISMATCH,
    TIME_LIMIT,
    TOLERANCE,
    TOO_LARGE,
    Asked,
    Finding,
    raise_if_interrupted,
    run_name,
    trial,
)
from benchmarks.soak.poor_schedules import late, poor
from benchmarks.soak.solving import poor_evidence
from oas.coallocation.models import literal
from oas.core.result import Termination
from oas.mosp.exact.implied import implied
from oas.mosp.exact.stages.bounds import OPTIONS
from oas.mosp.models import cumulative_cpsat
from oas.solvers.task import CPSAT, NOT_INTEGRAL, Limits, Settings, limits_of_part
from oas.solving.formulation import find_formulation
from oas.solving.model_run import Question, decide, run_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.soak.findings import Run
    from oas.core.instances import Instance

COEFFICIENTS = 600  # maximum of a literal model; CBC takes seconds for larger ones
HAIR = Fraction(1, 10**9)
NEAR = Fraction(2, 10**6)  # share of the optimum by which bound and makespan of a continuous model may differ from it
GREATEST_WEIGHT = 9
DECISION = "decision by CP-SAT"


def model(instance: Instance, run: Run, optimum: Fraction, asked: Asked) -> Finding:
    """Check that a solver finds and proves the optimum from a poor schedule and the bound 0.

    A literal model starts from a schedule that is a tick late. Bound and schedule of a model without ticks may differ
    from the optimum by the share `NEAR`: numbers with large denominators may differ by less than a solver's tolerances.
    """
    formulation, settings = run
    participant, start = run_name(*run), poor(instance)
    if formulation == literal.FORMULATION.name:
        plain: Any = instance
        start = late(plain)
        ticks = int(start.makespan / plain.scaled().tick)
        count = literal.LiteralSpec(plain, plain.scaled(), ticks, 0).coefficient_count
        if count > COEFFICIENTS:
            return Finding(participant, TOO_LARGE, f"{count:,} coefficients")
    evidence = poor_evidence(instance, start)
    chosen = find_formulation(formulation, instance.problem)
    solved = run_model(evidence, chosen, settings, Limits(asked.seconds), lambda *_: None)
    assert evidence.makespan is not None
    claimed = Fraction(0) if solved.claim is None else solved.claim.bound
    detail = f"bound {claimed}, makespan {evidence.makespan}, optimum {optimum}"
    if claimed > optimum or evidence.makespan < optimum:
        return Finding(participant, MISMATCH, detail)
    raise_if_interrupted(solved.termination)
    if solved.termination is Termination.TOO_LARGE:
        return Finding(participant, TOO_LARGE, solved.message)
    if solved.termination is Termination.TIME_LIMIT:
        return Finding(participant, TIME_LIMIT, detail)
    near = NEAR * optimum if chosen.continuous else 0
    finished = solved.termination is Termination.FINISHED
    if finished and optimum - near <= claimed and evidence.makespan <= optimum + near:
        return Finding(participant, AGREED)
    if solved.termination is Termination.ERROR and NOT_INTEGRAL in solved.message:
        return Finding(participant, FAULT, detail)
    left_open = finished or solved.termination is Termination.ERROR
    verdict = TOLERANCE if left_open and _is_close(instance) else MISMATCH
    return Finding(participant, verdict, f"{solved.termination.value}: {detail}; {solved.message}")


def _is_close(instance: Instance) -> bool:
    """Return whether loads of slowing links are so close to limits that floats cannot decide the slot of an end."""
    slowed = instance.problem.name == "coallocation" and instance.variant != "forbid"
    return slowed and any(one.bandwidth.denominator * HAIR >= 1 for one in instance.clusters)  # type: ignore[attr-defined]


def decisions(instance: Any, optimum: Fraction, asked: Asked) -> Iterator[Finding]:
    """Ask CP-SAT for makespans a tick below, at and one to three ticks above the optimum, or for a random one of these.

    The model has the constraints that the exact search adds.
    """
    scaled, rng = instance.scaled(), asked.rng(DECISION)
    ticks = int(optimum / scaled.tick)
    drawn = [tuple(rng.randint(0, GREATEST_WEIGHT) for _ in range(scaled.job_count)) for _ in range(3)]
    heights, times = [*drawn[:2], tuple(scaled.widths)], drawn[2:]

    def strengthened(spec: Any) -> Any:
        return replace(spec, implied=implied(spec, heights, times))

    def answer(makespan: int) -> Finding:
        limits = limits_of_part(asked.seconds, None)
        question = Question(cumulative_cpsat.FORMULATION, 1, Settings(CPSAT, options=OPTIONS), strengthened)
        found = decide(instance, question, makespan, ticks, limits)
        if found.exposed or (found.refuted and makespan >= ticks) or (found.runs and makespan < ticks):
            return Finding(DECISION, MISMATCH, f"{'yes' if found.runs else 'no'} at {makespan}, optimum {ticks}")
        return Finding(DECISION, AGREED if found.refuted or found.runs else "undecided")

    for makespan in asked.one_of((ticks - 1, ticks, ticks + rng.randint(1, 3)), "makespan"):
        if makespan > 0:
            yield trial(DECISION, partial(answer, makespan))
