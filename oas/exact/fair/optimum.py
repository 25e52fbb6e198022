"""The best that schedules of a class come to by one objective, with its proof or between bounds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.core.result import Status, Termination
from oas.exact.fair.model_run import run_model
from oas.exact.options import AUTO, BRUTE_FORCE, HIGHS, READERS
from oas.exact.progress import SolveProgress
from oas.solvers.isolation.client import call
from oas.solvers.task import MIP, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.result import Proof
    from oas.core.schedule import Schedule
    from oas.exact.fair.model_run import FairEvidence
    from oas.problems.fair.objectives import Objective, ScheduleClass

ENUMERATED = 60  # jobs up to which ``auto`` enumerates first


@dataclass(frozen=True)
class FairOptions:
    """How optima are looked for.

    Raises
    ------
    InputError
        Naming the option.
    """

    # ``auto``: brute force up to 60 jobs; where it meets too many states, and beyond, the start-indexed model by HiGHS.
    # ``brute-force``, ``highs``, ``cbc``, or a MIP solver that Pyomo finds under this name: that alone.
    solver: str = AUTO
    time_limit: float | None = None  # seconds of wall time for each optimum; None for none
    memory_limit: int | None = None  # bytes for a solver and its child processes; None for no limit
    # threads, seed: for the solver
    threads: int = 1
    seed: int = 0
    # Further options by the own names of a named solver.
    solver_options: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("time_limit", "memory_limit", "seed", "solver_options"):
            object.__setattr__(self, name, READERS[name](getattr(self, name)))
        object.__setattr__(self, "threads", integer(self.threads, "threads", least=1))
        if self.settings.family != MIP:
            raise InputError("takes no MIP model: highs, cbc and others do", field="solver", value=self.solver)
        if self.solver_options and self.solver in (AUTO, BRUTE_FORCE):
            reason = "only a named solver takes options of its own"
            raise InputError(reason, field="solver_options", value=next(iter(self.solver_options)))

    @property
    def settings(self) -> Settings:
        """Of the solver of the model."""
        named = self.solver not in (AUTO, BRUTE_FORCE)
        return Settings(self.solver if named else HIGHS, self.threads, self.seed, options=self.solver_options)


@dataclass(frozen=True)
class FairOptimum:
    """The best value of an objective among the schedules of a class: proven where `value` and `bound` meet.

    Attributes
    ----------
    objective, wanted
        The objective, and the class of schedules.
    value
        Of `schedule`: the best one known; recomputed from it.
    bound
        Proven: no schedule of the class is better; of Σ ψ_sp none is above, of the others none below.
    schedule
        Verified.
    proof
        Of `bound`.
    termination
        Why the search stopped.
    seconds
        Wall time.
    message
        For people; empty if there is nothing to say.
    """

    objective: Objective
    wanted: ScheduleClass
    value: int
    bound: int
    schedule: Schedule
    proof: Proof
    termination: Termination = Termination.FINISHED
    seconds: float = 0.0
    message: str = ""

    @property
    def proven(self) -> bool:
        """Whether no schedule of the class is better."""
        return self.value == self.bound

    @property
    def status(self) -> Status:
        """``optimal`` or ``feasible``."""
        return Status.OPTIMAL if self.proven else Status.FEASIBLE


def known_optimum(
    evidence: FairEvidence,
    termination: Termination = Termination.FINISHED,
    seconds: float = 0.0,
    message: str = "",
) -> FairOptimum:
    """Return the current knowledge about an optimum."""
    sign = evidence.objective.sign
    return FairOptimum(
        evidence.objective,
        evidence.wanted,
        sign * evidence.cost,
        sign * evidence.least_cost,
        evidence.schedule,
        evidence.proof(),
        termination,
        seconds,
        message,
    )


def find_optimum(
    evidence: FairEvidence,
    options: FairOptions,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> FairOptimum:
    """Find the best schedule and prove that it is, as far as the limits allow; limits and Ctrl-C end it without error.

    First the integer bound (`oas.bounds.fair`) is computed; if the known schedule attains it, no solve is needed.

    `on_progress` is called at each stage and while a solver runs; bound and objective are values, as the solver
    states them.

    Raises
    ------
    InputError
        For an unknown solver or option.
    SolverMissingError
        If the solver is not installed.
    """
    began = time.monotonic()

    def report(stage: str, least: int | None = None, cost: int | None = None) -> None:
        if on_progress is not None:
            sign = evidence.objective.sign
            lowest = max(evidence.least_cost, evidence.least_cost if least is None else least)
            best = min(evidence.cost, evidence.cost if cost is None else cost)
            seconds = time.monotonic() - began
            part = f"{evidence.objective}, {evidence.wanted}"
            on_progress(SolveProgress(stage, seconds, Fraction(sign * lowest), Fraction(sign * best), part))

    termination, message = Termination.FINISHED, ""
    stages: tuple[str, ...] = (options.solver,)
    if options.solver == AUTO:
        stages = (BRUTE_FORCE, HIGHS) if len(evidence.instance.jobs) <= ENUMERATED else (HIGHS,)
    try:
        report("bounds")
        for stage in stages:
            left = None if options.time_limit is None else options.time_limit - (time.monotonic() - began)
            if evidence.closed or termination is Termination.INTERRUPTED:
                break
            if left is not None and left <= 0:
                termination, message = Termination.TIME_LIMIT, ""
                break
            limits = Limits(left, options.memory_limit)
            report(stage)
            if stage == BRUTE_FORCE:
                termination, message = _enumerate(evidence, limits)
            else:
                run = run_model(evidence, options.settings, limits, partial(report, stage))
                termination, message = run.termination, run.message
    except KeyboardInterrupt:
        termination = Termination.INTERRUPTED
    return known_optimum(evidence, termination, time.monotonic() - began, message)


def _enumerate(evidence: FairEvidence, limits: Limits) -> tuple[Termination, str]:
    """Enumerate in the worker; too many states are no error."""
    given = (evidence.instance, evidence.objective, evidence.wanted)
    outcome: Any = call("oas.exact.fair.brute_force:in_worker", given, limits)
    if outcome.value is not None:
        violation = evidence.offer(outcome.value, "brute force")
        if violation:
            return Termination.ERROR, f"brute force made a schedule that the verifier rejects, {violation}"
        if evidence.cost_of(outcome.value) > evidence.cost:
            return Termination.ERROR, "brute force missed a schedule that is known"
        evidence.enumerated = True
    return outcome.termination, outcome.message
