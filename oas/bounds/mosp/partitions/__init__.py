"""The bound by partitions: jobs shared out among clusters, by a complete search.

It decides a makespan where a cluster runs some five jobs, often where it runs eight or so; beyond that there are too
many sets. Where it finds a partition it has a schedule. Clusters of different sizes take longer: they cannot stand for
one another.
"""

from oas.bounds.lower_bound import CertifiedBound
from oas.bounds.mosp.partitions.bound import NAME, partition_bound
from oas.bounds.mosp.partitions.certificate import value

__all__ = ["BOUND", "partition_bound"]

BOUND = CertifiedBound(NAME, value)
