"""BJF: big jobs first: most tasks first; the queue blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import list_schedule
from heuristics.method import Method

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def schedule(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by BJF (OAS paper, section 4.2; ties by index); deterministic, `seed` is not used."""
    queue = sorted(range(len(instance.jobs)), key=lambda job: -instance.jobs[job].tasks)
    return list_schedule(instance, queue, overtaking=False, method="BJF")


METHOD = Method("BJF", schedule, "big jobs first: most tasks first; the queue blocks", rank=30)
