"""Symmetry reductions of MOSP models: permutations of identical jobs and of identical clusters are left out.

Both keep every start, so they go together with normal patterns: an optimal schedule with the least sum of starts stays
one. Identical jobs are put in the order of their starts first; clusters are then numbered by the first job, in
`leading_jobs` order, that runs there, which moves no start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.models.formulation import alike
from oas.models.mosp.patterns import free_profile
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.models.formulation import Groups
    from oas.problems.mosp.ticks import ScaledMosp


def latest_ends(scaled: ScaledMosp, horizon: int) -> tuple[int, ...]:
    """Return the latest end of each job: its organization's deadline or the horizon, whichever comes first."""
    deadlines = [horizon if deadline is None else min(deadline, horizon) for deadline in scaled.deadlines]
    return tuple(deadlines[owner] for owner in scaled.owners)


def identical_jobs(scaled: ScaledMosp, ends: Sequence[int]) -> Groups:
    """Groups of two or more jobs with the same p, q, release and latest end; whose they are does not matter."""
    return alike(list(zip(scaled.times, scaled.widths, scaled.releases, ends, strict=True)))


def identical_clusters(scaled: ScaledMosp) -> Groups:
    """Groups of two or more clusters of which the same number of processors is free at every moment."""
    return alike([free_profile(scaled, cluster) for cluster in range(scaled.cluster_count)])


def leading_jobs(scaled: ScaledMosp) -> tuple[int, ...]:
    """Jobs in the order that numbers identical clusters: widest first, then longest, for these clash most."""
    return tuple(sorted(range(scaled.job_count), key=lambda job: (-scaled.widths[job], -scaled.times[job], job)))


def canonical_runs(
    scaled: ScaledMosp, jobs: Groups, clusters: Groups, runs: Sequence[ClusterRun]
) -> list[ClusterRun] | None:
    """Return a feasible schedule moved by the same exchanges, each job first as early as it can on its cluster.

    Jobs in the order of their starts, each at the first moment at which it fits beside those before it: no later than
    it was, for those before it have ended no later, and no earlier start is left open to it. None if `runs` do not fit.
    `jobs` and `clusters` are the groups of identical ones.
    """
    moved: list[ClusterRun] = []
    for run in sorted(runs, key=lambda one: (one.start, one.job)):
        start = _first_fit(scaled, moved, run)
        if start is None:
            return None
        moved.append(ClusterRun(run.job, run.cluster, start))
    by_job = {run.job: run for run in moved}
    for group in jobs:
        ordered = sorted((by_job[job] for job in group), key=lambda run: (run.start, run.job))
        by_job.update({job: ClusterRun(job, run.cluster, run.start) for job, run in zip(group, ordered, strict=True)})
    name = list(range(scaled.cluster_count))
    for group in clusters:
        used = dict.fromkeys(by_job[job].cluster for job in leading_jobs(scaled) if by_job[job].cluster in group)
        order = [*used, *(cluster for cluster in group if cluster not in used)]
        for cluster, new in zip(order, group, strict=True):
            name[cluster] = new
    return [ClusterRun(job, name[run.cluster], run.start) for job, run in sorted(by_job.items())]


def _first_fit(scaled: ScaledMosp, others: Sequence[ClusterRun], run: ClusterRun) -> int | None:
    blocks = [
        (one.start, one.start + scaled.times[one.job], scaled.widths[one.job])
        for one in others
        if one.cluster == run.cluster
    ]
    blocks += [
        (start, end, processors) for cluster, start, end, processors in scaled.reservations if cluster == run.cluster
    ]
    room = scaled.processors[run.cluster] - scaled.widths[run.job]
    release, time = scaled.releases[run.job], scaled.times[run.job]
    for start in sorted({release, *(end for _, end, _ in blocks if release < end <= run.start)}):
        moments = [start, *(begin for begin, _, _ in blocks if start < begin < start + time)]
        if all(sum(width for b, e, width in blocks if b <= moment < e) <= room for moment in moments):
            return start
    return None
