"""The instances of the test kit, each with what is proven of its optimum, and smaller ones made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heuristics.method import relaxed
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, OasError, TooLargeError
from oas.core.instances import check_instance
from oas.exact.parts import exact_parts
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

    from heuristics.method import Method
    from oas.core.instances import Instance

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


def gallery(method: Method) -> Iterator[Case]:
    """Yield the published worst cases of the problem, with the optima that they state as true."""
    for instance, stated in kit_parts(method.problem).gallery(method):
        yield _case(GALLERY, instance, method).with_schedules(stated)


def random_tiny(method: Method, count: int, seed: int) -> Iterator[Case]:
    """Yield tiny instances with every feature of the problem, solved by brute force where the problem has that."""
    make = kit_parts(method.problem).tiny
    for number in range(seed, seed + count):
        yield _solved(_case(RANDOM, make(number), method))


def random_medium(method: Method, count: int, seed: int) -> Iterator[Case]:
    """Yield instances of the papers' set-ups, too large for brute force, with bounds that take no search."""
    make = kit_parts(method.problem).medium
    for number in range(seed, seed + count):
        yield _case(MEDIUM, make(number), method)


def own(method: Method, instances: Iterable[Instance]) -> Iterator[Case]:
    """Yield a user's own instances, solved by brute force where that reaches.

    Raises `InputError` for an instance of another problem, or one without a schedule.
    """
    for index, instance in enumerate(instances):
        check_instance(instance)
        if instance.problem is not method.problem:
            reason = f"the heuristic schedules a {method.problem.instance_type.__name__}"
            raise InputError(reason, field=f"instances[{index}]", value=type(instance).__name__)
        if without := unplaceable(instance):
            raise InputError(f"no allocation exists for: {', '.join(without)}", field=f"instances[{index}]")
        case = _case(OWN, instance, method)
        try:
            yield _solved(case)
        except TooLargeError:
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
