"""Bounds of MOSP that follow from the instance alone by counting jobs: paper LB, longest job, k-longest.

Their certificate is ``{}``. None uses locality, so each holds at every one.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

from oas.checker.mosp_free import free_gaps, free_timelines
from oas.checker.mosp_instance import MospInstance


def mosp_paper(instance: MospInstance) -> Fraction:
    """Return max(Σ p·q / Σ m_k, max p); releases and reservations can only lengthen a schedule."""
    work = sum((job.time * job.processors for job in instance.jobs), Fraction(0))
    processors = sum(one.processors for one in instance.organizations)
    return max(work / processors, *(job.time for job in instance.jobs))


def mosp_longest_job(instance: MospInstance) -> Fraction:
    """Return the latest of the jobs' earliest ends, each alone beside the reservations, not before its release."""
    ticks = instance.scaled()
    timelines = free_timelines(ticks)
    jobs: dict[int, set[tuple[int, int]]] = {}
    for width, release, time in zip(ticks.widths, ticks.releases, ticks.times, strict=True):
        jobs.setdefault(width, set()).add((release, time))
    best = 0
    harder: list[tuple[int, int]] = []  # jobs as wide or wider: no other of them is as late and as long
    for width in sorted(jobs, reverse=True):
        fitting = [one for one, size in zip(timelines, ticks.processors, strict=True) if size >= width]
        gaps = [free_gaps(one, width) for one in fitting]
        hardest = hardest_pairs([*harder, *jobs[width]])
        for release, time in set(hardest).difference(harder):
            best = max(best, min(earliest_end(own, release, time) for own in gaps))
        harder = hardest
    return ticks.to_time(best)


def hardest_pairs(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs (release, time) of which no other one is as late and as long."""
    kept: list[tuple[int, int]] = []
    longest = -1
    for release, time in sorted(set(pairs), reverse=True):
        if time > longest:
            kept.append((release, time))
            longest = time
    return kept


def earliest_end(gaps: list[tuple[int, int | None]], release: int, time: int) -> int:
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
    ticks = instance.scaled()
    jobs = sorted(zip(ticks.times, ticks.widths, ticks.releases, strict=True), key=lambda job: -job[0])
    best = 0
    for width in sorted(set(ticks.widths)):
        lanes = sum(size // width for size in ticks.processors)
        jobs = [job for job in jobs if job[1] >= width]
        sums = [0]
        for time, _, _ in jobs:
            sums.append(sums[-1] + time)
        longest = max(sums[last + 1] - sums[last - last // lanes] for last in range(0, len(jobs), lanes))
        best = max(best, min(release for _, _, release in jobs) + longest)
    return ticks.to_time(best)
