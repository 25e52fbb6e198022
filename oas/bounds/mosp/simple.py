"""Bounds that are functions of the instance alone: the papers' LB, areas, dual feasible functions, and counts of jobs.

Volume bounds weigh processors (`oas.bounds.mosp.volume`): *area* by their number, *high jobs* by how many jobs fit
side by side, *dual feasible functions* by two superadditive families (Alves, Clautiaux, Valério de Carvalho, Rietz,
*Dual-Feasible Functions for Integer Programming and Combinatorial Optimization*, 2016).

*Gaps*, for one cluster: jobs of more than half of its processors exclude one another, so the longest intervals with q
free are bins of unequal length for jobs of width q or more. `oas.checker.mosp_simple` says why these bounds hold.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.volume import CELLS, Volumes, free_steps, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.problems.mosp.instance import MospInstance

# The larger k, the closer u_k comes to the identity, whose bound is the area's.
MAX_K = 60
FEW_K = 8  # in `feasible_functions`
# Of the bound of the gaps.
MAX_GROUPS = 400  # widths × releases that are looked at
MAX_SUM = 1_000_000  # ticks up to which sums of times are listed
MAX_BITS = 10**11  # ticks × different times × groups up to which they are
MAX_COUNTS = 50_000_000  # gaps × different times × groups up to which all times are looked at

Shape = tuple[int, int, int]  # width, release, time


def paper_bound(instance: MospInstance) -> Fraction:
    """Return LB = max(Σ p·q / Σ m_k, max p), section 2.2 of the MOCCA paper.

    The papers know neither releases nor reservations; both can only lengthen a schedule, so LB stays a bound.
    """
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    return max(work / instance.node_count, *(job.time for job in instance.jobs))


def area(instance: MospInstance) -> Fraction:
    """Return the greatest area bound: of all jobs, and of those too wide for the smallest clusters on the others.

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

    M is the size of the largest cluster. A threshold is worth trying where it is a job's width, or the next above that
    of a cluster, or where it lets a job just count in full.
    """
    volumes = Volumes(instance)
    largest = volumes.largest
    found = {*volumes.widths, *(size + 1 for size in volumes.sizes), *(largest - q + 1 for q in volumes.widths)}
    thresholds = sorted(e for e in found if 2 * e <= largest)
    return max(
        volumes.bound(partial(rounded_ends, largest), thresholds),
        volumes.bound(partial(fekete_schepers, largest), range(1, MAX_K + 1)),
    )


def rounded_ends(size: int, threshold: Any, width: Any) -> Any:
    """Return 0 below the threshold e ≤ size/2, `size` above size − e, and the width itself between.

    Takes numbers or arrays of them, as the other function does.
    """
    return np.where(width < threshold, 0, np.where(width > size - threshold, size, width))


def fekete_schepers(size: int, k: Any, width: Any) -> Any:
    """Return k·size·u_k(width/size), u_k of Fekete and Schepers (2001).

    u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋ / k.
    """
    whole, rest = np.divmod((k + 1) * width, size)
    return np.where(rest, whole * size, k * width)


def feasible_functions(values: Sequence[int], size: int, thresholds: int) -> list[tuple[int, ...]]:
    """Return the values, and superadditive dual feasible functions of them, that differ and are not all 0.

    `size`: what values together must not exceed. `thresholds`: how many are tried.
    """
    found, row = [tuple(values)], np.array(values)
    found += [tuple(fekete_schepers(size, k, row).tolist()) for k in range(1, FEW_K + 1)]
    ends = sorted(e for e in {*values, *(size - one + 1 for one in values)} if 0 < 2 * e <= size)
    found += [tuple(rounded_ends(size, e, row).tolist()) for e in spread(ends, thresholds)]
    return [one for one in dict.fromkeys(found) if any(one)]


def k_longest(instance: MospInstance) -> Fraction:
    """Return the greatest sum of jobs that one lane must hold, over all widths and numbers of jobs.

    Jobs of width w or more run in Σ_k ⌊m_k / w⌋ lanes, each one job at a time. Of k·lanes + 1 such jobs some lane
    holds k + 1, which last at least as long as the k + 1 shortest of them, and start no earlier than the first of all
    is released. Reservations are left out: they only take lanes away.
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
    """Return the latest of the jobs' earliest ends, each alone beside the reservations, not before its release."""
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
    """Yield those of which no other is as wide, as late and as long: no other job alone ends as late."""
    releases: list[int] = []  # of those that no other is as late and as long as, ascending
    times: list[int] = []  # theirs, descending
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
    """The end of the job if it starts where a gap begins, or at its release, as early as it fits."""
    first = np.searchsorted(ends, release, side="right")
    starts = np.maximum(begins[first:], release)
    return int(starts[np.argmax(starts + time <= ends[first:])]) + time


def gaps_bound(instance: MospInstance) -> Fraction:
    """Return the greatest bound over widths, releases and times; 0 for several clusters or without jobs so wide.

    Of more than can be looked at some are taken: each by itself gives a bound.
    """
    scaled = instance.scaled()
    if scaled.cluster_count != 1:
        return Fraction(0)
    wide = sorted({width for width in scaled.widths if 2 * width > scaled.processors[0]})
    releases = sorted(set(scaled.releases))
    if len(wide) * len(releases) > MAX_GROUPS:
        releases = [0]
    wide = spread(wide, MAX_GROUPS)
    groups = len(wide) * len(releases)
    times, widths, dates = np.array(scaled.times), np.array(scaled.widths), np.array(scaled.releases)
    (steps,) = free_steps(scaled)
    best = 0
    for width in wide:
        begins, ends = steps.intervals(width)
        for release in releases:
            own = np.unique(times[(widths >= width) & (dates >= release)], return_counts=True)
            first = np.searchsorted(ends, release, side="right")
            begun = np.maximum(begins[first:], release)
            lengths = ends[first:-1] - begun[:-1]  # of all but the last, which has no end
            best = max(best, _by_sums(begun, lengths, *own, groups), _by_counts(begun, lengths, *own, groups))
    return best * scaled.tick


def _by_sums(begins: Any, lengths: Any, times: Any, counts: Any, groups: int) -> int:
    """The first moment by which the gaps hold the times of all jobs, each gap filled by a sum of times at most."""
    total = int((times * counts).sum())
    if not 0 < total <= MAX_SUM or total * len(times) * groups > MAX_BITS:
        return 0
    sums = _sums(times.tolist(), counts.tolist())
    longest = min(total, int(lengths.max(initial=0)))
    low = (sums & ((1 << longest + 1) - 1)).to_bytes(longest // 8 + 1, "little")
    attained = np.flatnonzero(np.unpackbits(np.frombuffer(low, dtype=np.uint8), bitorder="little"))
    most = attained[np.searchsorted(attained, lengths, side="right") - 1]
    held = np.append(0, np.cumsum(most))
    last = np.searchsorted(held[1:], total)
    return int(begins[last]) + _first_bit(sums, total - int(held[last]))


def _sums(times: list[int], counts: list[int]) -> int:
    """An integer whose bit s tells whether some jobs last s together; `counts` of them last each of the times."""
    sums = 1
    for time, left in zip(times, counts, strict=True):
        taken = 1
        while left:  # 1, 2, 4, … and the rest of them, of which every number is a sum
            taken = min(taken, left)
            sums |= sums << time * taken
            left -= taken
            taken *= 2
    return sums


def _first_bit(sums: int, least: int) -> int:
    """The first sum of at least so much; there is one."""
    above = sums >> least
    return least + (above & -above).bit_length() - 1


def _by_counts(begins: Any, lengths: Any, times: Any, counts: Any, groups: int) -> int:
    """The first moment by which the gaps hold as many jobs of each time or more as there are."""
    as_long = np.cumsum(counts[::-1])[::-1]
    places = spread(range(len(times)), max(2, MAX_COUNTS // (len(begins) * groups)))
    rows = max(1, CELLS // len(begins))
    best = 0
    for start in range(0, len(places), rows):
        some = places[start : start + rows]
        held = np.zeros((len(some), len(begins)), dtype=np.int64)  # by the gaps before each
        np.cumsum(lengths // times[some, np.newaxis], axis=1, out=held[:, 1:])
        last = np.sum(held[:, 1:] < as_long[some, np.newaxis], axis=1)
        left = as_long[some] - held[np.arange(len(some)), last]
        best = max(best, int(np.max(begins[last] + left * times[some])))
    return best


PAPER_BOUND = LowerBound("paper LB", paper_bound)
LONGEST_JOB = LowerBound("longest job", longest_job)
BOUNDS = (
    LowerBound("area", area),
    LowerBound("dual feasible functions", dual_feasible),
    LowerBound("gaps", gaps_bound),
    LowerBound("high jobs", high_jobs),
    LowerBound("k-longest", k_longest),
    LONGEST_JOB,
    PAPER_BOUND,
)
