"""The bound by partitions: jobs shared out among clusters, by a complete search.

It decides a makespan where a cluster runs some five jobs, often where it runs eight or so; beyond that there are too
many sets. Where it finds a partition it has a schedule. Clusters of different sizes take longer: they cannot stand for
one another.

Reservations are left out: a schedule found need not keep them.
"""

from oas.bounds.mosp.searched import SearchedBound

__all__ = ["BOUND", "partition_bound"]

BOUND = SearchedBound("partitions", search="oas.bounds.mosp.partitions.generation:find_partition")
partition_bound = BOUND
