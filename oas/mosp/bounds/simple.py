"""Combinatorial bounds: the papers' LB, areas, dual feasible functions, and counts of jobs.

Volume bounds weigh processors (`oas.mosp.bounds.volume`): *area* by their number, *high jobs* by how many jobs fit side
by side, *dual feasible functions* by two superadditive families (Alves, Clautiaux, Valério de Carvalho, Rietz,
*Dual-Feasible Functions for Integer Programming and Combinatorial Optimization*, 2016). `oas.checker.mosp_simple`
proves these bounds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.mosp.bounds.volume import Volumes, free_steps, spread
from oas.solving.lower_bound import LowerBound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance

MAX_K = 60  # for large k, u_k approaches the identity, which gives the area bound
FEW_K = 8  # in `feasible_functions`

Shape = tuple[int, int, int]  # width, release, time


def paper_bound(instance: MospInstance) -> Fraction:
    """Return LB = max(Σ p·q / Σ m_k, max p), section 2.2 of the MOCCA paper.

    Releases and reservations, which the papers do not have, only lengthen schedules, so LB remains valid.
    """
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    return max(work / instance.node_count, *(job.time for job in instance.jobs))


def area(instance: MospInstance) -> Fraction:
    """Return the greatest area bound: of all jobs, and for each cluster size of the wider jobs on larger clusters.

    f(q) = q from a width w on, else 0; w is 0, or one above the size of a cluster.
    """
    volumes = Volumes(instance)
    limits = [0, *(size + 1 for size in volumes.sizes[:-1])]
    return volumes.bound(lambda least, width: np.where(width >= least, width, 0), limits)


def high_jobs(instance: MospInstance) -> Fraction:
    """Return the greatest bound from counting jobs: c free processors take at most ⌊c/w⌋ jobs of w or more.

    f(q) = ⌊q/w⌋ for each width w of a job; a job of twice the width counts twice.
    """
    volumes = Volumes(instance)
    return volumes.bound(lambda unit, width: width // unit, volumes.widths)


def dual_feasible(instance: MospInstance) -> Fraction:
    """Return the greatest volume bound over `rounded_ends` for every threshold and `fekete_schepers` up to MAX_K.

    M is the size of the largest cluster. Candidate thresholds are the widths of the jobs, the next width above the size
    of a cluster, and the values at which a job just counts in full.
    """
    volumes = Volumes(instance)
    largest = volumes.largest
    candidates = {*volumes.widths, *(size + 1 for size in volumes.sizes), *(largest - q + 1 for q in volumes.widths)}
    thresholds = sorted(e for e in candidates if 2 * e <= largest)
    return max(
        volumes.bound(partial(rounded_ends, largest), thresholds),
        volumes.bound(partial(fekete_schepers, largest), range(1, MAX_K + 1)),
    )


def rounded_ends(size: int, threshold: Any, width: Any) -> Any:
    """Return 0 below the threshold e ≤ size/2, `size` above size − e, and the width itself between; also for arrays."""
    return np.where(width < threshold, 0, np.where(width > size - threshold, size, width))


def fekete_schepers(size: int, k: Any, width: Any) -> Any:
    """Return k·size·u_k(width/size), u_k of Fekete and Schepers (2001); also for arrays.

    u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋ / k.
    """
    whole, rest = np.divmod((k + 1) * width, size)
    return np.where(rest, whole * size, k * width)


def feasible_functions(values: Sequence[int], size: int, thresholds: int) -> list[tuple[int, ...]]:
    """Return the values and superadditive dual feasible functions of them, without duplicates and zero vectors.

    `size`: maximum total of a feasible set of values. `thresholds`: number of thresholds to try.
    """
    functions, row = [tuple(values)], np.array(values)
    functions += [tuple(fekete_schepers(size, k, row).tolist()) for k in range(1, FEW_K + 1)]
    ends = sorted(e for e in {*values, *(size - one + 1 for one in values)} if 0 < 2 * e <= size)
    functions += [tuple(rounded_ends(size, e, row).tolist()) for e in spread(ends, thresholds)]
    return [one for one in dict.fromkeys(functions) if any(one)]


def k_longest(instance: MospInstance) -> Fraction:
    """Return the greatest total time of jobs that one lane must run, over all widths and numbers of jobs.

    Jobs of width w or more run in Σ_k ⌊m_k / w⌋ lanes, each one job at a time. Of k·lanes + 1 such jobs some lane runs
    k + 1, which last at least as long as the k + 1 shortest of them, and start no earlier than the first release.
    Reservations are ignored: they only reduce the number of lanes.
    """
    scaled = instance.scaled()
    order = np.argsort(-np.array(scaled.times), kind="stable")
    jobs = np.array((scaled.times, scaled.widths, scaled.releases))[:, order]
    best = 0
    for width in sorted(set(scaled.widths)):
        lanes = sum(size // width for size in scaled.processors)
        jobs = jobs[:, jobs[1] >= width]
        times, _, releases = jobs
        sums = np.append(0, np.cumsum(times))
        last = np.arange(0, len(times), lanes)
        longest = np.max(sums[last + 1] - sums[last - last // lanes])
        best = max(best, int(np.min(releases) + longest))
    return scaled.to_time(best)


def longest_job(instance: MospInstance) -> Fraction:
    """Return the maximum over the jobs of the earliest end of the job alone, with reservations and release dates."""
    scaled = instance.scaled()
    clusters = list(zip(scaled.processors, free_steps(scaled), strict=True))
    best = 0
    jobs = zip(scaled.widths, scaled.releases, scaled.times, strict=True)
    for width, alike in groupby(_hardest(jobs), key=lambda job: job[0]):
        gaps = [steps.intervals(width) for size, steps in clusters if size >= width]
        for _, release, time in alike:
            best = max(best, min(_earliest_end(*one, release, time) for one in gaps))
    return scaled.to_time(best)


def _hardest(jobs: Iterable[Shape]) -> Iterator[Shape]:
    """Yield the jobs not dominated by another one that is at least as wide and long, and released no earlier."""
    releases: list[int] = []  # of the jobs not dominated by release and time, ascending
    times: list[int] = []  # of the same jobs, descending
    for width, release, time in sorted(set(jobs), reverse=True):
        place = bisect_left(releases, release)
        if place < len(times) and times[place] >= time:
            continue
        yield width, release, time
        place = end = bisect_right(releases, release)
        while place and times[place - 1] <= time:
            place -= 1
        releases[place:end] = [release]
        times[place:end] = [time]


def _earliest_end(begins: Any, ends: Any, release: int, time: int) -> int:
    """Return the end of the job if it starts as early as possible in a gap, not before its release."""
    first = np.searchsorted(ends, release, side="right")
    starts = np.maximum(begins[first:], release)
    return int(starts[np.argmax(starts + time <= ends[first:])]) + time


PAPER_BOUND = LowerBound("paper LB", paper_bound)


def figures(instance: MospInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the figures of a comparison: the ratio to the papers' bound, and whether the schedule keeps locality."""
    return {"ratio": schedule.makespan / paper_bound(instance), "keeps_locality": keeps_promises}


BOUNDS = (
    LowerBound("area", area),
    LowerBound("dual feasible functions", dual_feasible),
    LowerBound("high jobs", high_jobs),
    LowerBound("k-longest", k_longest),
    LowerBound("longest job", longest_job),
    PAPER_BOUND,
)
