"""The MOSP bounds "configurations" and "two-dimensional": weights of jobs, and their maxima on the clusters.

*Configurations.* The certificate is ``{"weights": [w, …]}``, a weight for each job. It is a relaxation in which jobs
can be preempted and moved, but are packed exactly at each moment.

*Theorem.* Let W(c) be the maximum weight of jobs that fit on c processors together. Without releases and reservations,
the makespan is at least Σ p·w / Σ_k W(m_k) with the processors m_k of cluster k; in general it is at least the bound of
volumes by these weights and W (`mosp_simple`).

*Proof.* As in `mosp_simple`: the jobs that run at a moment weigh at most Σ_k W(free processors of cluster k). W is
computed exactly, as a knapsack. The best weights are dual to Gilmore and Gomory's linear program, with time instead of
the number of bins.

*Two-dimensional.* The certificate is ``{"makespan": C, "times": [v, …], "heights": [y, …], "mirrored": false}``, C in
ticks, with v and y of each job.

*Theorem.* On a cluster of m processors, let M be the maximum of Σ y over jobs that fit side by side, and V the maximum
of Σ v over jobs no wider than m that can run one after another within their deadlines. If Σ v·y over all jobs exceeds
the sum of V·M over all clusters, no schedule ends by C. (If a job cannot meet its deadline, no schedule ends by C in
any case, so V and M need not account for it.)

*Proof.* The runs of a cluster's jobs are intervals, and interval graphs are perfect: so there are M chains of jobs that
run one after another such that each job is in y of them. Σ v over each chain is at most V. So Σ v·y ≤ V·M for the jobs
of a cluster. M and V are computed exactly, as knapsacks; long times are rounded such that V does not decrease.
Deadlines result from C and locality; mirrored, time is reversed from C, and they result from the releases. Reservations
are ignored. The weights are dual feasible scales (Fekete and Schepers 2004, *A General Framework for Bounds for
Higher-Dimensional Orthogonal Packing Problems*).
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_simple import MospVolumes
from oas.checker.mosp_weights import (
    MAX_SUM_STEPS,
    MOSP_MAX_WEIGHT,
    heaviest_in_turn,
    heaviest_side_by_side,
    mosp_deadlines,
    read_makespan,
)
from oas.checker.reading import fields_of, flag_of, integers_of


def check_mosp_configurations(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if all weights are 0."""
    document = fields_of(certificate, "certificate", "weights")
    ticks = instance.ticks
    weights = integers_of(document["weights"], "certificate.weights", ticks.job_count, MOSP_MAX_WEIGHT)
    most = heaviest_side_by_side(weights, ticks.widths, max(ticks.processors), Effort(MAX_SUM_STEPS))
    volumes = MospVolumes(ticks)
    work = dict.fromkeys(ticks.releases, 0)
    for weight, time, release in zip(weights, ticks.times, ticks.releases, strict=True):
        work[release] += weight * time
    return volumes.bound(work, {level: most.within(level) for level in volumes.levels}) * ticks.tick


def check_mosp_two_dimensional(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "times", "heights", "mirrored")
    makespan, mirrored = read_makespan(document["makespan"]), flag_of(document["mirrored"], "certificate.mirrored")
    ticks = instance.ticks
    times = integers_of(document["times"], "certificate.times", ticks.job_count, MOSP_MAX_WEIGHT)
    heights = integers_of(document["heights"], "certificate.heights", ticks.job_count, MOSP_MAX_WEIGHT)
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
    effort = Effort(MAX_SUM_STEPS)
    highest = heaviest_side_by_side(heights, ticks.widths, max(ticks.processors), effort)
    room = 0
    for size, count in ticks.cluster_sizes:
        fitting = [v if width <= size else 0 for v, width in zip(times, ticks.widths, strict=True)]
        room += count * heaviest_in_turn(fitting, ticks.times, deadlines, effort) * highest.within(size)
    refuted = sum(v * y for v, y in zip(times, heights, strict=True)) > room
    return ticks.to_time(makespan + 1) if refuted else Fraction(0)
