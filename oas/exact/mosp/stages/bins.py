"""Instances that are bin packing: equal times, or one processor each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.bounds.mosp.pair_tree import pair_tree_bound
from oas.bounds.mosp.pair_tree.bins import bins_of

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

SHARE = 0.8  # of the time left: nothing else comes near on these instances


def bins(search: MospExactSearch, memory: int | None) -> None:
    """Pack the jobs by columns and dives, or refute makespans by a tree over pairs of jobs.

    What the instance is, is noted.
    """
    found = bins_of(search.scaled)
    if found is None:
        return
    search.notes.append(found.title)
    search.settle("bins", pair_tree_bound, SHARE, memory, source="columns")
