"""The bound by a tree over pairs of items, for instances that are bin packing: together in a bin, or apart.

A tree of one node is Gilmore and Gomory's bound; the branches close what has no integer round-up property.

For jobs of equal times, or of one processor each; see `oas.bounds.mosp.pair_tree.bins`.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "pair_tree_bound"]

BOUND = SearchedBound("pair tree", search="oas.bounds.mosp.pair_tree.search:find_packing")
pair_tree_bound = BOUND
