"""The bound by a tree over starts, for one cluster: prices of processors over time close its branches.

A tree of one node is the bound by time prices alone, the dual of a start-indexed linear program; or an energetic
interval.
"""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.start_tree.bound import NAME, start_tree_bound
from oas.bounds.mosp.start_tree.certificate import value

__all__ = ["BOUND", "start_tree_bound"]

BOUND = CertifiedBound(NAME, value)
