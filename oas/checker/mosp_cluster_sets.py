"""The bound "cluster sets": the jobs of an instance weigh more than its clusters can run by a makespan.

The certificate is ``{"makespan": C, "weights": [w, …], "steps": s, "mirrored": false}``, C in ticks, w of each job.

*Theorem.* Let no set of jobs that cluster k can run by C, each before its deadline, weigh more than W_k. If all jobs
weigh more than Σ_k W_k, no schedule ends by C, and C + 1 is a lower bound.

*Proof.* A schedule that ends by C shares the jobs out among the clusters, and each runs its own ones by C. So the jobs
of cluster k weigh at most W_k, and all jobs at most the sum: a contradiction. W_k is found by a search through all
sets. It leaves out sets that do not fit into knapsacks or that a packing refutes (`mosp_possible_sets`), and sets that
hold such a set: a cluster that can run a set can run each part of it. A packing takes at most s steps; a set that is
not decided by then counts as one that can run, which makes W_k no smaller. Deadlines come from C and from locality.
Mirrored, a schedule is read backwards from C: then each job has to end by C less its release, and locality is left out.
Reservations are always left out: without them there are more schedules.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_branches import outweighs_all
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_possible_sets import MAX_PACKING_STEPS, JobsByArea, PossibleSets
from oas.checker.mosp_weights import MAX_SUM_STEPS, read_job_weights, read_makespan, read_mirrored
from oas.checker.reading import fields_of, integer_of

MAX_SET_STEPS = 1_000_000  # of all searches of a certificate
MAX_SET_WEIGHT = 2**50


def check_mosp_cluster_sets(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    makespan, mirrored = read_makespan(document["makespan"]), read_mirrored(document["mirrored"])
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.scaled()
    weights = read_job_weights(document["weights"], ticks.job_count, "certificate.weights", MAX_SET_WEIGHT)
    jobs = JobsByArea.of(ticks, makespan, mirrored=mirrored)
    own = [weights[job] for job in jobs.order]
    effort, sums = Effort(MAX_SET_STEPS), Effort(MAX_SUM_STEPS)

    def heaviest(size: int, floor: int) -> int:
        return PossibleSets(jobs, size, steps, sums, effort).heaviest(own, floor)

    refuted = outweighs_all(sum(own), ticks.cluster_sizes, heaviest)
    return ticks.to_time(makespan + 1) if refuted else Fraction(0)
