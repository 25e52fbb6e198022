"""The instances of the test kit, each with what is proven of its optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heuristics.relaxation import judged
from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError, OasError, TooLargeError
from oas.exact.problems import problem_of
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.generate.mosp.tiny import random_mosp
from oas.generate.mosp.uni import uni
from oas.generate.mosp.worst_cases.gallery import Quantity, worst_cases
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from heuristics.method import Method
    from oas.core.instances import Instance

GALLERY, RANDOM, MEDIUM, OWN = "gallery", "random tiny", "random mid-size", "own"
PROBLEM_TYPES: dict[str, type] = {"coallocation": CoallocationInstance, "mosp": MospInstance}


@dataclass(frozen=True)
class Case:
    """An instance and the interval that its optimum lies in.

    Attributes
    ----------
    source
        ``gallery``, ``random tiny``, ``random mid-size`` or ``own``.
    name
        Of the instance.
    instance
        As the heuristic gets it.
    judged
        As the verifier gets it: without locality for a method that never promised it.
    least
        No schedule is shorter.
    most
        Makespan of the shortest schedule known, or the optimum that the gallery states; None before any is known.
    """

    source: str
    name: str
    instance: Instance
    judged: Instance
    least: Fraction
    most: Fraction | None = None

    @property
    def solved(self) -> bool:
        """Whether the optimum is known."""
        return self.least == self.most

    def with_schedules(self, makespans: Iterable[Fraction]) -> Case:
        """Return the case with more schedules known.

        Raises
        ------
        OasError
            If one of them is shorter than what is proven to be the least.
        """
        known = [*makespans, *([] if self.most is None else [self.most])]
        if known and min(known) < self.least:
            raise OasError(f"{self.name}: a verified schedule ends before the proven {self.least}: please report it")
        return replace(self, most=min(known, default=None))


def gallery(method: Method) -> Iterator[Case]:
    """Yield the papers' worst cases, which are all of organizations, with the optima that they state as true."""
    if method.problem is not MospInstance:
        return
    for case in worst_cases():
        instance = case.function()
        true = {claim.about: claim.true for claim in case.claims()}
        # Whoever minds no locality can do as well as who does.
        about = (Quantity.OPTIMUM,) if method.respects_locality else (Quantity.OPTIMUM, Quantity.FREE_OPTIMUM)
        stated = [true[one] for one in about if one in true]
        made = _case(GALLERY, instance, method)
        yield made.with_schedules(stated)


def random_tiny(method: Method, count: int, seed: int) -> Iterator[Case]:
    """Yield tiny instances with every feature of the problem, solved by brute force."""
    make = tiny if method.problem is CoallocationInstance else random_mosp
    for number in range(seed, seed + count):
        case = _case(RANDOM, make(seed=number), method)
        optimum, _ = problem_of(case.judged).brute_force(case.judged)
        yield replace(case, least=optimum, most=optimum)


def random_medium(method: Method, count: int, seed: int) -> Iterator[Case]:
    """Yield instances of the papers' set-ups, too large for brute force, with bounds that take no search."""
    for number in range(seed, seed + count):
        instance: Instance
        if method.problem is CoallocationInstance:
            instance = section4(
                seed=number, jobs=16, bandwidth="tight" if number % 2 else "std", slot_percent=25 * (number % 3)
            )
        else:
            instance = uni(seed=number, jobs=30, organizations=4, processors=16, pareto=2 if number % 2 else None)
        yield _case(MEDIUM, instance, method)


def own(method: Method, instances: Iterable[Instance]) -> Iterator[Case]:
    """Yield a user's own instances, solved by brute force where that reaches.

    Raises
    ------
    InputError
        For an instance of another problem, or one without a schedule.
    """
    for index, instance in enumerate(instances):
        if type(instance) is not method.problem:
            reason = f"the heuristic schedules a {method.problem.__name__}"
            raise InputError(reason, field=f"instances[{index}]", value=type(instance).__name__)
        if hopeless := problem_of(instance).hopeless(instance):
            raise InputError(f"no allocation exists for: {', '.join(hopeless)}", field=f"instances[{index}]")
        case = _case(OWN, instance, method)
        try:
            optimum, _ = problem_of(case.judged).brute_force(case.judged)
        except TooLargeError:
            yield case
        else:
            yield replace(case, least=optimum, most=optimum)


def _case(source: str, instance: Instance, method: Method) -> Case:
    held_against = judged(instance, method)
    return Case(source, instance.name or instance.digest[:12], instance, held_against, best_bound(held_against).value)
