"""The parts of co-allocation that the exact pipeline uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.coallocation.allocations import jobs_without_allocation, runs_from_schedule, schedule_from_runs
from oas.coallocation.exact.saturated.search import SaturatedExactSearch
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.running import schedule_from_starts, starts_from_schedule
from oas.coallocation.search.annealing import AnnealingSearch
from oas.core.registry import MAX_MIN, SLOWDOWN
from oas.solving.brute_force import brute_force
from oas.solving.parts import ExactParts

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.running import StartedRun
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.core.schedule import Schedule


def unplaceable(instance: CoallocationInstance) -> list[str]:
    """Return the ids of the jobs without an allocation."""
    return [instance.jobs[job].id for job in jobs_without_allocation(instance.scaled())]


FORBIDDEN = ExactParts(
    unplaceable,
    runs_from_schedule,
    schedule_from_runs,
    brute_force,
    CoallocationExactSearch,
    AnnealingSearch,
    worker=("oas.coallocation.bounds.configurations.generation", "oas.lp.program", "highspy"),
)


def _to_starts(instance: CoallocationInstance, _: ScaledCoallocation, schedule: Schedule) -> list[StartedRun]:
    return starts_from_schedule(instance, schedule)


def _from_starts(instance: CoallocationInstance, _: ScaledCoallocation, runs: list[StartedRun]) -> Schedule:
    return schedule_from_starts(instance, runs)


SLOWED = ExactParts(
    unplaceable,
    _to_starts,
    _from_starts,
    brute_force,
    SaturatedExactSearch,
    worker=("oas.coallocation.bounds.saturated.generation", "oas.lp.program", "highspy"),
    variants=(SLOWDOWN, MAX_MIN),
)
PARTS = (FORBIDDEN, SLOWED)
