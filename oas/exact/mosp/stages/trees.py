"""Searches over starts, on one cluster: trees of starts, and windows of starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.start_tree import start_tree_bound
from oas.bounds.mosp.windows import windows_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

FEW_JOBS, FEW_TREE = 25, 0.35  # up to which there is one tree, and its share of the time left
FIRST_TREE, LAST_TREE, TREE_JOBS = 0.2, 0.5, 60  # shares of two trees, and the number of jobs up to which there are two
WINDOWS_JOBS = 25  # with more, the search by windows closed no instance within a minute
WINDOWS_SHARE = 0.85  # of the time left: the stages after it have closed no instance that it left open


def first_tree(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by a tree of starts, before more local search."""
    if search.scaled.cluster_count == 1:
        _grow(search, memory, FEW_TREE if search.scaled.job_count <= FEW_JOBS else FIRST_TREE)


def windows(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by windows, and start again each time that it finds a shorter schedule instead."""
    if search.scaled.cluster_count == 1 and search.scaled.job_count <= WINDOWS_JOBS:
        search.settle_while_better("windows", windows_bound, WINDOWS_SHARE, memory, heights=search.heights)


def last_tree(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by a tree of starts, after more local search."""
    if search.scaled.cluster_count == 1 and FEW_JOBS < search.scaled.job_count <= TREE_JOBS:
        _grow(search, memory, LAST_TREE)


def _grow(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by trees of starts, and start again each time that one finds a shorter schedule instead."""
    search.settle_while_better("start tree", start_tree_bound, share, memory, heights=search.heights)
