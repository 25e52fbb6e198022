"""The longest-job bound: no schedule is shorter than a job's shortest run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.coallocation.shortest_run import shortest_runs
from oas.bounds.lower_bound import LowerBound
from oas.problems.coallocation.problem import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance


def longest_job(instance: CoallocationInstance) -> Fraction:
    """Return the greatest of the jobs' shortest runs."""
    return max(shortest_runs(instance))


BOUND = LowerBound("longest job", longest_job, variants=(FORBID, SLOWDOWN, MAX_MIN))
