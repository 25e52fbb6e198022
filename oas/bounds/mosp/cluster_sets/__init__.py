"""The bound by cluster sets: which jobs a cluster can run by a makespan, and how few such sets cover all jobs.

Strong where a cluster runs some ten jobs or fewer; where it runs many more, there are too many sets. Partitions and the
set tree use its weights and prove at least as much, so no search states this bound; older results do.
"""

from oas.bounds.lower_bound import CertifiedBound

BOUND = CertifiedBound("cluster sets")
