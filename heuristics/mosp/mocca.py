"""MOCCA and ILBA (MOCCA paper), and MOLBA (MOLBA paper).

MOCCA has three variants: the three phases as printed, the variant of the paper's experiments, and one for any local
policy; the last two take any cut. The paper defines MOCCA(4) and MOCCA-7(4); other cuts α are available by name. If the
local schedules are HF, MOCCA-7 and MOCCA-7(4) are HF3 and HF4 of section 7.3.

ILBA is iterative load balancing of MOCCA's schedules and of the local schedules (section 6).

MOLBA moves jobs that start late on their own cluster to the ends of other schedules (section 4 of its paper), at the
cuts 2 and 3; the paper defines no others.

All methods are deterministic. MOCCA, and ILBA on its schedules, raise `NotPlacedError` if MOCCA cannot place all jobs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.mosp.guarantees import (
    balanced_sequential,
    fitting,
    high,
    highest_first_local,
    identical,
    local_given,
    mocca_cut,
    mocca_three,
    molba_all_high,
    molba_three,
    molba_two,
    static,
)
from heuristics.mosp.mocca_phases import LEAST_CUT, algorithm4, cut_instance, mean_load, section7, three_phases
from oas.core.errors import InputError, within
from oas.core.numbers import parse_fraction
from oas.core.registry import MOSP
from oas.mosp.runs import ClusterRun
from oas.mosp.search.queueing import (
    TickSchedule,
    earliest_run,
    empty_profiles,
    highest_first,
    local_run,
    local_runs,
)
from oas.solving.method import Method, MethodFamily

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp
    from oas.solving.method import Guarantee, Requirement


def _method(
    name: str,
    place: Callable[[ScaledMosp], TickSchedule],
    summary: str,
    rank: int,
    guarantee: Callable[[MospInstance], Guarantee | None] | None = None,
    requires: tuple[Requirement, ...] = (local_given, static, fitting),
) -> Method:
    run = partial(_schedule, name, place)
    return Method(name, run, summary, rank=rank, problem=MOSP, guarantee=guarantee, requires=requires)


def _schedule(
    name: str, place: Callable[[ScaledMosp], TickSchedule], instance: MospInstance, *, seed: int = 0
) -> Schedule:
    return place(instance.scaled()).to_schedule(instance, name)


def _any_policy(cut: Fraction | int, summary: str, rank: int) -> Method:
    """Return MOCCA(α), Algorithm 4; for α ≥ 4 it places all jobs and is an α-approximation."""
    run, guarantee = partial(algorithm4, multiple=cut), partial(mocca_cut, multiple=Fraction(cut))
    return _method(f"MOCCA({cut})", run, summary, rank, guarantee)


def _experiments(name: str, cut: Fraction | int, summary: str, rank: int) -> Method:
    """Return the variant of section 7."""
    return _method(name, partial(section7, multiple=cut), summary, rank)


def balanced(base: TickSchedule) -> TickSchedule:
    """Reschedule the clusters by increasing makespan, allowing each cluster's jobs on it and all previous clusters.

    The jobs of a cluster are placed in order of start, each at its earliest start; ties keep the job on its cluster,
    otherwise on the cluster of smallest makespan. No job starts later than in `base` (Proposition 11): at its old
    start, the jobs before it occupy no more processors than before. This also holds with releases, reservations and
    clusters of any sizes.
    """
    scaled = base.scaled
    profiles = empty_profiles(scaled)
    done: list[ClusterRun] = []
    before: list[int] = []
    runs: list[list[ClusterRun]] = [[] for _ in scaled.processors]
    for run in sorted(base.runs, key=lambda run: (run.start, run.job)):
        runs[run.cluster].append(run)
    for cluster in by_makespan(base):
        for run in runs[cluster]:
            if before:
                run = earliest_run(profiles, scaled, run.job, [cluster, *before])
            profiles.occupy(run.cluster, run.start, scaled.times[run.job], scaled.widths[run.job])
            done.append(run)
        before.append(cluster)
    return TickSchedule.of(scaled, done)


def by_makespan(base: TickSchedule) -> list[int]:
    """Return the clusters by non-decreasing makespan, ties by index."""
    ends = [0] * base.scaled.cluster_count
    for run in base.runs:
        ends[run.cluster] = max(ends[run.cluster], run.start + base.scaled.times[run.job])
    return sorted(range(len(ends)), key=lambda cluster: ends[cluster])


def _balance(base: Callable[[ScaledMosp], TickSchedule], scaled: ScaledMosp) -> TickSchedule:
    """Balance the schedule of another method: MOCCA-7 cut at 3LB in section 6, at 4LB in section 7.3."""
    return balanced(base(scaled))


def migrated(scaled: ScaledMosp, multiple: int) -> TickSchedule:
    """Run MOLBA with its cut at `multiple` · LB, LB = W / Σ m_k; the paper uses 2 and 3.

    A cluster is overloaded if its local makespan is above the cut + p_max (cut 2) or at least 4LB (cut 3). Its jobs
    that start after the cut are placed again, by HF, each at its earliest start on any cluster, around all other jobs.
    """
    cut = cut_instance(scaled, mean_load(scaled), multiple)
    fine, ends = cut.scaled, cut.local_ends()
    makespans = [0] * fine.cluster_count
    for job, owner in enumerate(fine.owners):
        makespans[owner] = max(makespans[owner], ends[job])
    if multiple == 2:
        overloaded = [makespan > cut.threshold + max(fine.times) for makespan in makespans]
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
    """Schedule jobs that are all high (section 4.2): a cluster that has started its own jobs takes others' jobs next.

    Own jobs run in the order of their local starts, other jobs by HF; a cluster runs one job at a time.
    """
    jobs_of: list[list[int]] = [[] for _ in scaled.processors]
    for run in sorted(local_runs(scaled).runs, key=lambda run: (run.start, run.job)):
        jobs_of[run.cluster].append(run.job)
    free_from = [0] * scaled.cluster_count
    waiting = dict.fromkeys(highest_first(scaled, range(scaled.job_count)))
    runs = []
    while waiting:
        cluster = min(range(scaled.cluster_count), key=lambda k: (free_from[k], k))
        job = next((job for job in jobs_of[cluster] if job in waiting), None)
        if job is None:
            job = next(iter(waiting))
        runs.append(ClusterRun(job, cluster, free_from[cluster]))
        free_from[cluster] += scaled.times[job]
        del waiting[job]
    return TickSchedule.of(scaled, runs)


_IDENTICAL = (local_given, static, identical)

METHODS = (
    _method(
        "MOCCA", three_phases, "MOCCA, phases 1 to 3 as printed: what ends after 3LB is put in anew", 100, mocca_three
    ),
    _experiments("MOCCA-7", 3, "MOCCA as in section 7: one backward phase from 3LB, then compaction", 110),
    _experiments("MOCCA-7(4)", 4, "MOCCA as in section 7.3: cut at 4LB, local schedules as they are", 111),
    _any_policy(4, "MOCCA(4), Algorithm 4 as printed: cut at 4LB, HF where it is no worse", 120),
    *(
        _method(
            f"MOLBA({multiple})",
            partial(migrated, multiple=multiple),
            f"MOLBA, jobs that start after {multiple}LB migrate",
            128 + multiple,
            guarantee,
            (*_IDENTICAL, highest_first_local),
        )
        for multiple, guarantee in ((2, molba_two), (3, molba_three))
    ),
    _method(
        "MOLBA-high",
        shared_high_jobs,
        "MOLBA where all jobs are high: idle clusters take others' jobs",
        132,
        molba_all_high,
        (*_IDENTICAL, high),
    ),
    _method(
        "ILBA",
        partial(_balance, partial(section7, multiple=3)),
        "iterative load balancing of MOCCA-7's schedule",
        140,
        balanced_sequential,
    ),
    _method(
        "ILBA-local",
        partial(_balance, local_runs),
        "iterative load balancing of the local schedules",
        141,
        balanced_sequential,
        (local_given,),
    ),
    _method(
        "ILBA(4)",
        partial(_balance, partial(section7, multiple=4)),
        "iterative load balancing of MOCCA-7(4)'s schedule",
        142,
    ),
)


def method_at_cut(head: str, text: str) -> Method:
    """Return MOCCA, MOCCA-7 or MOLBA at a cut; `InputError` if the method does not support the cut."""
    with within("heuristic"):
        cut = parse_fraction(text)
    name = f"{head}({cut})"
    for method in METHODS:
        if method.name == name:
            return method
    if head == "MOLBA":
        reason = "MOLBA's paper defines it at the cuts 2 and 3 only"
        raise InputError(reason, field="heuristic", value=f"{head}({text})")
    if cut < LEAST_CUT:
        raise InputError(f"the cut must be at least {LEAST_CUT}", field="heuristic", value=f"{head}({text})")
    if head == "MOCCA":
        return _any_policy(cut, f"MOCCA(α), cut at {cut} LB", 121)
    return _experiments(name, cut, f"MOCCA as in section 7, cut at {cut} LB", 112)


FAMILY = MethodFamily(
    ("MOCCA", "MOCCA-7", "MOLBA"), method_at_cut, f"MOCCA(α) and MOCCA-7(α) at any cut α ≥ {LEAST_CUT}"
)
