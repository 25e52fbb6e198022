"""Branching on pairs of jobs, together on a cluster or apart: for few jobs a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.set_tree import set_tree_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch
    from oas.problems.mosp.ticks import ScaledMosp

MOST_JOBS = 120  # that the loops can name
JOBS_A_CLUSTER = 7  # or fewer; with ten a pricing takes more than a second
SHARE = 0.3  # of the time left


def branches(scaled: ScaledMosp) -> bool:
    """Whether the tree can do anything: several clusters of one size, few jobs for each, no reservations."""
    few = scaled.job_count <= min(MOST_JOBS, JOBS_A_CLUSTER * scaled.cluster_count)
    return few and scaled.cluster_count > 1 and len(set(scaled.processors)) == 1 and not scaled.reservations


def set_tree(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by the tree, as long as that finds shorter schedules instead."""
    if branches(search.scaled):
        search.settle_while_better("set tree", set_tree_bound, SHARE, memory)
