"""The bound by a tree over pairs of items, for instances that are bin packing: together in a bin, or apart.

A tree of one node is Gilmore and Gomory's bound; the branches close what has no integer round-up property.
"""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.pair_tree.bound import NAME, pair_tree_bound
from oas.bounds.mosp.pair_tree.certificate import value

__all__ = ["BOUND", "pair_tree_bound"]

BOUND = CertifiedBound(NAME, value)
