"""The area bound: node time that the jobs need at least, spread over all nodes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.coallocation.shortest_run import shortest_runs
from oas.bounds.lower_bound import LowerBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def area(instance: CoallocationInstance) -> Fraction:
    """Return Σ τ·(shortest run) / nodes."""
    runs = shortest_runs(instance)
    usage = sum((job.tasks * run for job, run in zip(instance.jobs, runs, strict=True)), Fraction(0))
    return usage / instance.node_count


BOUND = LowerBound("area", area, variants=(FORBID, SLOWDOWN, MAX_MIN))
