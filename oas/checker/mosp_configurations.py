"""The configuration bound: jobs preempted and moved at will, but packed exactly at each moment.

The certificate is ``{"weights": [w, …]}``, a weight for each job. Jobs that run at once on c processors weigh at most
W(c), a knapsack; so from any moment r on, the jobs released at r or later, Σ p·w of them, have to go into the integral
of Σ_k W(processors that reservations leave free on cluster k). With I the integral from 0 on, the bound is the first
moment at which I is the greatest of I(r) + Σ p·w over all r.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

from oas.checker.effort import Effort
from oas.checker.mosp_free import free_timelines
from oas.checker.mosp_instance import MospInstance, MospTicks
from oas.checker.mosp_weights import MAX_SUM_STEPS, HeaviestSums, heaviest_side_by_side, read_job_weights
from oas.checker.reading import fields_of


def check_mosp_configurations(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if no job weighs anything.

    Raises
    ------
    Refused
        If the certificate is malformed, or its weights have too many sums.
    """
    document = fields_of(certificate, "certificate", "weights")
    ticks = instance.scaled()
    weights = read_job_weights(document["weights"], ticks.job_count, "certificate.weights")
    most = heaviest_side_by_side(weights, ticks.widths, max(ticks.processors), Effort(MAX_SUM_STEPS))
    moments, rates, filled = integral_of_room(ticks, most)
    work: dict[int, int] = {}
    for weight, time, release in zip(weights, ticks.times, ticks.releases, strict=True):
        work[release] = work.get(release, 0) + weight * time
    target = left = 0
    for release in sorted(work, reverse=True):
        left += work[release]
        step = bisect_right(moments, release) - 1
        if left:
            target = max(target, filled[step] + rates[step] * (release - moments[step]) + left)
    if not target:
        return Fraction(0)
    step = max(step for step, before in enumerate(filled) if before < target)
    return (moments[step] + Fraction(target - filled[step], rates[step])) * ticks.tick


def integral_of_room(ticks: MospTicks, most: HeaviestSums) -> tuple[list[int], list[int], list[int]]:
    """Return moments, in ticks, the rate at which jobs weigh at most from each of them on, and the integral before it.

    A job that weighs something fits on a whole cluster, so the last rate is above 0 where there is such a job.
    """
    changes: dict[int, int] = {}
    for timeline in free_timelines(ticks):
        before = 0
        for moment, free in timeline:
            after = most.within(free)
            changes[moment] = changes.get(moment, 0) + after - before
            before = after
    moments = sorted(changes)
    rates = list(accumulate(changes[moment] for moment in moments))
    steps = [rate * (end - moment) for rate, moment, end in zip(rates, moments, moments[1:], strict=False)]
    return moments, rates, list(accumulate(steps, initial=0))
