"""The parts of co-allocation that the exact pipeline uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.loops import loops_for
from oas.exact.coallocation.search import CoallocationExactSearch
from oas.exact.parts import ExactParts
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.runs import runs_from_schedule, schedule_from_runs

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


def unplaceable(instance: CoallocationInstance) -> list[str]:
    """Return the ids of the jobs without an allocation."""
    return [instance.jobs[job].id for job in jobs_without_allocation(instance.scaled())]


FORBIDDEN = ExactParts(
    unplaceable, runs_from_schedule, schedule_from_runs, brute_force, CoallocationExactSearch, loops_for
)
PARTS = (FORBIDDEN,)
