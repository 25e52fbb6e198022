"""ILBA: iterative load balancing of MOCCA's schedules and of the local ones (MOCCA paper, section 6).

All are deterministic. On MOCCA's schedules it ends in `NotPlacedError` where MOCCA does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.guarantees import balanced_sequential
from heuristics.mosp.mocca_cuts import section7
from heuristics.mosp.queueing import earliest_run, empty_profiles
from heuristics.mosp.requirements import fitting, local_given, static
from heuristics.mosp.ticks import TickSchedule, local_runs, scheduler
from oas.problems.mosp.problem import MOSP

if TYPE_CHECKING:
    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp


def balanced(base: TickSchedule, compiled: bool | None = None) -> TickSchedule:
    """Take the clusters by their makespans, least first, and place the jobs of each anew on it and those before it.

    The jobs of a cluster go in the order of their starts, each to its earliest start; ties stay on their own
    cluster, or else go to the cluster with the least makespan. No job starts later than in `base` (Proposition 11): at
    its old start, the jobs before it hold no more processors than they did. That holds with releases, reservations and
    clusters of any sizes too.
    """
    scaled = base.scaled
    profiles = empty_profiles(scaled, compiled)
    done: list[ClusterRun] = []
    before: list[int] = []
    runs: list[list[ClusterRun]] = [[] for _ in scaled.processors]
    for run in sorted(base.runs, key=lambda one: (one.start, one.job)):
        runs[run.cluster].append(run)
    for cluster in by_makespan(base):
        allowed = profiles.numbers([cluster, *before])
        for run in runs[cluster]:
            if before:
                run = earliest_run(profiles, scaled, run.job, allowed)
            profiles.occupy(run.cluster, run.start, scaled.times[run.job], scaled.widths[run.job])
            done.append(run)
        before.append(cluster)
    return TickSchedule.of(scaled, done)


def by_makespan(base: TickSchedule) -> list[int]:
    """Return the clusters by non-decreasing makespan, ties by index."""
    ends = [0] * base.scaled.cluster_count
    for run in base.runs:
        ends[run.cluster] = max(ends[run.cluster], base.end(run))
    return sorted(range(len(ends)), key=lambda cluster: ends[cluster])


def balanced_mocca(scaled: ScaledMosp, multiple: Fraction) -> TickSchedule:
    """Balance the schedule of MOCCA-7 cut at `multiple` · LB; 3 is the one of section 6, 4 that of section 7.3."""
    return balanced(section7(scaled, multiple))


def balanced_local(scaled: ScaledMosp) -> TickSchedule:
    """Balance the local schedules."""
    return balanced(local_runs(scaled))


METHODS = (
    Method(
        "ILBA",
        scheduler("ILBA", partial(balanced_mocca, multiple=Fraction(3))),
        "iterative load balancing of MOCCA-7's schedule",
        rank=140,
        problem=MOSP,
        guarantee=balanced_sequential,
        requires=(local_given, static, fitting),
    ),
    Method(
        "ILBA-local",
        scheduler("ILBA-local", balanced_local),
        "iterative load balancing of the local schedules",
        rank=141,
        problem=MOSP,
        guarantee=balanced_sequential,
        requires=(local_given,),
    ),
    Method(
        "ILBA(4)",
        scheduler("ILBA(4)", partial(balanced_mocca, multiple=Fraction(4))),
        "iterative load balancing of MOCCA-7(4)'s schedule",
        rank=142,
        problem=MOSP,
        requires=(local_given, static, fitting),
    ),
)
