"""Trees over starts, on one cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.start_tree import start_tree_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

FEW_JOBS, FEW_TREE = 25, 0.35  # up to which there is one tree, before more search, and its part of the time left
FIRST_TREE, LAST_TREE, TREE_JOBS = 0.2, 0.5, 60  # of trees before and after, up to so many jobs


def first_tree(search: MospExactSearch, memory: int | None) -> None:
    """Try a tree before more local search."""
    if search.scaled.cluster_count == 1:
        _grow(search, memory, FEW_TREE if search.scaled.job_count <= FEW_JOBS else FIRST_TREE)


def last_tree(search: MospExactSearch, memory: int | None) -> None:
    """Try a tree after it."""
    if search.scaled.cluster_count == 1 and FEW_JOBS < search.scaled.job_count <= TREE_JOBS:
        _grow(search, memory, LAST_TREE)


def _grow(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by trees over starts, as long as these find shorter schedules instead."""
    search.settle_while_better("start tree", start_tree_bound, share, memory, heights=search.heights)
