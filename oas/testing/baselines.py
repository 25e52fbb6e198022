"""The toolkit's own heuristics beside the one under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.core.verifier import verify
from oas.testing.report import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from heuristics.method import Method
    from oas.testing.cases import Case
    from oas.testing.report import Outcome


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
