"""Figures of a schedule of MOSP in a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.simple import PAPER_BOUND

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def figures(instance: MospInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the ratio to the papers' lower bound, and whether the schedule keeps the locality."""
    return {"ratio": schedule.makespan / PAPER_BOUND.compute(instance), "keeps_locality": keeps_promises}
