"""The bound by a tree over pairs of jobs whose leaves are refuted by cluster sets: together on a cluster, or apart.

It decides makespans where some five jobs share a cluster and the weights of cluster sets just fall short; where it
finds sets that share out all jobs it has a schedule.
"""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.set_tree.bound import NAME, set_tree_bound
from oas.bounds.mosp.set_tree.certificate import value

__all__ = ["BOUND", "set_tree_bound"]

BOUND = CertifiedBound(NAME, value)
