"""FCFS: first come, first served; the queue blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import list_schedule
from heuristics.method import Method

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def schedule(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by FCFS (OAS paper, section 4.2); deterministic, `seed` is not used."""
    queue = range(len(instance.jobs))
    return list_schedule(instance, queue, overtaking=False, method="FCFS")


METHOD = Method("FCFS", schedule, "first come, first served; the queue blocks", rank=10)
