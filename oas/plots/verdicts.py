"""Short texts for figures: the verdict of the verifier on a schedule, and its distance from a lower bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.verifier import verify

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def verdict(instance: Instance, schedule: Schedule, bound: Fraction | None, field: str) -> str:
    """Return the words: not feasible, optimal, or the distance from `bound`; empty where there is nothing to say.

    Raises
    ------
    InputError
        If a feasible schedule ends before the bound; `field` names it.
    """
    broken = {violation.rule for violation in verify(instance, schedule)}
    if broken:
        return "  (breaks locality)" if broken == {"locality"} else "  (not feasible)"
    if bound is None:
        return ""
    if schedule.makespan < bound:
        reason = f"its makespan {schedule.makespan} is below the lower bound {bound}"
        raise InputError(reason, field=field)
    if schedule.makespan == bound:
        return "  (optimal)"
    if bound <= 0:
        return ""
    percent = float(schedule.makespan / bound - 1) * 100
    return f"  (+{percent:,.1f} %)" if percent >= 0.05 else "  (+ less than 0.05 %)"
