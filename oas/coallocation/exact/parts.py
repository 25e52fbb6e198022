"""The parts of co-allocation that the exact pipeline uses."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.coallocation.allocations import jobs_without_allocation, runs_from_schedule, schedule_from_runs
from oas.coallocation.exact.saturated.search import SaturatedExactSearch
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.running import schedule_from_starts, starts_from_schedule
from oas.core.numbers import ceil_to
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


def latest_end(instance: CoallocationInstance) -> Fraction:
    """Return the sum of all running times on the slowest nodes, with the slowdown of full links if there is one.

    While a job waits that could start earlier at the end of another, some job runs; so no idle time is between them.
    """
    scaled = instance.scaled()
    degrees = (
        Fraction(most, width) for most, width in zip(scaled.link_capacity, scaled.link_bandwidth, strict=True) if width
    )
    slowdown = max([Fraction(1), *degrees])  # the greatest SC: a link at its maximum load
    times = (job.base_time * (job.sigma / scaled.powers[-1] + (1 - job.sigma) * slowdown) for job in instance.jobs)
    return sum((ceil_to(time, instance.slot) for time in times), Fraction(0))


FORBIDDEN = ExactParts(
    unplaceable,
    runs_from_schedule,
    schedule_from_runs,
    brute_force,
    CoallocationExactSearch,
    worker=("oas.coallocation.bounds.configurations.generation", "oas.solvers.lp", "highspy"),
    latest_end=latest_end,
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
    worker=("oas.coallocation.bounds.saturated.generation", "oas.solvers.lp", "highspy"),
    latest_end=latest_end,
    variants=(SLOWDOWN, MAX_MIN),
)
PARTS = (FORBIDDEN, SLOWED)
