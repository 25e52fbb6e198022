"""MOSP bounds that need no certificate data: their certificate is ``{}``; none of them uses locality.

*Volumes* (area, high jobs, dual feasible functions). Let each job have a weight, and let W(c) be the maximum weight of
jobs that fit on c processors together. Let I(t) be the integral of Σ_k W(free processors of cluster k) from 0 to t.

*Theorem.* The makespan is at least the first moment t with I(t) = max over r of I(r) + Σ p·w, where the sum is over the
jobs released at r or later. *Proof.* Jobs that run at a moment weigh at most Σ_k W(free processors of cluster k). So
jobs released at r or later, which only run after r, have Σ p·w ≤ I(end) − I(r).

I never decreases, so the first such moment t is a lower bound.

Here weights are f(q) with a function f on 0, …, M, the size of the largest cluster, that is non-negative and
superadditive: f(a) + f(b) ≤ f(a + b) if a + b ≤ M (Alves and others 2016). Then W(c) = f(c).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import accumulate

from oas.checker.mosp_instance import FreeGap, MospInstance, MospTicks, free_gaps, free_timelines, spread_out

MAX_VOLUME_CELLS = 20_000_000  # functions × steps; if there are more, only some functions are tried
MAX_DUAL_K = 60


def mosp_paper(instance: MospInstance) -> Fraction:
    """Return max(Σ p·q / Σ m_k, max p); releases and reservations can only lengthen a schedule."""
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    processors = sum(one.processors for one in instance.organizations)
    return max(work / processors, *(job.time for job in instance.jobs))


def mosp_longest_job(instance: MospInstance) -> Fraction:
    """Return the maximum over jobs of the earliest end of the job alone, with reservations and releases."""
    ticks = instance.ticks
    timelines = free_timelines(ticks)
    jobs: dict[int, set[tuple[int, int]]] = {}
    for width, release, time in zip(ticks.widths, ticks.releases, ticks.times, strict=True):
        jobs.setdefault(width, set()).add((release, time))
    best = 0
    hardest: list[tuple[int, int]] = []  # (release, time) of non-dominated jobs of this width or wider
    for width in sorted(jobs, reverse=True):
        gaps = [free_gaps(one, width) for one, size in zip(timelines, ticks.processors, strict=True) if size >= width]
        candidates, hardest = sorted({*hardest, *jobs[width]}, reverse=True), []
        for release, time in candidates:
            if not hardest or time > hardest[-1][1]:
                hardest.append((release, time))
                if (release, time) in jobs[width]:
                    best = max(best, min(_earliest_end(cluster_gaps, release, time) for cluster_gaps in gaps))
    return ticks.to_time(best)


def _earliest_end(gaps: list[FreeGap], release: int, time: int) -> int:
    """Return the earliest end of a job within the gaps."""
    first = max(0, bisect_right(gaps, release, key=lambda gap: gap[0]) - 1)
    for begin, end in gaps[first:]:
        start = max(begin, release)
        if end is None or start + time <= end:
            return start + time
    raise AssertionError("the last gap has no end")


def mosp_k_longest(instance: MospInstance) -> Fraction:
    """Return the maximum of a lower bound on the load of some lane, over all widths and numbers of jobs.

    Jobs of width w or more run in Σ_k ⌊m_k / w⌋ lanes, each with one job at a time. Of k·lanes + 1 such jobs some lane
    has k + 1: their total time is at least that of the k + 1 shortest, and they start after the first release of all.
    """
    ticks = instance.ticks
    jobs = sorted(zip(ticks.times, ticks.widths, ticks.releases, strict=True), key=lambda job: -job[0])
    best = 0
    for width in sorted(set(ticks.widths)):
        lanes = sum(size // width for size in ticks.processors)
        jobs = [job for job in jobs if job[1] >= width]
        sums = list(accumulate((time for time, _, _ in jobs), initial=0))
        longest = max(sums[last + 1] - sums[last - last // lanes] for last in range(0, len(jobs), lanes))
        best = max(best, min(release for _, _, release in jobs) + longest)
    return ticks.to_time(best)


def mosp_area(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = q from some width on and 0 below; widths are 0 and each smaller cluster's size + 1."""
    sizes = sorted(set(instance.ticks.processors))
    return _greatest(instance, lambda least, q: q if q >= least else 0, [0, *(size + 1 for size in sizes[:-1])])


def mosp_high_jobs(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = ⌊q/w⌋ with a job's width w: at most ⌊c/w⌋ jobs of width w or more fit on c."""
    return _greatest(instance, lambda unit, width: width // unit, sorted(set(instance.ticks.widths)))


def mosp_dual_feasible(instance: MospInstance) -> Fraction:
    """Return the bound of two families of superadditive dual feasible functions up to the largest cluster's size."""
    sizes, widths = set(instance.ticks.processors), set(instance.ticks.widths)
    largest = max(sizes)
    candidates = {*widths, *(size + 1 for size in sizes), *(largest - width + 1 for width in widths)}
    thresholds = sorted(value for value in candidates if 2 * value <= largest)
    return max(
        _greatest(instance, partial(rounded_ends, largest), thresholds),
        _greatest(instance, partial(fekete_schepers, largest), list(range(1, MAX_DUAL_K + 1))),
    )


def rounded_ends(size: int, threshold: int, value: int) -> int:
    """Return 0 below the threshold ≤ size/2, `size` above size − threshold, and the value itself in between."""
    if value < threshold:
        return 0
    return size if value > size - threshold else value


def fekete_schepers(size: int, k: int, value: int) -> int:
    """Return k·size·u_k(value/size): u_k(x) is x if (k+1)·x is an integer, else ⌊(k+1)·x⌋/k (Fekete, Schepers 2001)."""
    whole, rest = divmod((k + 1) * value, size)
    return whole * size if rest else k * value


def _greatest(instance: MospInstance, weight: Callable[[int, int], int], parameters: list[int]) -> Fraction:
    """Return the maximum bound over functions f(q) = ``weight(parameter, q)``; 0 if all weights are 0."""
    volumes = MospVolumes(instance.ticks)
    times: Counter[tuple[int, int]] = Counter()
    for time, width, release in zip(*volumes.jobs, strict=True):
        times[release, width] += time
    best = Fraction(0)
    cells = len(times) + len(volumes.steps)
    for parameter in spread_out(parameters, max(2, MAX_VOLUME_CELLS // cells)):
        weights = {width: weight(parameter, width) for width in {*volumes.levels, *volumes.jobs[1]}}
        work: Counter[int] = Counter()
        for (release, width), time in times.items():
            work[release] += weights[width] * time
        best = max(best, volumes.bound(work, weights))
    return best * instance.ticks.tick


class MospVolumes:
    """The jobs and the free processors of an instance."""

    def __init__(self, ticks: MospTicks) -> None:
        self.jobs = ticks.times, ticks.widths, ticks.releases
        # (moment, free processors from then on, free processors before) for each change of a cluster, ascending
        self.steps: list[tuple[int, int, int]] = []
        for timeline in free_timelines(ticks):
            before = 0
            for moment, free in timeline:
                self.steps.append((moment, free, before))
                before = free
        self.steps.sort()
        self.levels = {0, *(free for _, free, _ in self.steps)}  # occurring numbers of free processors, and 0

    def bound(self, work: Mapping[int, int], most: Mapping[int, int]) -> Fraction:
        """Return the bound in ticks from Σ p·w by release and W(c) for each of `levels`."""
        pieces = []  # moment, I(moment), and the slope of I from then on
        last = filled = rate = 0
        for moment, free, before in self.steps:
            filled, rate, last = filled + rate * (moment - last), rate + most[free] - most[before], moment
            pieces.append((moment, filled, rate))
        left = target = 0
        for release in sorted(work, reverse=True):
            left += work[release]
            begin, filled, rate = pieces[bisect_right(self.steps, release, key=lambda step: step[0]) - 1]
            target = max(target, filled + rate * (release - begin) + left if left else 0)
        if not target:
            return Fraction(0)
        begin, filled, rate = next(piece for piece in reversed(pieces) if piece[1] < target)
        return begin + Fraction(target - filled, rate)
