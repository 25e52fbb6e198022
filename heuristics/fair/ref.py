"""REF as a method: the fair schedule, for which every policy of fair sharing is an approximation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.fair.reference import REF, reference
from heuristics.method import Method
from oas.core.instances import check_problem
from oas.problems.registry import FAIR

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance


def _scheduled(instance: FairInstance, *, seed: int = 0) -> Schedule:
    """Schedule `instance` by REF, which is deterministic."""
    check_problem(instance, FAIR, "REF is a method of fair sharing: it schedules a FairInstance")
    return reference(instance.scaled()).schedule(instance)


METHOD = Method(
    REF, _scheduled, "the fair schedule, by contribution in all coalitions (Algorithm 1)", 0, FAIR, clairvoyant=True
)
