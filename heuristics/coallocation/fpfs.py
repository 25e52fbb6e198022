"""FPFS: fit processors first served: the first in the queue that fits starts, overtaking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import list_schedule
from heuristics.method import Method

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def schedule(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by FPFS (OAS paper, section 4.2); deterministic, `seed` is not used."""
    queue = range(len(instance.jobs))
    return list_schedule(instance, queue, overtaking=True, method="FPFS")


METHOD = Method("FPFS", schedule, "fit processors first served: whatever in the queue fits starts, overtaking", rank=40)
