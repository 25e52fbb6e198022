"""The bound "configurations": jobs preempted and moved at will, but packed exactly at each moment.

The certificate is ``{"weights": [w, …]}``, a weight for each job.

*Theorem.* Let jobs that fit on c processors together weigh at most W(c). Without releases and reservations, no schedule
is shorter than Σ p·w / Σ_k W(m_k), m_k the processors of cluster k; in general none is shorter than the bound that
volumes give by these weights and W (`mosp_simple`).

*Proof.* That of `mosp_simple`: what runs at a moment weighs at most Σ_k W(free processors of cluster k). W is found
exactly, as a knapsack: of all sums of jobs those are kept that no other sum beats, being no larger and at least as
heavy. The best weights are dual to Gilmore and Gomory's program, with time in place of the number of bins.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_simple import MospVolumes
from oas.checker.mosp_weights import MAX_SUM_STEPS, heaviest_side_by_side, read_job_weights
from oas.checker.reading import fields_of


def check_mosp_configurations(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if no job weighs anything."""
    document = fields_of(certificate, "certificate", "weights")
    ticks = instance.scaled()
    weights = read_job_weights(document["weights"], ticks.job_count, "certificate.weights")
    most = heaviest_side_by_side(weights, ticks.widths, max(ticks.processors), Effort(MAX_SUM_STEPS))
    volumes = MospVolumes(ticks)
    work = dict.fromkeys(ticks.releases, 0)
    for weight, time, release in zip(weights, ticks.times, ticks.releases, strict=True):
        work[release] += weight * time
    return volumes.bound(work, {level: most.within(level) for level in volumes.levels}) * ticks.tick
