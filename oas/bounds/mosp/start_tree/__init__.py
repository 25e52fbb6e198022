"""The bound by a tree over starts, for one cluster: prices of processors over time close its branches.

A tree of one node is the bound by time prices alone, the dual of a start-indexed linear program; or an energetic
interval.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "start_tree_bound"]

BOUND = SearchedBound("start tree", search="oas.bounds.mosp.start_tree.search:find_tree")
start_tree_bound = BOUND
