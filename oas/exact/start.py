"""Schedules to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.core.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def heuristic_schedules(instance: Instance, seed: int = 0) -> Iterator[tuple[str, Schedule]]:
    """Yield what each heuristic makes of `instance`, with its name.

    Left out is a method that says it has nothing to offer here, and what breaks locality though its method never
    promised it. Where such a method happens to keep it, its schedule is often the shortest.
    """
    bound_to_stay = getattr(instance, "locality", None) is not None
    problem: type = type(instance)
    for method in own_methods(problem):
        try:
            schedule = method(instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
        if method.respects_locality or not bound_to_stay or not verify(instance, schedule):
            yield method.name, schedule
