"""Starts that a MOSP model needs, and symmetries: permutations of identical jobs and of identical clusters.

**Normal patterns** are the starts of each job on each cluster. Take, among the optimal schedules, one with the least
sum of starts. No job of it can start earlier, so each starts at 0, at its release, where a reservation of its cluster
ends, or where a job on its cluster ends. Traced back through such ends, a start is 0, the end of a reservation there or
the release of some job, plus a sum of times of distinct other jobs of the cluster; that job is the first of these, if
there are any. Starting earlier violates no deadline, so locality changes nothing.

Meet-in-the-middle patterns (Côté, Iori 2018) would need about half as many starts, but push jobs against the end of the
schedule on the right: they serve a model that decides on one makespan, not one that minimises it.

**Symmetries.** Both keep every start, so they are compatible with normal patterns. Identical jobs are first put in the
order of their starts; clusters are then numbered by the first job, in `leading_jobs` order, that runs there.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.core.rigid import free_steps
from oas.mosp.runs import ClusterRun
from oas.solving.formulation import alike, in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp
    from oas.solving.formulation import Groups

# Free processors of a cluster: steps (moment, number from then on), ascending, the first at 0.
Profile = tuple[tuple[int, int], ...]
Starts = tuple[int, ...]


def free_profile(scaled: ScaledMosp, cluster: int) -> Profile:
    """Return the processors of `cluster` left by its reservations."""
    blocks = ((start, end, count) for k, start, end, count in scaled.reservations if k == cluster)
    return free_steps(scaled.processors[cluster], blocks, 0)


def free_at(profile: Profile, moment: int) -> int:
    """Return how many processors the reservations leave free at `moment`."""
    return profile[bisect_right(profile, moment, key=lambda step: step[0]) - 1][1]


def least_free(profile: Profile, start: int, end: int) -> int:
    """Return the fewest processors that the reservations leave free in [start, end)."""
    return min([free_at(profile, start), *(free for moment, free in profile if start < moment < end)])


def normal_patterns(
    scaled: ScaledMosp, profiles: Sequence[Profile], latest_ends: Sequence[int], cap: int
) -> tuple[tuple[Starts, ...], ...]:
    """Return the starts worth considering of each job on each cluster, ascending; `profiles`: by cluster.

    Raises `TooLargeError` if there are more than `cap`.
    """
    patterns: list[list[Starts]] = [[() for _ in profiles] for _ in scaled.times]
    known: dict[Profile, dict[int, Starts]] = {}
    total = 0
    for cluster, profile in enumerate(profiles):
        if profile not in known:
            known[profile] = _patterns_of_profile(scaled, profile, latest_ends, cap - total)
        for job, starts in known[profile].items():
            patterns[job][cluster] = starts
            total += len(starts)
        _check_count(total, cap)
    return tuple(map(tuple, patterns))


def all_starts(
    scaled: ScaledMosp, profiles: Sequence[Profile], latest_ends: Sequence[int], cap: int
) -> tuple[tuple[Starts, ...], ...]:
    """Return every start of each job on each cluster alongside the reservations alone; arguments as above."""
    jobs = list(zip(scaled.releases, latest_ends, scaled.times, scaled.widths, strict=True))
    _check_count(sum(max(0, end - time - release + 1) for release, end, time, _ in jobs) * len(profiles), cap)
    return tuple(
        tuple(
            tuple(
                start for start in range(release, end - time + 1) if least_free(profile, start, start + time) >= width
            )
            for profile in profiles
        )
        for release, end, time, width in jobs
    )


def _patterns_of_profile(
    scaled: ScaledMosp, profile: Profile, latest_ends: Sequence[int], cap: int
) -> dict[int, Starts]:
    """Return the starts of every job that is no wider than a cluster with this profile."""
    patterns: dict[int, Starts] = {}
    total = 0

    def extended(jobs: list[int], sums: set[int], starts: set[int], latest: int) -> tuple[set[int], set[int]]:
        """Return the sums and starts up to `latest`, extended by these jobs."""
        sums, starts = set(sums), set(starts)
        for job in jobs:
            time, release = scaled.times[job], scaled.releases[job]
            starts |= {start + time for start in starts if start + time <= latest}
            if release:
                starts |= {release + time + one for one in sums if release + time + one <= latest}
            sums |= {one + time for one in sums if one + time <= latest}
            _check_count(len(starts), cap)
        return sums, starts

    def descend(jobs: list[int], sums: set[int], starts: set[int]) -> None:
        """Find the patterns of `jobs`, given the sums and the starts that result from all other jobs.

        `sums` counts from 0 only: a chain that begins at a release contains the job released then.
        """
        if len(jobs) > 1:
            half = len(jobs) // 2
            for own, others in ((jobs[:half], jobs[half:]), (jobs[half:], jobs[:half])):
                latest = max(latest_ends[job] - scaled.times[job] for job in own)
                descend(own, *extended(others, sums, starts, latest))
            return
        nonlocal total
        job = jobs[0]
        time, width, release = scaled.times[job], scaled.widths[job], scaled.releases[job]
        fitting = (
            start
            for start in starts | {release}
            if release <= start <= latest_ends[job] - time and least_free(profile, start, start + time) >= width
        )
        patterns[job] = tuple(sorted(fitting))
        total += len(patterns[job])
        _check_count(total, cap)

    widest = max(free for _, free in profile)
    narrow = [job for job, width in enumerate(scaled.widths) if width <= widest]
    if narrow:
        ends = {moment for (_, before), (moment, free) in pairwise(profile) if free > before}
        descend(narrow, {0}, {0} | ends)
    return patterns


def _check_count(starts: int, cap: int) -> None:
    if starts > cap:
        raise TooLargeError(f"more than {cap:,} starts to consider; coarser times would help")


def latest_ends(scaled: ScaledMosp, horizon: int) -> tuple[int, ...]:
    """Return the latest end of each job: its organization's deadline or the horizon, whichever comes first."""
    deadlines = [horizon if deadline is None else min(deadline, horizon) for deadline in scaled.deadlines]
    return tuple(deadlines[owner] for owner in scaled.owners)


def latest_end(instance: MospInstance) -> Fraction:
    """Return the last release or end of a reservation plus all running times.

    No schedule in which no job can start earlier ends later: from these moments on, some job is always running.
    """
    moments = [*(job.release for job in instance.jobs), *(end for _, end, _ in instance.reserved)]
    return max(moments) + sum((job.time for job in instance.jobs), Fraction(0))


def identical_jobs(scaled: ScaledMosp, ends: Sequence[int]) -> Groups:
    """Return groups of two or more jobs with the same p, q, release and latest end, whatever their organizations."""
    return alike(list(zip(scaled.times, scaled.widths, scaled.releases, ends, strict=True)))


def identical_clusters(scaled: ScaledMosp) -> Groups:
    """Return groups of two or more clusters with the same number of free processors at every moment."""
    return alike([free_profile(scaled, cluster) for cluster in range(scaled.cluster_count)])


def leading_jobs(scaled: ScaledMosp) -> tuple[int, ...]:
    """Return the jobs in the order that numbers identical clusters: widest first, then longest; these conflict most."""
    return tuple(sorted(range(scaled.job_count), key=lambda job: (-scaled.widths[job], -scaled.times[job], job)))


def canonical_runs(
    scaled: ScaledMosp, jobs: Groups, clusters: Groups, runs: Sequence[ClusterRun]
) -> list[ClusterRun] | None:
    """Return a feasible schedule moved to normal patterns and exchanged by symmetry; None if `runs` do not fit.

    In the order of their starts, jobs move to the first moment at which they fit with the jobs before them on their
    cluster. This is no later than before, since the jobs before them end no later. Then identical jobs and clusters are
    exchanged: `jobs` and `clusters` are their groups.
    """
    moved: list[ClusterRun] = []
    for run in sorted(runs, key=lambda one: (one.start, one.job)):
        start = _first_fit(scaled, moved, run)
        if start is None:
            return None
        moved.append(ClusterRun(run.job, run.cluster, start))
    by_job = in_order(jobs, moved)
    name = list(range(scaled.cluster_count))
    for group in clusters:
        used = dict.fromkeys(by_job[job].cluster for job in leading_jobs(scaled) if by_job[job].cluster in group)
        order = [*used, *(cluster for cluster in group if cluster not in used)]
        for cluster, new in zip(order, group, strict=True):
            name[cluster] = new
    return [ClusterRun(job, name[run.cluster], run.start) for job, run in sorted(by_job.items())]


def _first_fit(scaled: ScaledMosp, others: Sequence[ClusterRun], run: ClusterRun) -> int | None:
    """Return the first start up to that of `run` at which it fits with `others`; None if there is none."""
    blocks = [block for cluster, *block in scaled.reservations if cluster == run.cluster]
    blocks += [
        [one.start, one.start + scaled.times[one.job], scaled.widths[one.job]]
        for one in others
        if one.cluster == run.cluster
    ]
    room = scaled.processors[run.cluster] - scaled.widths[run.job]
    release, time = scaled.releases[run.job], scaled.times[run.job]
    for start in sorted({release, *(end for _, end, _ in blocks if release < end <= run.start)}):
        moments = [start, *(begin for begin, _, _ in blocks if start < begin < start + time)]
        if all(sum(width for b, e, width in blocks if b <= moment < e) <= room for moment in moments):
            return start
    return None
