"""The state of knowledge of one optimum of fair sharing: the best verified schedule, bounds, solvers' claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.fair.objectives import objective_bound
from oas.core.errors import InputError, SolverError
from oas.core.result import Proof, ProofKind
from oas.core.schedule import Schedule
from oas.problems.fair.objectives import Objective, class_violations, objective_value, open_at_horizon

if TYPE_CHECKING:
    from oas.core.result import Claim
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.objectives import ScheduleClass


class FairEvidence:
    """The best schedule, bound and claims so far. Everything is compared as a cost, sign · value, to be small.

    Parameters
    ----------
    instance, objective, wanted
        What is to be best, among which schedules.
    known
        A schedule of the class, in which every job ends by the horizon if the makespan is asked for.

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
        """Keep `schedule` if it is of the class and the best so far; return what keeps it out of the class.

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
        return Proof(ProofKind.SOLVER, None, tuple(one for one in self.claims if self._least(int(one.bound)) == least))

    def cost_of(self, schedule: Schedule) -> int:
        """Return the cost of a schedule that keeps the rules."""
        return self.objective.sign * objective_value(self.instance, schedule, self.objective)

    def _least(self, value: int) -> int:
        return self.objective.sign * value
