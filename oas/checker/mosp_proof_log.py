"""The MOSP bound "proof log": a proof log refutes a makespan, with all clusters on one axis of time.

The certificate is ``{"makespan": C, "steps": "…"}``: C in units (the common divisor of all times in ticks), and the
steps of `oas.checker.proof_log`. `docs/proof-log.md` proves that the axis has starts if a schedule ends by C.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance, MospTicks, free_runs, ticks_in_units
from oas.checker.mosp_weights import mosp_deadlines, read_makespan
from oas.checker.proof_log import Axis, AxisJob, Derivation, unpacked_steps
from oas.checker.reading import fields_of


def check_mosp_proof_log(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "steps")
    makespan, steps = read_makespan(document["makespan"]), unpacked_steps(document["steps"])
    ticks = instance.ticks
    coarse, unit = ticks_in_units(ticks)
    effort = Effort()
    effort.hold(20 * coarse.job_count * len(coarse.processors))
    refuted = Derivation(mosp_axis(coarse, makespan), effort).refutes(steps)
    return ticks.to_time((makespan + 1) * unit) if refuted else Fraction(0)


def mosp_axis(ticks: MospTicks, makespan: int) -> Axis:
    """Return an axis on which the jobs have starts if a schedule ends by `makespan` ≥ 0.

    Cluster k has the moments from k·(makespan + 1) on, of which the last one is closed. Of identical jobs, the earlier
    in the instance starts no later on the axis. The widest job, then the longest, runs on the first of identical
    clusters, the next job on one of the first two, and so on.
    """
    length, most = makespan + 1, max(ticks.processors)
    changes: dict[int, int] = {}
    ranks: list[int] = []  # by cluster: the number of identical clusters before it
    known: dict[tuple[tuple[int, int, int], ...], int] = {}
    for k, runs in enumerate(map(tuple, free_runs(ticks, makespan))):
        for begin, end, free in (*runs, (makespan, length, 0)):
            changes[k * length + begin] = changes.get(k * length + begin, 0) + most - free
            changes[k * length + end] = changes.get(k * length + end, 0) - most + free
        ranks.append(known.get(runs, 0))
        known[runs] = ranks[-1] + 1
    deadlines = mosp_deadlines(ticks, makespan, mirrored=False)
    rows = zip(ticks.widths, ticks.times, ticks.releases, deadlines, range(ticks.job_count), strict=True)
    ordered = sorted(rows, key=lambda row: (-row[0], -row[1], *row[2:]))
    jobs: dict[int, AxisJob] = {}
    for place, (width, time, release, deadline, job) in enumerate(ordered):
        shut = []
        for k, rank in enumerate(ranks):
            begin, end = k * length, (k + 1) * length
            closed = [(begin, end)] if rank > place else [(begin, begin + release), (begin + deadline, end)]
            shut += [(first, last) for first, last in closed if first < last]
        neighbours = (ordered[at] if 0 <= at < len(ordered) else None for at in (place - 1, place + 1))
        kind = (width, time, release, deadline)
        before, after = (one[-1] if one is not None and one[:-1] == kind else None for one in neighbours)
        jobs[job] = AxisJob(time, width, tuple(shut), before, after)
    return Axis(len(ranks) * length - 1, most, changes, tuple(jobs[job] for job in range(ticks.job_count)))
