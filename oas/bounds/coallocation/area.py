"""The area bound: node time that the jobs need at least, spread over all nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.coallocation.shortest_run import shortest_runs
from oas.bounds.lower_bound import LowerBound
from oas.core.rational import ceil_to

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.coallocation import CoallocationInstance


def area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest run) / nodes, rounded up to the slot grid (η = 0: not rounded)."""
    runs = shortest_runs(instance)
    held = sum(job.tasks * run for job, run in zip(instance.jobs, runs, strict=True))
    bound = held / instance.node_count
    return ceil_to(bound, instance.slot) if instance.slot else bound


BOUND = LowerBound("area", area)
