"""Judgement of a heuristic's answer: find what is wrong with it, if anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heuristics.method import relaxed
from oas.core.verifier import verify
from oas.testing.findings import Finding, Kind
from oas.testing.parts import kit_parts
from oas.testing.report import Outcome

if TYPE_CHECKING:
    from heuristics.method import Method
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.testing.cases import Case
    from oas.testing.observing import Observation
    from oas.testing.running import Runner

SHRINKABLE = (Kind.RULE, Kind.EXCEPTION, Kind.NO_SCHEDULE, Kind.CHANGED, Kind.AHEAD)
"""Found by few calls, and quickly."""


@dataclass(frozen=True)
class Judge:
    """Runs a method and judges what it returns.

    Attributes
    ----------
    method, seed
        What is run, with which seed.
    first, second
        Two calls in different surroundings, which must come to the same.
    """

    method: Method
    seed: int
    first: Runner
    second: Runner

    def outcome(self, case: Case) -> Outcome:
        """Run the method on `case`."""
        seen = self.first(case.instance, self.seed)
        finding = self._finding(case.relaxed, seen)
        outcome = Outcome(case, refusal=seen.refusal, finding=finding, seconds=seen.seconds)
        if finding is not None:
            return outcome
        again = self.second(case.instance, self.seed)
        if (again.schedule, bool(again.refusal)) != (seen.schedule, bool(seen.refusal)):
            return replace(outcome, finding=Finding(Kind.UNSTEADY, f"{_said(seen)}, then {_said(again)}"))
        if seen.schedule is None:
            return outcome
        finding = self._checked(case.instance, seen.schedule)
        if finding is not None:
            return replace(outcome, finding=finding)
        known = case.with_schedules([seen.schedule.makespan])
        return self._held_to_guarantee(replace(outcome, case=known, schedule=seen.schedule))

    def finding_on(self, instance: Instance) -> Finding | None:
        """Return what one call on `instance`, and the problem's own checks, show to be wrong; None for nothing."""
        seen = self.first(instance, self.seed)
        finding = self._finding(relaxed(instance, self.method), seen)
        return self._checked(instance, seen.schedule) if finding is None and seen.schedule is not None else finding

    def _checked(self, instance: Instance, schedule: Schedule) -> Finding | None:
        checks = kit_parts(instance.problem).checks
        found = (check(self.method, self.first, instance, schedule, self.seed) for check in checks)
        return next((finding for finding in found if finding is not None), None)

    def _finding(self, instance: Instance, seen: Observation) -> Finding | None:
        if seen.schedule is None:
            return seen.finding
        violations = tuple(verify(instance, seen.schedule))
        if not violations:
            return None
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        return Finding(Kind.RULE, f"{violations[0]}{more}", violations[0].rule, violations)

    def _held_to_guarantee(self, outcome: Outcome) -> Outcome:
        if self.method.guarantee is None:
            return outcome
        try:
            guarantee = self.method.guarantee(outcome.instance)
        except Exception as error:  # it is a user's own too
            message = f"in its guarantee: {type(error).__name__}: {error}"
            return replace(outcome, schedule=None, finding=Finding(Kind.EXCEPTION, message, "guarantee"))
        outcome = replace(outcome, guarantee=guarantee)
        # The optimum is at most the shortest schedule known, so a ratio above this one is above that to the optimum.
        if guarantee is None or outcome.ratio is None or outcome.ratio <= guarantee.value:
            return outcome
        message = f"ratio {outcome.ratio}, promised {guarantee.value} ({guarantee.hypothesis})"
        return replace(outcome, finding=Finding(Kind.GUARANTEE, message))


def _said(seen: Observation) -> str:
    if seen.schedule is not None:
        return f"a schedule that ends at {seen.schedule.makespan}"
    return f"a refusal ({seen.refusal})" if seen.refusal else str(seen.finding)
