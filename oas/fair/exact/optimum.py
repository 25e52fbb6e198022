"""Optimum of an objective among the schedules of a class: proven, or between bounds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, SolverError
from oas.core.numbers import integer
from oas.core.result import Claim, Proof, ProofKind, Status, Termination, confirmed_bound
from oas.core.schedule import Schedule
from oas.fair.bounds import objective_bound
from oas.fair.models.start_indexed import formulation
from oas.fair.objectives import Objective, class_violations, objective_value, open_at_horizon
from oas.fair.ticks import schedule_from_starts, starts_from_schedule
from oas.solvers.isolation.client import call
from oas.solvers.own_options import check_own_options, check_taken
from oas.solvers.task import MIP, Limits, Settings, integer_bound
from oas.solving.formulation import Preparation
from oas.solving.model_run import ModelRun, judge, solve_prepared
from oas.solving.options import AUTO, BRUTE_FORCE, HIGHS, READERS
from oas.solving.progress import SolveProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.fair.instance import FairInstance
    from oas.fair.objectives import ScheduleClass
    from oas.solvers.task import Progress
    from oas.solving.formulation import Formulation

ENUMERATED = 60  # jobs up to which ``auto`` enumerates first


@dataclass(frozen=True)
class FairOptions:
    """Options of the search for an optimum.

    Raises
    ------
    InputError
        Naming the option.
    """

    # ``auto``: brute force for up to 60 jobs; for more jobs or too many states, the start-indexed model with HiGHS.
    # ``brute-force``, ``highs``, ``cbc``, or a MIP solver that Pyomo finds under this name: only this one.
    solver: str = AUTO
    time_limit: float | None = None  # seconds of wall time for each optimum; None for no limit
    memory_limit: int | None = None  # bytes for a solver and its child processes; None for no limit
    # threads, seed: for the solver
    threads: int = 1
    seed: int = 0
    # Further options of a named solver, under its own names for them.
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
        check_own_options(self.solver, self.solver_options, "solver_options")
        if self.solver not in (AUTO, BRUTE_FORCE):
            check_taken(self.solver, self.threads)

    @property
    def settings(self) -> Settings:
        """Settings of the solver of the model."""
        named = self.solver not in (AUTO, BRUTE_FORCE)
        return Settings(self.solver if named else HIGHS, self.threads, self.seed, options=self.solver_options)


class FairEvidence:
    """The incumbent, the bound and the claims so far. All values are compared as costs, sign · value, to minimise.

    Parameters
    ----------
    instance, objective, schedule_class
        The instance, the objective and the class of schedules.
    known
        A schedule of the class; for the makespan, one that completes every job by the horizon.

    Attributes
    ----------
    schedule, cost
        The best verified schedule, and its cost, recomputed from it.
    bound
        The bound of `oas.fair.bounds`, proven in integers.
    claims
        Bounds claimed by solvers without a certificate; `Claim.bound` is a value of the objective. They count once two
        different runs claim them.
    enumerated
        Whether every schedule was enumerated: then `schedule` is the best.

    Raises
    ------
    InputError
        If `known` breaks a rule.
    """

    def __init__(
        self, instance: FairInstance, objective: Objective, schedule_class: ScheduleClass, known: Schedule
    ) -> None:
        self.instance = instance
        self.objective = objective
        self.schedule_class = schedule_class
        self.bound = objective_bound(instance.scaled(), objective)
        self.claims: list[Claim] = []
        self.enumerated = False
        violation = self.violation(known)
        if violation:
            raise InputError(f"the schedule is not feasible: {violation}", field="schedule")
        self.schedule, self.cost = known, self.cost_of(known)

    def violation(self, schedule: Schedule) -> str:
        """Return the first rule of the class that `schedule` breaks, or why its makespan does not apply, or ``""``."""
        violations = class_violations(self.instance, schedule, self.schedule_class)
        if violations:
            return str(violations[0])
        return open_at_horizon(self.instance, schedule) if self.objective is Objective.MAKESPAN else ""

    def offer(self, schedule: Schedule, source: str) -> str:
        """Record `schedule` if it is of the class and improves on the incumbent; return the reason if it is not.

        Raises
        ------
        SolverError
            If it is better than the proven bound.
        """
        violation = self.violation(schedule)
        if not violation and self.cost_of(schedule) < self.cost:
            self.schedule, self.cost = Schedule(schedule.placements, source), self.cost_of(schedule)
            if self.cost < self._least(int(self.bound.value)):
                raise SolverError(f"{source} found a schedule better than the {self.bound.name} bound allows")
            exposed = {claim.solver for claim in self.claims if self._least(int(claim.bound)) > self.cost}
            self.claims = [claim for claim in self.claims if claim.solver not in exposed]
        return violation

    @property
    def least_cost(self) -> int:
        """The greatest known lower bound on the cost of every schedule of the class."""
        if self.enumerated:
            return self.cost
        confirmed = confirmed_bound(replace(one, bound=one.bound * self.objective.sign) for one in self.claims)
        certified = self._least(int(self.bound.value))
        return certified if confirmed is None else max(certified, int(confirmed))

    @property
    def unconfirmed(self) -> list[Claim]:
        """The claims beyond the bound: no second, different run has confirmed them."""
        return [claim for claim in self.claims if self._least(int(claim.bound)) > self.least_cost]

    @property
    def closed(self) -> bool:
        """Whether the schedule meets the bound."""
        return self.cost == self.least_cost

    def proof(self) -> Proof:
        """Return the proof of the bound, of the strongest kind that reaches it."""
        least = self.least_cost
        if self._least(int(self.bound.value)) == least:
            return Proof(ProofKind.CERTIFICATE, self.bound)
        if self.enumerated:
            return Proof(ProofKind.BRUTE_FORCE)
        claims = tuple(claim for claim in self.claims if self._least(int(claim.bound)) >= least)
        return Proof(ProofKind.SOLVER, None, claims)

    def cost_of(self, schedule: Schedule) -> int:
        """Return the cost of a schedule that keeps the rules."""
        return self.objective.sign * objective_value(self.instance, schedule, self.objective)

    def _least(self, value: int) -> int:
        return self.objective.sign * value


@dataclass(frozen=True)
class FairOptimum:
    """The best value of an objective among the schedules of a class: proven if `value` equals `bound`.

    Attributes
    ----------
    objective, schedule_class
        The objective, and the class of schedules.
    value
        Value of `schedule`, recomputed from it.
    bound
        Proven bound for every schedule of the class: an upper bound on Σ ψ_sp, a lower bound on the other objectives.
    schedule
        The best known schedule, verified.
    proof
        Proof of `bound`.
    termination
        Why the search stopped.
    seconds
        Wall time.
    message
        Explanation for people; may be empty.
    """

    objective: Objective
    schedule_class: ScheduleClass
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
    """Return the optimum as far as the evidence determines it."""
    sign = evidence.objective.sign
    return FairOptimum(
        evidence.objective,
        evidence.schedule_class,
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
    """Find a best schedule and prove it optimal if the limits allow; limits and Ctrl-C end the search without error.

    First the integer bound (`oas.fair.bounds`) is computed; if the known schedule attains it, no solve is needed.

    `on_progress` is called at each stage and while a solver runs; bound and objective are values, as claimed by the
    solver.

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
            part = f"{evidence.objective}, {evidence.schedule_class}"
            on_progress(SolveProgress(stage, seconds, Fraction(sign * lowest), Fraction(sign * best), part))

    termination, message = Termination.FINISHED, ""
    stages: tuple[str, ...] = (options.solver,)
    if options.solver == AUTO:
        stages = (BRUTE_FORCE, HIGHS) if len(evidence.instance.jobs) <= ENUMERATED else (HIGHS,)

    def left() -> float | None:
        return None if options.time_limit is None else options.time_limit - (time.monotonic() - began)

    def solve(stage: str, settings: Settings) -> tuple[Termination, str]:
        run = run_model(evidence, settings, Limits(left(), options.memory_limit), partial(report, stage))
        return run.termination, run.message

    try:
        report("bounds")
        for stage in stages:
            remaining = left()
            if evidence.closed or termination is Termination.INTERRUPTED:
                break
            if remaining is not None and remaining <= 0:
                termination, message = Termination.TIME_LIMIT, ""
                break
            report(stage)
            if stage == BRUTE_FORCE:
                termination, message = _enumerate(evidence, Limits(remaining, options.memory_limit))
                continue
            termination, message = solve(stage, options.settings)
            remaining = left()
            if evidence.unconfirmed and termination is Termination.FINISHED and (remaining is None or remaining > 0):
                second = options.settings.second_run() or Settings(HIGHS, options.threads, options.seed)
                termination, message = solve(stage, second)
    except KeyboardInterrupt:
        termination = Termination.INTERRUPTED
    notes = (message, *(f"not counted: {claim.bound}, claimed by {claim} alone" for claim in evidence.unconfirmed))
    message = "; ".join(note for note in notes if note)
    return known_optimum(evidence, termination, time.monotonic() - began, message)


def run_model(
    evidence: FairEvidence,
    settings: Settings,
    limits: Limits,
    on_progress: Callable[[int | None, int | None], None],
    model: Formulation | None = None,
) -> ModelRun:
    """Solve the model with the best schedule as a warm start; add the solver's schedule and claim to `evidence`.

    The limits are for preparing, building and solving together.

    `on_progress` receives the current bound and cost of the solver, unverified. `model` None: the start-indexed model.
    """
    chosen = formulation(evidence.objective, evidence.schedule_class) if model is None else model
    instance, ending = evidence.instance, evidence.objective is Objective.MAKESPAN
    given = Preparation(
        chosen.prepare,
        chosen.start_values,
        instance,
        horizon=evidence.cost if ending else instance.horizon,
        lower_bound=evidence.least_cost if ending else 0,
        runs=starts_from_schedule(instance, evidence.schedule).tolist(),
    )

    def report(spec: Any, progress: Progress) -> None:
        stated = None if progress.bound is None else chosen.ticks_of(spec, integer_bound(progress.bound))
        cost = None if progress.objective is None else chosen.ticks_of(spec, math.ceil(progress.objective - 0.5))
        on_progress(stated, cost)

    def keep(starts: list[int], who: str) -> str:
        return evidence.offer(schedule_from_starts(instance, starts, who), who)

    def prove(spec: Any, stated: float) -> Fraction:
        least = chosen.ticks_of(spec, integer_bound(stated))
        if least > evidence.cost:
            raise SolverError("claims a bound that a verified schedule passes")
        return Fraction(evidence.objective.sign * least)

    ended = solve_prepared(chosen, given, settings, limits, report)
    run = ended if isinstance(ended, ModelRun) else judge(chosen, *ended, keep, prove, settings.run)
    if run.claim is not None:
        evidence.claims.append(run.claim)
    return run


def _enumerate(evidence: FairEvidence, limits: Limits) -> tuple[Termination, str]:
    """Enumerate in the worker; too many states are not an error."""
    given = (evidence.instance, evidence.objective, evidence.schedule_class)
    outcome: Any = call("oas.fair.exact.brute_force:in_worker", given, limits)
    if outcome.value is not None:
        violation = evidence.offer(outcome.value, "brute force")
        if violation:
            return Termination.ERROR, f"brute force made a schedule that the verifier rejects, {violation}"
        if evidence.cost_of(outcome.value) > evidence.cost:
            return Termination.ERROR, "brute force missed a schedule that is known"
        evidence.enumerated = True
    return outcome.termination, outcome.message
