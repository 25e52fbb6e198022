"""CP-SAT's answers about single makespans of MOSP, with the constraints that the exact search adds, by the optimum."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.soak.findings import AGREED, MISMATCH, Asked, Finding, trial
from oas.exact.decision import decide
from oas.exact.mosp.implied import implied
from oas.exact.mosp.stages.bounds import OPTIONS
from oas.models.mosp.cumulative_cpsat import FORMULATION
from oas.solvers.task import CPSAT, Settings, limits_of_part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

GREATEST_WEIGHT = 9
PARTICIPANT = "decision by CP-SAT"


def decisions(instance: Any, optimum: Fraction, asked: Asked) -> Iterator[Finding]:
    """Ask for the makespan a tick below the optimum, the optimum, and one above it, or for one of them by lot."""
    scaled, rng = instance.scaled(), asked.rng(PARTICIPANT)
    ticks = int(optimum / scaled.tick)
    drawn = [tuple(rng.randint(0, GREATEST_WEIGHT) for _ in range(scaled.job_count)) for _ in range(3)]
    heights, times = [*drawn[:2], tuple(scaled.widths)], drawn[2:]

    def strengthened(spec: Any) -> Any:
        return replace(spec, implied=implied(spec, heights, times))

    def answer(makespan: int) -> Finding:
        limits = limits_of_part(asked.seconds, None)
        found = decide(instance, FORMULATION, Settings(CPSAT, options=OPTIONS), makespan, limits, strengthened)
        if (found.refuted and makespan >= ticks) or (found.runs and makespan < ticks):
            return Finding(PARTICIPANT, MISMATCH, f"{'no' if found.refuted else 'yes'} at {makespan}, optimum {ticks}")
        return Finding(PARTICIPANT, AGREED if found.refuted or found.runs else "undecided")

    for makespan in asked.one_of((ticks - 1, ticks, ticks + rng.randint(1, 3)), "makespan"):
        if makespan > 0:
            yield trial(PARTICIPANT, partial(answer, makespan))
