"""ILBA: iterative load balancing of any schedule (MOCCA paper, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.queueing import earliest_run, empty_profiles
from heuristics.mosp.ticks import TickSchedule

if TYPE_CHECKING:
    from oas.problems.mosp.runs import ClusterRun


def balanced(base: TickSchedule, compiled: bool | None = None) -> TickSchedule:
    """Take the clusters by their makespans, least first, and place the jobs of each anew on it and those before it.

    The jobs of a cluster go in the order of their starts, each to its earliest start; ties stay at home, or else go to
    the cluster with the least makespan. No job starts later than in `base` (Proposition 11): at its old start, the
    jobs before it hold no more processors than they did. That holds with releases, reservations and clusters of any
    sizes too.
    """
    scaled = base.scaled
    profiles = empty_profiles(scaled, compiled)
    done: list[ClusterRun] = []
    before: list[int] = []
    for cluster in by_makespan(base):
        own = [run for run in base.runs if run.cluster == cluster]
        for run in sorted(own, key=lambda one: (one.start, one.job)):
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
        ends[run.cluster] = max(ends[run.cluster], base.end(run))
    return sorted(range(len(ends)), key=lambda cluster: ends[cluster])
