"""Sharing the jobs out among clusters by a complete search: for few jobs a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.partitions import partition_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch
    from oas.problems.mosp.ticks import ScaledMosp

MOST_JOBS = 120  # that the loops can name
JOBS_A_CLUSTER = 12  # or fewer
UNEQUAL_JOBS = 6  # or fewer where clusters differ in size; nothing with more has been tried
FEW_JOBS = 25  # up to which all of it comes before CP-SAT is asked
FEW_SHARE, SHARE, UNEQUAL_SHARE = 0.5, 0.3, 0.1  # of the time left


def shares_out(scaled: ScaledMosp) -> bool:
    """Whether the search can do anything: several clusters, few jobs for each, no reservations."""
    most = UNEQUAL_JOBS if _differ(scaled) else JOBS_A_CLUSTER
    few = scaled.job_count <= min(MOST_JOBS, most * scaled.cluster_count)
    return few and scaled.cluster_count > 1 and not scaled.reservations


def _differ(scaled: ScaledMosp) -> bool:
    return len(set(scaled.processors)) > 1


def first_partitions(search: MospExactSearch, memory: int | None) -> None:
    """Share few jobs out before CP-SAT is asked: the answer has a certificate."""
    if search.scaled.job_count <= FEW_JOBS:
        _share_out(search, memory, FEW_SHARE)


def partitions(search: MospExactSearch, memory: int | None) -> None:
    """Share more jobs out."""
    if search.scaled.job_count > FEW_JOBS:
        _share_out(search, memory, UNEQUAL_SHARE if _differ(search.scaled) else SHARE)


def _share_out(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by sharing the jobs out, as long as that finds shorter schedules instead."""
    if shares_out(search.scaled):
        search.settle_while_better("partitions", partition_bound, share, memory)
