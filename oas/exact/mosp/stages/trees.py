"""Trees over starts, on one cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.start_tree import start_tree_bound

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

FIRST_TREE, LAST_TREE = 0.2, 0.5  # of the time left, for trees over starts before and after more search
FEW_JOBS, TREE_JOBS = 25, 60  # up to which all of it comes before; up to which any comes after


def first_tree(search: MospExactSearch, memory: int | None) -> None:
    """Try a tree before more local search."""
    if search.scaled.cluster_count == 1:
        _grow(search, memory, LAST_TREE if search.scaled.job_count <= FEW_JOBS else FIRST_TREE)


def last_tree(search: MospExactSearch, memory: int | None) -> None:
    """Try a tree after it."""
    if search.scaled.cluster_count == 1 and FEW_JOBS < search.scaled.job_count <= TREE_JOBS:
        _grow(search, memory, LAST_TREE)


def _grow(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by trees over starts, as long as these find shorter schedules instead."""
    better = True
    while better and search.step():
        assert search.evidence.lower_bound is not None
        assert search.evidence.makespan is not None
        with search.timed("start tree"):
            found = start_tree_bound(
                search.instance,
                search.evidence.lower_bound,
                search.evidence.makespan,
                heights=search.heights,
                seconds=search.share(share),
                memory=memory,
            )
        before = search.upper
        better = found.runs is not None and search.accept(found.runs, "start tree") and search.upper < before
        search.keep(found)
