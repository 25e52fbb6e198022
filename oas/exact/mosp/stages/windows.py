"""The search by windows of starts, on one cluster with few jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.windows import windows_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

MOST_JOBS = 25  # with more it has closed nothing in a minute
SHARE = 0.85  # of the time left: the stages after it have not closed any instance that it left open


def windows(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by windows, as long as that finds shorter schedules instead."""
    if search.scaled.cluster_count == 1 and search.scaled.job_count <= MOST_JOBS:
        search.settle_while_better("windows", windows_bound, SHARE, memory, heights=search.heights)
