"""Bounds of MOSP that follow from the instance alone. Their certificate is ``{}``, and none uses locality.

*Volumes* (area, high jobs, dual feasible functions). Let each job have a weight, and let jobs that fit on c processors
together weigh at most W(c). Let I(t) be the integral of Σ_k W(free processors of cluster k) from 0 to t.

*Theorem.* No schedule is shorter than the first moment at which I is the greatest of I(r) + Σ p·w over all moments r,
the sum being over the jobs released at r or later. *Proof.* Jobs that run at a moment weigh at most Σ_k W(free
processors of cluster k). So those released at r or later, which run after r only, have Σ p·w ≤ I(end) − I(r).

Here weights are f(q), f a function on 0, …, M, M the size of the largest cluster, that is non-negative and
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

MAX_VOLUME_CELLS = 20_000_000  # functions × steps up to which all functions are looked at, of more some
MAX_DUAL_K = 60


def mosp_paper(instance: MospInstance) -> Fraction:
    """Return max(Σ p·q / Σ m_k, max p); releases and reservations can only lengthen a schedule."""
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    processors = sum(one.processors for one in instance.organizations)
    return max(work / processors, *(job.time for job in instance.jobs))


def mosp_longest_job(instance: MospInstance) -> Fraction:
    """Return the latest of the jobs' earliest ends, each alone on the clusters, with reservations and releases."""
    ticks = instance.ticks
    timelines = free_timelines(ticks)
    jobs: dict[int, set[tuple[int, int]]] = {}
    for width, release, time in zip(ticks.widths, ticks.releases, ticks.times, strict=True):
        jobs.setdefault(width, set()).add((release, time))
    best = 0
    hardest: list[tuple[int, int]] = []  # of the jobs as wide or wider: no other of them is as late and as long
    for width in sorted(jobs, reverse=True):
        gaps = [free_gaps(one, width) for one, size in zip(timelines, ticks.processors, strict=True) if size >= width]
        candidates, hardest = sorted({*hardest, *jobs[width]}, reverse=True), []
        for release, time in candidates:
            if not hardest or time > hardest[-1][1]:
                hardest.append((release, time))
                if (release, time) in jobs[width]:
                    best = max(best, min(_earliest_end(own, release, time) for own in gaps))
    return ticks.to_time(best)


def _earliest_end(gaps: list[FreeGap], release: int, time: int) -> int:
    """Return the end of a job that starts at its release or where a gap begins, as early as it fits into a gap."""
    first = max(0, bisect_right(gaps, release, key=lambda gap: gap[0]) - 1)
    for begin, end in gaps[first:]:
        start = max(begin, release)
        if end is None or start + time <= end:
            return start + time
    raise AssertionError("the last gap has no end")


def mosp_k_longest(instance: MospInstance) -> Fraction:
    """Return the greatest sum of jobs that one lane must hold, over all widths and numbers of jobs.

    Jobs of width w or more run in Σ_k ⌊m_k / w⌋ lanes, each one job at a time. Of k·lanes + 1 such jobs some lane holds
    k + 1, which last at least as long as the k + 1 shortest of them, and start no earlier than the first of all is
    released.
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
    """Return the bound of f(q) = q from a width on and 0 below it; that width is 0, or one above a cluster's size."""
    sizes = sorted(set(instance.ticks.processors))
    return _greatest(instance, lambda least, q: q if q >= least else 0, [0, *(size + 1 for size in sizes[:-1])])


def mosp_high_jobs(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = ⌊q/w⌋, w a job's width: c processors take at most ⌊c/w⌋ jobs of w or more."""
    return _greatest(instance, lambda unit, width: width // unit, sorted(set(instance.ticks.widths)))


def mosp_dual_feasible(instance: MospInstance) -> Fraction:
    """Return the bound of two families of superadditive dual feasible functions, M the size of the largest cluster."""
    sizes, widths = set(instance.ticks.processors), set(instance.ticks.widths)
    largest = max(sizes)
    found = {*widths, *(size + 1 for size in sizes), *(largest - width + 1 for width in widths)}
    thresholds = sorted(one for one in found if 2 * one <= largest)
    return max(
        _greatest(instance, partial(rounded_ends, largest), thresholds),
        _greatest(instance, partial(fekete_schepers, largest), list(range(1, MAX_DUAL_K + 1))),
    )


def rounded_ends(size: int, threshold: int, value: int) -> int:
    """Return 0 below the threshold, at most size/2; `size` above size − threshold; the value itself between."""
    if value < threshold:
        return 0
    return size if value > size - threshold else value


def fekete_schepers(size: int, k: int, value: int) -> int:
    """Return k·size·u_k(value/size): u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋/k (Fekete, Schepers 2001)."""
    whole, rest = divmod((k + 1) * value, size)
    return whole * size if rest else k * value


def _greatest(instance: MospInstance, weight: Callable[[int, int], int], parameters: list[int]) -> Fraction:
    """Return the greatest bound over functions f(q) = ``weight(parameter, q)``; 0 if nothing has any weight."""
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
        # (moment, processors free from then on, and before) of one cluster, for each change of any, ascending
        self.steps: list[tuple[int, int, int]] = []
        for timeline in free_timelines(ticks):
            before = 0
            for moment, free in timeline:
                self.steps.append((moment, free, before))
                before = free
        self.steps.sort()
        self.levels = {0, *(free for _, free, _ in self.steps)}  # numbers of free processors that occur, and 0

    def bound(self, work: Mapping[int, int], most: Mapping[int, int]) -> Fraction:
        """Return the bound in ticks, from Σ p·w of the jobs of each release, and W(c) of each of `levels`."""
        pieces = []  # moment, I(moment), and its slope from then on
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
