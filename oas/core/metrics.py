"""Figures of a schedule of any problem."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def compaction(instance: Instance, schedule: Schedule) -> Fraction:
    """Compaction degree: the share of nodes × makespan in which nodes are used, Σ τ·duration / (nodes·makespan)."""
    usage = sum((placement.tasks * placement.duration for placement in schedule.placements), Fraction(0))
    return usage / (instance.node_count * schedule.makespan) if schedule.makespan else Fraction(0)
