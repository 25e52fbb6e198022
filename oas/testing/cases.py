"""The instances of the test kit, with what is proven of their optima, and the judgement of answers on them.

What is wrong with a heuristic's answers is found, and they are compared with the toolkit's own methods.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError, relaxed
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, OasError, TooLargeError
from oas.core.instances import check_instance
from oas.core.verifier import verify
from oas.exact.parts import exact_parts
from oas.testing.parts import kit_parts
from oas.testing.report import Finding, Kind, Outcome, Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from heuristics.method import Method
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.testing.running import Observation, Runner


GALLERY, RANDOM, MEDIUM, OWN = "gallery", "random tiny", "random mid-size", "own"
ATTEMPTS = 400


@dataclass(frozen=True)
class Case:
    """An instance and the interval that its optimum lies in."""

    source: str  # ``gallery``, ``random tiny``, ``random mid-size`` or ``own``
    name: str  # of the instance
    instance: Instance  # as the heuristic gets it
    relaxed: Instance  # as the verifier gets it: without locality for a method that never promised it
    # no schedule is shorter; None for a problem without bounds, where makespans are not compared
    least: Fraction | None = None
    # makespan of the shortest schedule known, or the optimum that the gallery states; None before any is known
    most: Fraction | None = None

    @property
    def solved(self) -> bool:
        """Whether the optimum is known."""
        return self.least is not None and self.least == self.most

    def with_schedules(self, makespans: Iterable[Fraction]) -> Case:
        """Return the case with more schedules known; as it is where makespans are not compared.

        Raises `OasError` if one of them is shorter than what is proven to be the least.
        """
        if self.least is None:
            return self
        known = [*makespans, *([] if self.most is None else [self.most])]
        if known and min(known) < self.least:
            raise OasError(f"{self.name}: a verified schedule ends before the proven {self.least}: please report it")
        return replace(self, most=min(known, default=None))


def cases_of(
    method: Method, instances: Iterable[Instance], *, gallery: bool, tiny: int, medium: int, seed: int
) -> Iterator[Case]:
    """Yield the instances that a method is tested on: so many tiny and mid-size ones from this seed on, and the given.

    The gallery are the published worst cases of the problem, with the optima that they state as true. Tiny instances
    have every feature of the problem and are solved by brute force, where the problem has that; mid-size ones are of
    the papers' set-ups, with bounds that take no search; a user's own are solved by brute force where that reaches.
    Raises `InputError` for an instance of another problem, or one without a schedule.
    """
    parts = kit_parts(method.problem)
    for instance, stated in parts.gallery(method) if gallery else ():
        yield _case(GALLERY, instance, method).with_schedules(stated)
    for number in range(seed, seed + tiny):
        yield _solved(_case(RANDOM, parts.tiny(number), method))
    for number in range(seed, seed + medium):
        yield _case(MEDIUM, parts.medium(number), method)
    for index, instance in enumerate(instances):
        check_instance(instance)
        if instance.problem is not method.problem:
            reason = f"the heuristic schedules a {method.problem.instance_type.__name__}"
            raise InputError(reason, field=f"instances[{index}]", value=type(instance).__name__)
        if without := unplaceable(instance):
            raise InputError(f"no allocation exists for: {', '.join(without)}", field=f"instances[{index}]")
        case = _case(OWN, instance, method)
        with suppress(TooLargeError):
            case = _solved(case)
        yield case


def unplaceable(instance: Instance) -> list[str]:
    """Return the jobs that can never run; none for a problem that has no exact search to tell them."""
    return exact_parts(instance).unplaceable(instance) if instance.problem.has("exact") else []


def _solved(case: Case) -> Case:
    """Return the case with its optimum, by brute force; as it is for a problem without that."""
    if not case.instance.problem.has("exact"):
        return case
    optimum, _ = exact_parts(case.relaxed).brute_force(case.relaxed)
    return replace(case, least=optimum, most=optimum)


def _case(source: str, instance: Instance, method: Method) -> Case:
    held_against = relaxed(instance, method)
    least = best_bound(held_against).value if instance.problem.has("bounds") else None
    return Case(source, instance.name or instance.digest[:12], instance, held_against, least)


def shrink(instance: Instance, still_wrong: Callable[[Instance], bool]) -> Instance:
    """Take away a cluster or a job at a time as long as `still_wrong` says so of what is left.

    At the end nothing more can be taken away by itself, unless `ATTEMPTS` ran out.
    """
    parts = _smaller(instance)
    for _ in range(ATTEMPTS):
        smaller = next(parts, None)
        if smaller is None:
            break
        if still_wrong(smaller):
            instance, parts = smaller, _smaller(smaller)
    return instance


def _smaller(instance: Instance) -> Iterator[Instance]:
    """Yield what is left without one cluster, or without one job, where that is an instance with a schedule."""
    for part in kit_parts(instance.problem).smaller(instance):
        try:
            smaller = part()
        except InputError:  # no job is left, or one wider than all that is left
            continue
        if not unplaceable(smaller):
            yield smaller


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
