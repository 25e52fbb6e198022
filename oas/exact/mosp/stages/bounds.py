"""Bounds with certificates, each stronger and slower than the one before, by columns or makespan by makespan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets import cluster_sets_bound
from oas.bounds.mosp.configurations.bound import configuration_bound
from oas.bounds.mosp.two_dimensional import two_dimensional_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

BOUND_SHARE = 0.2  # of the time left, for each
TWO_DIMENSIONAL_JOBS = 200  # up to which the two-dimensional bound has been seen to gain anything
CLUSTER_SETS_JOBS = 120  # up to which cluster sets are tried, where there are
JOBS_A_CLUSTER = 9  # or fewer; with 10 they have closed nothing in a minute


def configurations(search: MospExactSearch, memory: int | None) -> None:
    """Find the configuration bound; its weights are kept for what follows."""
    if not search.step():
        return
    assert search.evidence.makespan is not None
    with search.timed("configurations"):
        found = configuration_bound(
            search.instance, search.evidence.makespan, seconds=search.share(BOUND_SHARE), memory=memory
        )
    search.raise_bound(found.bound)
    search.heights = found.weights
    search.raise_if_interrupted(found.termination)


def two_dimensional(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by height and time in turns."""
    if search.scaled.job_count <= TWO_DIMENSIONAL_JOBS:
        search.settle("two-dimensional", two_dimensional_bound, BOUND_SHARE, memory, heights=search.heights)


def cluster_sets(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by the sets of jobs that a cluster can run, where few jobs share one."""
    jobs = search.scaled.job_count
    if jobs <= CLUSTER_SETS_JOBS and jobs <= JOBS_A_CLUSTER * search.scaled.cluster_count:
        search.settle("cluster sets", cluster_sets_bound, BOUND_SHARE, memory)
