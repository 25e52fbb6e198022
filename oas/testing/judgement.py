"""Judgement of a heuristic's answers: what is wrong with them, and how they compare with the toolkit's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError, relaxed
from heuristics.registry import own_methods
from oas.core.verifier import verify
from oas.testing.parts import kit_parts
from oas.testing.report import Finding, Kind, Outcome, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from heuristics.method import Method
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.testing.cases import Case
    from oas.testing.running import Observation, Runner

SHRINKABLE = (Kind.RULE, Kind.EXCEPTION, Kind.NO_SCHEDULE, Kind.CHANGED, Kind.AHEAD)
"""Found by few calls, and quickly."""


@dataclass(frozen=True)
class Judge:
    """Runs a method and judges what it returns."""

    # method, seed: what is run, with which seed
    method: Method
    seed: int
    # first, second: two calls in different surroundings, which must come to the same
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


def known_makespans(case: Case, seed: int) -> dict[str, Fraction]:
    """Return the makespan of each of our methods that has a schedule for `case` and keeps what is asked there.

    There is none where makespans are not compared.
    """
    found: dict[str, Fraction] = {}
    if case.least is None:
        return found
    for method in own_methods(case.instance.problem, case.instance.variant):
        try:
            schedule = method(case.instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
        if not verify(case.relaxed, schedule):
            found[method.name] = schedule.makespan
    return found


def standings(
    method: Method, outcomes: Sequence[Outcome], baselines: Sequence[Mapping[str, Fraction]]
) -> tuple[Standing, ...]:
    """Return `method`'s standing, then those of our methods that make the same promise, best first."""
    pairs = [(one, known) for one, known in zip(outcomes, baselines, strict=True) if one.schedule is not None]
    tested = Standing.of(method.name, [(one.case, one.schedule.makespan) for one, _ in pairs if one.schedule])
    others = [
        Standing.of(other.name, [(one.case, known[other.name]) for one, known in pairs if other.name in known])
        for other in own_methods(method.problem)
        if other.name != method.name and other.respects_locality == method.respects_locality
    ]
    # A method that leaves instances out may leave out the hard ones: means are compared at equal counts only.
    others.sort(key=lambda one: (-one.scheduled, one.mean))
    return (tested, *(one for one in others if one.scheduled))
