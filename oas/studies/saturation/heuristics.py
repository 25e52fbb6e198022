"""What the toolkit's heuristics make of an instance under its saturation policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.core.errors import InfeasibleError, LongTimesError
from oas.core.verifier import verify

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def made_by_heuristics(instance: CoallocationInstance, seed: int = 0) -> dict[str, Schedule | None]:
    """Return what each heuristic makes of `instance`, by name, verified.

    None stands for a method that has nothing to offer here, as where some job can never run or exact times are too
    long. Those that do not know the policy are left out.
    """
    found: dict[str, Schedule | None] = {}
    for method in own_methods(instance.problem, instance.variant):
        found[method.name] = None
        try:
            schedule = method(instance, seed=seed)
        except (InfeasibleError, LongTimesError, NotApplicableError, NotPlacedError):
            continue
        if not verify(instance, schedule):
            found[method.name] = schedule
    return found
