"""Solve the start-indexed model of fair sharing with one solver, verify the answer, and record the results."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.fair import objective_bound
from oas.core.errors import InputError, SolverError
from oas.core.result import Claim, Proof, ProofKind
from oas.core.schedule import Schedule
from oas.exact.model_run import ModelRun, judge, solve_prepared
from oas.models.fair.start_indexed import formulation
from oas.models.formulation import Preparation
from oas.problems.fair.objectives import Objective, class_violations, objective_value, open_at_horizon
from oas.problems.fair.ticks import schedule_from_starts, starts_from_schedule
from oas.solvers.task import integer_bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.models.formulation import Formulation
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.objectives import ScheduleClass
    from oas.solvers.task import Limits, Progress, Settings


class FairEvidence:
    """The best schedule, bound and claims so far. Everything is compared as a cost, sign · value, to be small.

    Parameters
    ----------
    instance, objective, wanted
        The objective and the class of schedules.
    known
        A schedule of the class; for the makespan, one that completes every job by the horizon.

    Attributes
    ----------
    schedule, cost
        The best verified schedule, and its cost, recomputed from it.
    bound
        Of `oas.bounds.fair`: proven in integers.
    claims
        Bounds on solvers' words; `Claim.bound` is a value of the objective.
    enumerated
        Whether every schedule was enumerated: then `schedule` is the best.

    Raises
    ------
    InputError
        If `known` breaks a rule.
    """

    def __init__(self, instance: FairInstance, objective: Objective, wanted: ScheduleClass, known: Schedule) -> None:
        self.instance = instance
        self.objective = objective
        self.wanted = wanted
        self.bound = objective_bound(instance.scaled(), objective)
        self.claims: list[Claim] = []
        self.enumerated = False
        violation = self.violation(known)
        if violation:
            raise InputError(f"the schedule is not feasible: {violation}", field="schedule")
        self.schedule, self.cost = known, self.cost_of(known)

    def violation(self, schedule: Schedule) -> str:
        """Return the first rule of the class that `schedule` breaks, or why its makespan does not apply; or nothing."""
        violations = class_violations(self.instance, schedule, self.wanted)
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
        return violation

    @property
    def least_cost(self) -> int:
        """No schedule of the class costs less, as far as is known."""
        if self.enumerated:
            return self.cost
        return max(self._least(int(value)) for value in (self.bound.value, *(claim.bound for claim in self.claims)))

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
        claims = tuple(claim for claim in self.claims if self._least(int(claim.bound)) == least)
        return Proof(ProofKind.SOLVER, None, claims)

    def cost_of(self, schedule: Schedule) -> int:
        """Return the cost of a schedule that keeps the rules."""
        return self.objective.sign * objective_value(self.instance, schedule, self.objective)

    def _least(self, value: int) -> int:
        return self.objective.sign * value


def run_model(
    evidence: FairEvidence,
    settings: Settings,
    limits: Limits,
    on_progress: Callable[[int | None, int | None], None],
    model: Formulation | None = None,
) -> ModelRun:
    """Solve the model from the best schedule on, and add what it finds and claims to `evidence`.

    The limits are for preparing, building and solving together.

    `on_progress` gets the bound and the cost that the solver states meanwhile, untested. `model` is the start-
    indexed one unless another is given.
    """
    chosen = formulation(evidence.objective, evidence.wanted) if model is None else model
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
    run = ended if isinstance(ended, ModelRun) else judge(chosen, *ended, keep, prove)
    if run.claim is not None:
        evidence.claims.append(run.claim)
    return run
