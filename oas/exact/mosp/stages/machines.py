"""Jobs of one processor each, without releases and reservations: identical machines that share their jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.pair_tree.bins import OneProcessorEach, bins_of
from oas.exact.mosp.stages.machines_balancing import Balancing

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

SHARE = 0.1  # of the time left at most
STEPS, SLICE = 6_000, 50  # in all, and between two looks at the clock


def machines(search: MospExactSearch, memory: int | None) -> None:
    """Share the jobs of two machines at a time. Deadlines are looked at by the verifier alone."""
    found = bins_of(search.scaled)
    if not isinstance(found, OneProcessorEach) or not search.step():
        return
    seconds = search.share(SHARE)
    least = None if seconds is None else (search.time_left() or 0.0) - seconds
    balancing = Balancing(found.sizes, sum(search.scaled.processors), search.seed)
    with search.timed("machines"):
        for _ in range(STEPS // SLICE):
            if balancing.improve(-(-search.lower // found.unit), SLICE):
                break
            if least is not None and (search.time_left() or 0.0) < least:
                break
    if balancing.makespan * found.unit < search.upper:
        packed = [(0, jobs) for jobs in balancing.jobs]
        search.accept(found.runs(balancing.makespan, packed), "balanced machines")
