"""Figures of schedules of organizations: the papers' ratio, and whether locality is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.simple import PAPER_BOUND

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def figures(instance: MospInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the ratio to the papers' lower bound, and whether no organization ends later than it may."""
    return {"ratio": schedule.makespan / PAPER_BOUND.compute(instance), "keeps_locality": keeps_promises}
