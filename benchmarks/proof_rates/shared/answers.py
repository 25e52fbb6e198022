"""One instance by `oas.solve` and by CP-SAT, and whether the two can both be right."""

from __future__ import annotations

import sys
import time
import traceback
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from oas.campaigns.identity import source_hash
from oas.core.result import Termination
from oas.exact.model_run import run_model
from oas.exact.warm_up import warm_up
from oas.models.registry import find_formulation
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.exact.evidence import Evidence
    from oas.exact.progress import SolveProgress


def compile_loops(instance: Instance) -> None:
    """Compile what any instance of this one's problem may need: a time limit counts what is compiled in a solve."""
    warm_up([instance.problem])


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answer of one participant.

    Attributes
    ----------
    termination
        Why it stopped, as `oas.core.result.Termination`.
    lower, upper
        Bound and verified makespan in ticks (slots where η > 0); None where there is none.
    seconds
        Wall time.
    message
        Its explanation, if it gave one.
    """

    termination: str
    lower: int | None
    upper: int | None
    seconds: float
    message: str = ""

    @property
    def proven(self) -> bool:
        """Whether bound and makespan meet, and nothing went wrong."""
        return self.lower is not None and self.lower == self.upper and self.termination != Termination.ERROR

    @property
    def open(self) -> int | None:
        """Ticks between bound and makespan; None if either is missing."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower

    @property
    def gap(self) -> Fraction | None:
        """Makespan over bound, less 1; None if either is missing or the bound is 0."""
        return Fraction(self.upper, self.lower) - 1 if self.lower and self.upper is not None else None


@cache
def source() -> str:
    """Return a hash of what instances are drawn and solved by, as it was when this process began."""
    return f"{source_hash('exact')[:16]}-{source_hash('instances')[:16]}"


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


@dataclass(frozen=True)
class Own:
    """The outcome of `oas.solve` on an instance: its answer, its result (None after an exception), and its steps.

    `steps` holds (seconds, bound, makespan) at each improvement, in ticks.
    """

    answer: Answer
    result: Result | None
    steps: list[tuple[float, int | None, int | None]]


def solve_timed(solve: Callable[..., Result], instance: Instance, seconds: float) -> Own:
    """Run `oas.solve`; an exception becomes an answer that ended in an error, for a long run has to go on.

    Raises
    ------
    KeyboardInterrupt
        If it was interrupted: then there is nothing to keep.
    """
    tick = instance.scaled().tick
    steps: list[tuple[float, int | None, int | None]] = []

    def note(progress: SolveProgress) -> None:
        stand = ticks_of(progress.lower_bound, tick), ticks_of(progress.objective, tick)
        if not steps or steps[-1][1:] != stand:
            steps.append((round(progress.seconds, 3), *stand))

    began = time.monotonic()
    try:
        result = solve(instance, time_limit=seconds, on_progress=note)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        took = time.monotonic() - began
        return Own(Answer(termination="error", lower=None, upper=None, seconds=took, message=repr(error)), None, steps)
    if result.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    answer = Answer(
        termination=result.termination.value,
        lower=ticks_of(result.lower_bound, tick),
        upper=ticks_of(result.objective, tick),
        seconds=result.seconds["total"],
        message=result.message,
    )
    return Own(answer, result, steps)


def solve_by_rival(evidence: Evidence, formulation: str, seconds: float) -> tuple[Answer, str]:
    """Run CP-SAT on this formulation, from the schedule and the bound in `evidence`; return its version too.

    The clock runs while the model is built and solved, not while heuristics and bounds run. A bound of 0 counts as
    none.
    """
    began = time.monotonic()
    chosen = find_formulation(formulation, evidence.instance.problem)
    run = run_model(evidence, chosen, Settings("cpsat"), Limits(seconds), lambda *_: None)
    took = time.monotonic() - began
    if run.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    tick = evidence.instance.scaled().tick
    stated = [bound for bound in (run.claim and run.claim.bound, evidence.bound and evidence.bound.value) if bound]
    answer = Answer(
        termination=run.termination.value,
        lower=ticks_of(max(stated, default=None), tick),
        upper=ticks_of(evidence.makespan, tick),
        seconds=took,
        message=run.message,
    )
    return answer, run.version


def ticks_of(value: Fraction | None, tick: Fraction) -> int | None:
    """Return a time in ticks; None stays None."""
    return None if value is None else int(value / tick)
