"""The MOSP bound "proof log": a proof log refutes a makespan, with all clusters on one axis of time.

The certificate is ``{"makespan": C, "steps": "…"}``: C in units (the common divisor of all times in ticks), and the
steps of `oas.checker.proof_log`. `docs/proof-log.md` proves that the axis has starts if a schedule ends by C.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance, MospTicks, free_runs, ticks_in_units
from oas.checker.mosp_weights import mosp_deadlines, read_makespan
from oas.checker.proof_log import Axis, AxisJob, Derivation, Segment, unpacked_steps
from oas.checker.reading import fields_of

Run = tuple[int, int, int]


def check_mosp_proof_log(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "steps")
    makespan, steps = read_makespan(document["makespan"]), unpacked_steps(document["steps"])
    ticks = instance.ticks
    coarse, unit = ticks_in_units(ticks)
    refuted = Derivation(mosp_axis(coarse, makespan), Effort()).refutes(steps)
    return ticks.to_time((makespan + 1) * unit) if refuted else Fraction(0)


def mosp_axis(ticks: MospTicks, makespan: int) -> Axis:
    """Return an axis on which the jobs have starts if a schedule ends by `makespan` ≥ 0.

    Cluster k has the moments from k·(makespan + 1) on; the last of them is closed.
    """
    length, most = makespan + 1, max(ticks.processors)
    runs = free_runs(ticks, makespan)
    loads = []
    for k, own in enumerate(runs):
        loads += [(k * length + begin, k * length + end, most - free) for begin, end, free in own if free < most]
        loads.append((k * length + makespan, (k + 1) * length, most))
    kinds = list(
        zip(
            [-width for width in ticks.widths],
            [-time for time in ticks.times],
            ticks.releases,
            mosp_deadlines(ticks, makespan, mirrored=False),
            strict=True,
        )
    )
    order = sorted(range(ticks.job_count), key=lambda job: (kinds[job], job))
    ranks = [runs[:k].count(own) for k, own in enumerate(runs)]
    jobs = []
    for job, (width, time, release, deadline) in enumerate(kinds):
        place = order.index(job)
        shut: list[Segment] = []
        for k, rank in enumerate(ranks):
            begin, end = k * length, (k + 1) * length
            if rank > place:
                shut.append((begin, end))
            else:
                shut += [one for one in ((begin, begin + release), (begin + deadline, end)) if one[0] < one[1]]
        before = _neighbour(order, place - 1, kinds, job)
        after = _neighbour(order, place + 1, kinds, job)
        jobs.append(AxisJob(-time, -width, tuple(shut), before, after))
    return Axis(len(runs) * length - 1, most, tuple(loads), tuple(jobs))


def _neighbour(order: Sequence[int], place: int, kinds: Sequence[object], job: int) -> int | None:
    """Return the job at a place of the order if it is identical to `job`."""
    if not 0 <= place < len(order):
        return None
    other = order[place]
    return other if kinds[other] == kinds[job] else None
