"""MOLBA: jobs that start late on their own cluster move to the ends of others' schedules (MOLBA paper, section 4).

All are deterministic. The cuts 2 and 3 are the paper's; it defines no others.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method, MethodFamily
from heuristics.mosp.guarantees import (
    high,
    highest_first_local,
    identical,
    local_given,
    molba_all_high,
    molba_three,
    molba_two,
    static,
)
from heuristics.mosp.queueing import earliest_run
from heuristics.mosp.ticks import (
    TickSchedule,
    cut_instance,
    highest_first,
    local_run,
    local_runs,
    mean_load,
    read_cut,
    scheduler,
)
from oas.core.errors import InputError
from oas.problems.mosp.problem import MOSP
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


METHODS = (
    Method(
        "MOLBA(2)",
        scheduler("MOLBA(2)", partial(migrated, multiple=2)),
        "MOLBA, jobs that start after 2LB migrate",
        rank=130,
        problem=MOSP,
        guarantee=molba_two,
        requires=(local_given, static, identical, highest_first_local),
    ),
    Method(
        "MOLBA(3)",
        scheduler("MOLBA(3)", partial(migrated, multiple=3)),
        "MOLBA, jobs that start after 3LB migrate",
        rank=131,
        problem=MOSP,
        guarantee=molba_three,
        requires=(local_given, static, identical, highest_first_local),
    ),
    Method(
        "MOLBA-high",
        scheduler("MOLBA-high", shared_high_jobs),
        "MOLBA where all jobs are high: idle clusters take others' jobs",
        rank=132,
        problem=MOSP,
        guarantee=molba_all_high,
        requires=(local_given, static, identical, high),
    ),
)


def method_at_cut(head: str, text: str) -> Method:
    """Return MOLBA at a cut; `InputError` if that is not a number, or neither 2 nor 3."""
    shown = f"{head}({read_cut(text)})"
    for method in METHODS:
        if method.name == shown:
            return method
    raise InputError("MOLBA's paper defines it at the cuts 2 and 3 only", field="heuristic", value=f"{head}({text})")


FAMILY = MethodFamily(("MOLBA",), method_at_cut)
