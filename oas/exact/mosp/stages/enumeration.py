"""Complete enumeration of tiny instances, whatever their unit of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import SolverError, TooLargeError
from oas.exact.mosp.brute_force import MAX_JOBS, brute_force

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

MOST_PLACEMENTS = 500_000  # seconds; 7 jobs on up to 20 clusters have taken a third of them


def enumeration(search: MospExactSearch, memory: int | None) -> None:
    """Enumerate the schedules of a tiny instance; the proof is withheld, since certificates are preferred to it."""
    del memory
    if search.scaled.job_count > MAX_JOBS or not search.step():
        return
    try:
        with search.timed("brute force"):
            optimum, schedule = brute_force(search.instance, MOST_PLACEMENTS)
    except TooLargeError:
        return
    violation = search.evidence.offer(schedule, "brute force")
    if violation or optimum != search.evidence.makespan:
        reason = violation or f"it misses a schedule of makespan {search.evidence.makespan}"
        raise SolverError(f"brute force is wrong: {reason}")
    search.withhold_enumeration()
