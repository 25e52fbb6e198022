"""Schedules to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def heuristic_schedules(instance: Instance, seed: int = 0) -> Iterator[tuple[str, Schedule]]:
    """Yield what each heuristic makes of `instance`, with its name.

    Left out is what breaks locality by design, and a method that says it has nothing to offer here.
    """
    bound_to_stay = getattr(instance, "locality", None) is not None
    problem: type = type(instance)
    for method in own_methods(problem):
        if bound_to_stay and not method.respects_locality:
            continue
        try:
            yield method.name, method(instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
