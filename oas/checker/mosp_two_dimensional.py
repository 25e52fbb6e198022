"""The bound of two dimensions: jobs weighed in time and in processors at once.

The certificate is ``{"makespan": C, "times": [v, …], "heights": [y, …], "mirrored": false}``. On a cluster of m
processors let jobs that fit side by side weigh at most M by y, and jobs no wider than m that can run one after another
within their deadlines at most V by v. The jobs that it runs by C have Σ v·y ≤ V·M: their runs are intervals, an
interval graph is perfect, so M chains can be chosen such that each job is in y of them. If Σ v·y over all jobs is above
the sum of V·M over all clusters, no schedule ends by C.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_weights import (
    MAX_SUM_STEPS,
    heaviest_in_turn,
    heaviest_side_by_side,
    mosp_deadlines,
    read_job_weights,
    read_makespan,
    read_mirrored,
)
from oas.checker.reading import fields_of


def check_mosp_two_dimensional(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "times", "heights", "mirrored")
    makespan, mirrored = read_makespan(document["makespan"]), read_mirrored(document["mirrored"])
    ticks = instance.scaled()
    times = read_job_weights(document["times"], ticks.job_count, "certificate.times")
    heights = read_job_weights(document["heights"], ticks.job_count, "certificate.heights")
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
    effort = Effort(MAX_SUM_STEPS)
    highest = heaviest_side_by_side(heights, ticks.widths, max(ticks.processors), effort)
    room = 0
    for size, count in ticks.cluster_sizes:
        fitting = [v if width <= size else 0 for v, width in zip(times, ticks.widths, strict=True)]
        room += count * heaviest_in_turn(fitting, ticks.times, deadlines, effort) * highest.within(size)
    refuted = sum(v * y for v, y in zip(times, heights, strict=True)) > room
    return ticks.to_time(makespan + 1) if refuted else Fraction(0)
