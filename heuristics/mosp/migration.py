"""MOLBA: jobs that start late at home go to the ends of others' schedules (MOLBA paper, section 4)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.orders import highest_first
from heuristics.mosp.queueing import earliest_run
from heuristics.mosp.threshold import cut_instance, mean_load
from heuristics.mosp.ticks import TickSchedule, local_run, local_runs
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from oas.problems.mosp.ticks import ScaledMosp


def migrated(scaled: ScaledMosp, multiple: int) -> TickSchedule:
    """MOLBA with its cut at `multiple` · LB, LB = W / Σ m_k; 2 and 3 are the paper's.

    Of the clusters with local makespans above the cut + p_max (cut 2) or at least at 4LB (cut 3), the jobs that start
    after the cut are placed anew, by HF, each at its earliest start on any cluster, beside the jobs that stay.
    """
    cut = cut_instance(scaled, mean_load(scaled), Fraction(multiple))
    fine, ends = cut.scaled, cut.local_ends()
    makespans = [0] * fine.cluster_count
    for job, owner in enumerate(fine.owners):
        makespans[owner] = max(makespans[owner], ends[job])
    if multiple == 2:
        overloaded = [makespan > cut.threshold + cut.longest for makespan in makespans]
    else:
        overloaded = [3 * makespan >= 4 * cut.threshold for makespan in makespans]
    jobs = range(fine.job_count)
    moved = {job for job in jobs if overloaded[fine.owners[job]] and fine.local_starts[job] > cut.threshold}
    runs = [local_run(fine, job) for job in jobs if job not in moved]
    profiles = cut.profiles_with(runs)
    for job in highest_first(fine, moved):
        run = earliest_run(profiles, fine, job, range(fine.cluster_count))
        profiles.occupy(run.cluster, run.start, fine.times[job], fine.widths[job])
        runs.append(run)
    return TickSchedule.of(fine, runs)


def shared_high_jobs(scaled: ScaledMosp) -> TickSchedule:
    """The rule for jobs that are all high (section 4.2): a cluster that has started its own jobs takes others' next.

    Own jobs run in the order of their local starts, others' by HF; no cluster ever runs two jobs at once.
    """
    own: list[list[int]] = [[] for _ in scaled.processors]
    for run in sorted(local_runs(scaled).runs, key=lambda one: (one.start, one.job)):
        own[run.cluster].append(run.job)
    free_from = [0] * scaled.cluster_count
    waiting = dict.fromkeys(highest_first(scaled, range(scaled.job_count)))
    runs = []
    while waiting:
        cluster = min(range(scaled.cluster_count), key=lambda k: (free_from[k], k))
        mine = [job for job in own[cluster] if job in waiting]
        job = mine[0] if mine else next(iter(waiting))
        runs.append(ClusterRun(job, cluster, free_from[cluster]))
        free_from[cluster] += scaled.times[job]
        del waiting[job]
    return TickSchedule.of(scaled, runs)
