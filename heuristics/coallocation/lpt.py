"""LPT: long processing time: greatest base time first; the queue blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.coallocation.list_engine import list_schedule
from heuristics.method import Method

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance


def schedule(instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by LPT (OAS paper, section 4.2; ties by index); deterministic, `seed` is not used."""
    queue = sorted(range(len(instance.jobs)), key=lambda job: -instance.jobs[job].base_time)
    return list_schedule(instance, queue, overtaking=False, method="LPT")


METHOD = Method("LPT", schedule, "long processing time: greatest base time first; the queue blocks", rank=60)
