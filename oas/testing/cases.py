"""The test kit's instances with bounds on their optima, and the evaluation of a heuristic's answers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.core.errors import InputError, OasError, TooLargeError
from oas.core.instances import check_instance
from oas.core.verifier import verify
from oas.solving.lower_bound import best_bound
from oas.solving.method import NotApplicableError, NotPlacedError, relaxed
from oas.solving.methods import toolkit_methods
from oas.solving.parts import exact_parts
from oas.testing.parts import kit_parts
from oas.testing.report import Finding, Kind, Outcome, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solving.method import Method
    from oas.testing.running import Observation, Runner


GALLERY, RANDOM, MEDIUM, OWN = "gallery", "random tiny", "random mid-size", "own"


@dataclass(frozen=True)
class Case:
    """An instance and bounds on its optimum."""

    source: str  # ``gallery``, ``random tiny``, ``random mid-size`` or ``own``
    name: str  # of the instance
    instance: Instance  # given to the heuristic
    relaxed: Instance  # given to the verifier: without locality if the method ignores it
    lower_bound: Fraction | None = (
        None  # proven lower bound; None if the problem has no bounds: makespans are not compared
    )
    best_known: Fraction | None = None  # makespan of the best known schedule, or the optimum stated in the gallery

    @property
    def solved(self) -> bool:
        """Whether the optimum is known."""
        return self.lower_bound is not None and self.lower_bound == self.best_known

    def with_schedules(self, makespans: Iterable[Fraction]) -> Case:
        """Return the case with the makespans of further schedules; unchanged if makespans are not compared.

        Raises `OasError` if a makespan is below the proven bound.
        """
        if self.lower_bound is None:
            return self
        known = [*makespans, *([] if self.best_known is None else [self.best_known])]
        if known and min(known) < self.lower_bound:
            raise OasError(
                f"{self.name}: a verified schedule ends before the bound {self.lower_bound}: please report it"
            )
        return replace(self, best_known=min(known, default=None))


def cases_of(
    method: Method, instances: Iterable[Instance], *, gallery: bool, tiny: int, medium: int, seed: int
) -> Iterator[Case]:
    """Yield the test instances of a method: gallery, `tiny` and `medium` random ones, and the user's `instances`.

    The gallery contains the published worst cases of the problem with their stated optima. Tiny instances have every
    feature of the problem and are solved by brute force, as are the user's instances if they are small enough.
    Mid-size ones are of the papers' set-ups and have bounds that require no search.
    Raises `InputError` for an instance of another problem or without a feasible schedule.
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
        if jobs := _unplaceable(instance):
            raise InputError(f"no allocation exists for: {', '.join(jobs)}", field=f"instances[{index}]")
        case = _case(OWN, instance, method)
        with suppress(TooLargeError):
            case = _solved(case)
        yield case


def _unplaceable(instance: Instance) -> list[str]:
    """Return the jobs that can never run; an empty list if the problem has no exact search."""
    return exact_parts(instance).unplaceable(instance) if instance.problem.has("exact") else []


def _solved(case: Case) -> Case:
    """Return the case with its optimum by brute force; unchanged if the problem has none."""
    if not case.instance.problem.has("exact"):
        return case
    optimum, _ = exact_parts(case.relaxed).brute_force(case.relaxed)
    return replace(case, lower_bound=optimum, best_known=optimum)


def _case(source: str, instance: Instance, method: Method) -> Case:
    verified = relaxed(instance, method)
    least = best_bound(verified).value if instance.problem.has("bounds") else None
    return Case(source, instance.name or instance.digest[:12], instance, verified, least)


@dataclass(frozen=True)
class Judge:
    """Runs a method and evaluates its answers."""

    method: Method
    seed: int
    first: Runner  # two runners in different environments, whose schedules must be equal
    second: Runner

    def outcome(self, case: Case) -> Outcome:
        answer = self.first(case.instance, self.seed)
        finding = self._finding(case.relaxed, answer)
        outcome = Outcome(case, refusal=answer.refusal, finding=finding, seconds=answer.seconds)
        if finding is not None:
            return outcome
        second = self.second(case.instance, self.seed)
        if (second.schedule, bool(second.refusal)) != (answer.schedule, bool(answer.refusal)):
            return replace(outcome, finding=Finding(Kind.UNSTEADY, f"{_summary(answer)}, then {_summary(second)}"))
        if answer.schedule is None:
            return outcome
        finding = self._checked(case.instance, answer.schedule)
        if finding is not None:
            return replace(outcome, finding=finding)
        case = case.with_schedules([answer.schedule.makespan])
        return self._compared_with_guarantee(replace(outcome, case=case, schedule=answer.schedule))

    def finding_on(self, instance: Instance) -> Finding | None:
        """Return the finding of one call on `instance` and of the problem's checks; None if there is none."""
        answer = self.first(instance, self.seed)
        finding = self._finding(relaxed(instance, self.method), answer)
        return self._checked(instance, answer.schedule) if finding is None and answer.schedule is not None else finding

    def _checked(self, instance: Instance, schedule: Schedule) -> Finding | None:
        checks = kit_parts(instance.problem).checks
        findings = (check(self.method, self.first, instance, schedule, self.seed) for check in checks)
        return next(filter(None, findings), None)

    def _finding(self, instance: Instance, answer: Observation) -> Finding | None:
        if answer.schedule is None:
            return answer.finding
        violations = tuple(verify(instance, answer.schedule))
        if not violations:
            return None
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        return Finding(Kind.RULE, f"{violations[0]}{more}", violations[0].rule, violations)

    def _compared_with_guarantee(self, outcome: Outcome) -> Outcome:
        if self.method.guarantee is None:
            return outcome
        try:
            guarantee = self.method.guarantee(outcome.instance)
        except Exception as error:  # the guarantee is the user's code too
            message = f"in its guarantee: {type(error).__name__}: {error}"
            return replace(outcome, schedule=None, finding=Finding(Kind.EXCEPTION, message, "guarantee"))
        outcome = replace(outcome, guarantee=guarantee)
        # `ratio` is relative to the best known schedule: the ratio to the optimum is at least as large.
        if guarantee is None or outcome.ratio is None or outcome.ratio <= guarantee.value:
            return outcome
        message = f"ratio {outcome.ratio}, promised {guarantee.value} ({guarantee.hypothesis})"
        return replace(outcome, finding=Finding(Kind.GUARANTEE, message))


def _summary(answer: Observation) -> str:
    if answer.schedule is not None:
        return f"a schedule that ends at {answer.schedule.makespan}"
    return f"a refusal ({answer.refusal})" if answer.refusal else str(answer.finding)


def known_makespans(case: Case, seed: int) -> dict[str, Fraction]:
    """Return the makespans of the toolkit's methods that schedule `case` feasibly; none if they are not compared."""
    makespans: dict[str, Fraction] = {}
    if case.lower_bound is None:
        return makespans
    for method in toolkit_methods(case.instance.problem, case.instance.variant):
        try:
            schedule = method(case.instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
        if not verify(case.relaxed, schedule):
            makespans[method.name] = schedule.makespan
    return makespans


def standings(
    method: Method, outcomes: Sequence[Outcome], baselines: Sequence[Mapping[str, Fraction]]
) -> tuple[Standing, ...]:
    """Return the standing of `method`, then those of comparable methods of the toolkit, best first.

    `baselines` are the makespans of the toolkit's methods for each outcome.
    """
    tested = Standing.of(
        method.name, [(outcome.case, outcome.schedule.makespan) for outcome in outcomes if outcome.schedule]
    )
    pairs = [(outcome.case, known) for outcome, known in zip(outcomes, baselines, strict=True) if outcome.schedule]
    rivals = [
        Standing.of(rival.name, [(case, known[rival.name]) for case, known in pairs if rival.name in known])
        for rival in toolkit_methods(method.problem)
        if rival.name != method.name and rival.respects_locality == method.respects_locality
    ]
    # A method may refuse the hard instances, so that means are comparable at equal counts only.
    rivals.sort(key=lambda standing: (-standing.scheduled, standing.mean))
    return (tested, *(standing for standing in rivals if standing.scheduled))
