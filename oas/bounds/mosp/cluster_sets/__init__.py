"""The bound by cluster sets: which jobs a cluster can run by a makespan, and how few such sets cover all jobs.

Strong where a cluster runs some ten jobs or fewer; where it runs many more, there are too many sets.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "cluster_sets_bound"]

BOUND = SearchedBound("cluster sets", search="oas.bounds.mosp.cluster_sets.generation:find_weights")
cluster_sets_bound = BOUND
