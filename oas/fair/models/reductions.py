"""Reductions of a model of fair sharing that keep some optimal schedule.

**Moments.** Each start is a release plus a sum of times of distinct jobs. In a greedy schedule, a job starts only at a
release or at the end of a job: at any other moment the first waiting jobs and the idle processors are those of the
moment before, when no first job fitted any more. Of the optimal schedules of any class, take one with the minimum sum
of starts. No job can start one unit earlier, because this makes no objective worse. So each job starts at its release,
at the end of another job, or together with the job before it in its organization, for which the same holds. Tracing
back the jobs that end there gives the sum in all cases.

**Latest starts**, greedy only. While job j waits after its release r, the first job of its organization waits too, so
fewer processors are idle than that job needs: at least B = M − (q − 1) are busy, where q is the greatest width among j
and the jobs before it in its organization. Their work is released before j starts, and contains neither j nor the jobs
after it. Hence j starts by r + work / B.

**Identical organizations.** If the jobs of two organizations are pairwise equal, the i-th job of the first may be
assumed to start no later than that of the second: in any schedule give the earlier of both starts to the first. The
starts of both organizations remain ascending, and the running jobs and the first waiting jobs at each moment are the
same, so the schedule stays greedy. The sum of starts, used for the moments above, is also the same.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from oas.fair.ticks import FairTicks

MAX_HORIZON = 1_000_000


def start_moments(ticks: FairTicks, until: int) -> list[int]:
    """Return every moment before `until` that is a release plus a sum of times of distinct jobs, ascending.

    Raises `TooLargeError` if `until` is above 1,000,000.
    """
    if until > MAX_HORIZON:
        raise TooLargeError(f"the horizon is {until:,}, above {MAX_HORIZON:,}; coarser times would help")
    reachable = sum(1 << release for release in set(ticks.release.tolist()) if release < until)  # a bit for each moment
    for time in ticks.time.tolist():
        if time < until:
            reachable |= reachable << time & (1 << until) - 1
    return [moment for moment, bit in enumerate(reversed(f"{reachable:b}")) if bit == "1"]


def latest_starts(ticks: FairTicks) -> list[int]:
    """Return an upper bound on the start of each job in every greedy schedule without a horizon."""
    releases, widths = ticks.release.tolist(), ticks.width.tolist()
    works = [time * width for time, width in zip(ticks.time.tolist(), widths, strict=True)]
    latest = [0] * ticks.job_count
    for queue in queues(ticks):
        widest = 0
        for place, job in enumerate(queue):
            widest = max(widest, widths[job])
            behind = set(queue[place:])
            others = [
                (release, work)
                for one, (release, work) in enumerate(zip(releases, works, strict=True))
                if one not in behind
            ]
            busy = ticks.total - widest + 1
            tighter = releases[job] + sum(work for _, work in others) // busy
            latest[job] = tighter + 1
            while tighter < latest[job]:  # a smaller bound excludes the work released later
                latest[job] = tighter
                tighter = releases[job] + sum(work for release, work in others if release < latest[job]) // busy
    return latest


def queues(ticks: FairTicks) -> list[list[int]]:
    """Return the jobs of each organization, in their order."""
    by_owner: list[list[int]] = [[] for _ in range(ticks.organization_count)]
    for job, owner in enumerate(ticks.owner.tolist()):
        by_owner[owner].append(job)
    return by_owner


def alike(ticks: FairTicks) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return, for each organization and the next one with the same jobs, the pairs of their i-th jobs."""
    rows = list(zip(ticks.release.tolist(), ticks.time.tolist(), ticks.width.tolist(), strict=True))
    groups: dict[tuple[object, ...], list[list[int]]] = {}
    for queue in queues(ticks):
        groups.setdefault(tuple(rows[job] for job in queue), []).append(queue)
    return tuple(tuple(zip(*pair, strict=True)) for group in groups.values() for pair in pairwise(group) if pair[0])


def canonical_starts(pairs: tuple[tuple[tuple[int, int], ...], ...], starts: list[int]) -> list[int]:
    """Return the starts of a schedule, exchanged so that the first job of each pair of `alike` starts no later.

    A job that never starts has a start above all others.
    """
    moved = list(starts)
    for _ in pairs:  # enough rounds for the first organization to become the last
        for first, second in (one for pair in pairs for one in pair):
            moved[first], moved[second] = sorted((moved[first], moved[second]))
    return moved
