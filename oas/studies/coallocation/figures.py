"""Figures of co-allocated schedules: the schedule executed without the slot grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.metrics import compaction
from oas.problems.coallocation.metrics import executed_if_short

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def figures(instance: CoallocationInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return makespan and compaction degree of the executed schedule; None where its times are too long."""
    run = executed_if_short(instance, schedule)
    return {
        "executed": None if run is None else run.makespan,
        "executed_compaction": None if run is None else compaction(instance, run),
    }
