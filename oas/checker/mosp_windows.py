"""The bound "windows": the log of a search by windows of starts has refuted a makespan.

The certificate is ``{"version": 1, "makespan": C, "mirrored": null, "weights": [[w, …], …], "log": "…"}``, C in units,
the greatest common divisor of all times, releases and moments of reservations; w of each job; the log compressed by
zlib, in base64. The reserved processors of a cluster, from one change of their number to the next, are a *block*:
blocks are jobs with one start and one mode, numbered after the others. A job's modes are the clusters.

*Theorem.* If the log closes all rows of the problem below (`windows_log`), no schedule ends by C.

*Proof.* A schedule that ends by C, or one made of it, keeps all that is supposed. A job starts at its release or later,
and ends by C and by the deadline of locality. For each list of weights, jobs that fit on c processors together weigh at
most W(c), a knapsack; a block that leaves c of m processors free weighs W(m) − W(c). So what runs at a moment weighs at
most W(m) on a cluster of m processors, and the sum of them on all clusters: a weighting for each cluster, and one for
all together if there are several. Jobs and blocks are apart on a cluster if they need more processors than it has.
Clusters with equal numbers of processors and no reservations can be exchanged: so the job of rank r by area, the
largest first, is on one of the first r + 1 of them if on any. Mirrored, a job starts in the first half of its window:
without reservations, releases and deadlines before C, a schedule read backwards is one too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance, MospTicks, free_runs, ticks_in_units
from oas.checker.mosp_weights import (
    MAX_SUM_STEPS,
    MOSP_MAX_WEIGHT,
    heaviest_side_by_side,
    mosp_deadlines,
    read_makespan,
    read_weight_lists,
)
from oas.checker.reading import check_version, fields_of, integer_of, refused, unpacked_bytes
from oas.checker.windows_log import StartWindow, WindowsRules, WindowsWalk

MOSP_WINDOWS_STEPS = 400_000_000  # three quarters of a minute
MOST_MOSP_WINDOWS_BYTES = 2**28  # of a log
MOST_MOSP_WEIGHTINGS = 64
MOST_MOSP_WINDOWS_JOBS = 150  # together with reservations
MOST_MOSP_ENERGY = 2**61

# A block: cluster, start, end, and the number of reserved processors.
ClusterHold = tuple[int, int, int, int]


def check_mosp_windows(instance: MospInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    fields = fields_of(certificate, "certificate", "version", "makespan", "mirrored", "weights", "log")
    check_version(fields["version"], "certificate.version")
    ticks, unit = ticks_in_units(instance.scaled())
    if ticks.job_count + len(ticks.reservations) > MOST_MOSP_WINDOWS_JOBS:
        raise refused("certificate", f"more than {MOST_MOSP_WINDOWS_JOBS} jobs and reservations")
    makespan = read_makespan(fields["makespan"], 1)
    ends = mosp_deadlines(ticks, makespan, mirrored=False)
    mirrored = None
    if fields["mirrored"] is not None:
        mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=ticks.job_count - 1)
        if ticks.reservations or any(ticks.releases) or min(ends) < makespan:
            raise refused("certificate.mirrored", "must be null: no schedule can be read backwards")
    log = unpacked_bytes(fields["log"], "certificate.log", MOST_MOSP_WINDOWS_BYTES)
    held = list(_held_blocks(ticks, makespan))
    weightings: list[tuple[list[list[int]], int]] = []
    sums = Effort(MAX_SUM_STEPS)
    for weights in read_weight_lists(fields["weights"], ticks.job_count, MOST_MOSP_WEIGHTINGS, MOSP_MAX_WEIGHT):
        weightings += _weightings(ticks, held, weights, sums)
    energy = (ticks.job_count + len(held) + 1) * (makespan + 1)
    if len(weightings) > MOST_MOSP_WEIGHTINGS or any(energy * (most + 1) > MOST_MOSP_ENERGY for _, most in weightings):
        raise refused("certificate.weights", "too many weightings, or too large for their times")
    rules = WindowsRules(
        horizon=makespan,
        times=[[time] * ticks.cluster_count for time in (*ticks.times, *(end - start for _, start, end, _ in held))],
        windows=[*_job_windows(ticks, ends, mirrored), *({cluster: (start, start)} for cluster, start, _, _ in held)],
        weightings=weightings,
        apart=_mosp_apart_bits(ticks, [*ticks.widths, *(processors for *_, processors in held)]),
        conflicts=[],
    )
    if WindowsWalk(rules, log, Effort(MOSP_WINDOWS_STEPS)).refutes():
        return instance.scaled().to_time((makespan + 1) * unit)
    return Fraction(0)


def _held_blocks(ticks: MospTicks, makespan: int) -> Iterator[ClusterHold]:
    """Yield the blocks of reserved processors of each cluster, from one change to the next, before the makespan."""
    for cluster, runs in enumerate(free_runs(ticks, makespan)):
        for start, end, free in runs:
            if free < ticks.processors[cluster]:
                yield cluster, start, end, ticks.processors[cluster] - free


def _job_windows(ticks: MospTicks, ends: Sequence[int], mirrored: int | None) -> Iterator[dict[int, StartWindow]]:
    """Yield the windows of each job; among alike clusters, the job of rank r by area has the first r + 1 only."""
    areas = [time * width for time, width in zip(ticks.times, ticks.widths, strict=True)]
    order = sorted(range(ticks.job_count), key=lambda job: (-areas[job], job))
    held = {cluster for cluster, *_ in ticks.reservations}
    for job, (time, width, release) in enumerate(zip(ticks.times, ticks.widths, ticks.releases, strict=True)):
        last = ends[job] - time
        window = (release, last // 2 if job == mirrored else last)
        windows = {}
        for cluster, size in enumerate(ticks.processors):
            before = 0  # alike clusters ahead of this one
            if cluster not in held:
                before = sum(ticks.processors[one] == size and one not in held for one in range(cluster))
            if width <= size and before <= order.index(job) and window[0] <= window[1]:
                windows[cluster] = window
        yield windows


def _weightings(
    ticks: MospTicks, held: Sequence[ClusterHold], weights: Sequence[int], effort: Effort
) -> Iterator[tuple[list[list[int]], int]]:
    """Yield the weightings of a list of weights: of all clusters together if there are several, then of each."""
    clusters = range(ticks.cluster_count)
    sums = heaviest_side_by_side(weights, ticks.widths, max(ticks.processors), effort)
    whole = [sums.within(size) for size in ticks.processors]
    rows = [[weight] * len(clusters) for weight in weights]
    for cluster, _, _, processors in held:
        free = ticks.processors[cluster] - processors
        rows.append([whole[cluster] - sums.within(free) if one == cluster else 0 for one in clusters])
    if len(clusters) > 1:
        yield rows, sum(whole)
    for cluster in clusters:
        yield [[weight if one == cluster else 0 for one, weight in enumerate(row)] for row in rows], whole[cluster]


def _mosp_apart_bits(ticks: MospTicks, widths: Sequence[int]) -> list[list[int]]:
    """Return for each job and cluster the bits of the jobs there that are too wide to run at the same time."""
    clusters = ticks.cluster_count
    return [
        [
            sum(
                1 << other * clusters + cluster
                for other, beside in enumerate(widths)
                if other != job and width + beside > size
            )
            for cluster, size in enumerate(ticks.processors)
        ]
        for job, width in enumerate(widths)
    ]
