"""The bound by cluster sets: which jobs a cluster can run by a makespan, and how few such sets cover all jobs."""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.cluster_sets.bound import NAME, cluster_sets_bound
from oas.bounds.mosp.cluster_sets.certificate import value

__all__ = ["BOUND", "cluster_sets_bound"]

BOUND = CertifiedBound(NAME, value)
