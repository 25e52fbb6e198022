"""The longest-job bound: no schedule ends before a job that has all clusters to itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.free_steps import free_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance

Shape = tuple[int, int, int]  # width, release, time


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


BOUND = LowerBound("longest job", longest_job)
