"""The bound by a tree over pairs of jobs whose leaves are refuted by cluster sets: together on a cluster, or apart.

It decides makespans where some five jobs share a cluster and the weights of cluster sets just fall short; where it
finds sets that share out all jobs it has a schedule.

For clusters of one size. Reservations are left out, and where jobs have releases locality is too: a schedule found need
not keep them.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "set_tree_bound"]

BOUND = SearchedBound("set tree", search="oas.bounds.mosp.set_tree.search:find_tree")
set_tree_bound = BOUND
