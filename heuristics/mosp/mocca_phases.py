"""MOCCA's phases as printed (MOCCA paper, Algorithms 1 to 3), in integers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.method import NotPlacedError
from heuristics.mosp.orders import highest_first, largest_first, smallest_first
from heuristics.mosp.threshold import cut_instance, paper_bound
from heuristics.mosp.ticks import TickSchedule, local_run
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heuristics.mosp.capacity.profile import Profiles
    from heuristics.mosp.threshold import CutInstance
    from oas.problems.mosp.ticks import ScaledMosp

# (t, j): from t on, j processors stay idle; both ascend. C^{≥i} is the first t whose j is at least i.
Idle = list[tuple[int, int]]


def three_phases(scaled: ScaledMosp) -> TickSchedule:
    """MOCCA as printed, from the stored local schedules: all jobs end by 3LB.

    Raises
    ------
    NotPlacedError
        If phase 3 ends early; under the hypotheses of Theorem 1 it does not.
    """
    cut = cut_instance(scaled, paper_bound(scaled), Fraction(3))
    kept, removed = kept_and_removed(cut)
    stacked, deadlines, unscheduled = stack_high_jobs(cut, kept, removed)
    filled = fill_gaps(cut, kept, deadlines, unscheduled)
    return TickSchedule.of(cut.scaled, [*kept, *stacked, *filled])


def kept_and_removed(cut: CutInstance) -> tuple[list[ClusterRun], list[int]]:
    """Phase 1: the local runs that end by the threshold, and the jobs whose runs do not."""
    ends = cut.local_ends()
    kept = [local_run(cut.scaled, job) for job, end in enumerate(ends) if end <= cut.threshold]
    return kept, [job for job, end in enumerate(ends) if end > cut.threshold]


def stack_high_jobs(
    cut: CutInstance, kept: Sequence[ClusterRun], removed: Iterable[int]
) -> tuple[list[ClusterRun], list[int], list[int]]:
    """Phase 2: high jobs one before the other, from the threshold back.

    Returns
    -------
    list
        The runs, the deadlines D_k that they leave, and the jobs still unscheduled, by HF.
    """
    scaled = cut.scaled
    profiles = cut.profiles_with(kept)
    idle = [idle_until(profiles, k, cut.threshold) for k in range(scaled.cluster_count)]
    deadlines = [cut.threshold] * scaled.cluster_count
    runs, unscheduled = [], []
    for job in highest_first(scaled, removed):
        time, width = scaled.times[job], scaled.widths[job]
        for k in smallest_first(scaled):
            if 2 * width <= scaled.processors[k]:
                unscheduled.append(job)
                break
            moment = idle_from(idle[k], width)
            if moment is not None and moment + time <= deadlines[k]:
                deadlines[k] -= time
                runs.append(ClusterRun(job, k, deadlines[k]))
                break
        else:
            unscheduled.append(job)
    return runs, deadlines, unscheduled


def fill_gaps(
    cut: CutInstance, kept: Sequence[ClusterRun], deadlines: Sequence[int], unscheduled: Iterable[int]
) -> list[ClusterRun]:
    """Phase 3: list scheduling by HF between the local jobs and those of phase 2.

    Raises
    ------
    NotPlacedError
        If the set of next potential starts is empty while jobs remain.
    """
    scaled = cut.scaled
    profiles = cut.profiles_with(kept)
    idle = [idle_until(profiles, k, deadlines[k]) for k in range(scaled.cluster_count)]
    waiting, runs = list(unscheduled), []
    start = min((moment for steps in idle for moment, _ in steps), default=0)
    while waiting:
        # Only a cluster of which some C^{≥j} is this very start counts for max_idle; of none, it is 0.
        widest = max((count for steps in idle for moment, count in steps if moment == start), default=0)
        free = [max((count for moment, count in steps if moment <= start), default=0) for steps in idle]
        found = _first_that_fits(cut, waiting, widest, free, deadlines, start)
        if found is None:
            later = [moment for steps in idle for moment, _ in steps if moment > start]
            if not later:
                raise NotPlacedError(f"phase 3 has no potential start left for {len(waiting)} jobs")
            start = min(later)
            continue
        job, k = found
        runs.append(ClusterRun(job, k, start))
        profiles.occupy(k, start, scaled.times[job], scaled.widths[job])
        idle[k] = idle_until(profiles, k, deadlines[k])
        waiting.remove(job)
    return runs


def _first_that_fits(
    cut: CutInstance,
    waiting: Iterable[int],
    widest: int,
    free: Sequence[int],
    deadlines: Sequence[int],
    start: int,
) -> tuple[int, int] | None:
    """The first waiting job that some cluster can take at `start`, with the first such cluster, largest first."""
    scaled = cut.scaled
    clusters = largest_first(scaled)
    for job in waiting:
        width, end = scaled.widths[job], start + scaled.times[job]
        if width > widest:
            continue
        for k in clusters:
            if width <= free[k] and end <= deadlines[k]:
                return job, k
    return None


def idle_until(profiles: Profiles, cluster: int, deadline: int) -> Idle:
    """Return the moments before `deadline` from which on more processors stay idle until then, with how many."""
    idle: Idle = []
    for moment, free in profiles.steps(cluster):
        if moment >= deadline:
            break
        # What stays idle from an earlier moment on is no more than what is free now.
        while idle and idle[-1][1] >= free:
            moment, _ = idle.pop()
        if free:
            idle.append((moment, free))
    return idle


def idle_from(idle: Idle, width: int) -> int | None:
    """C^{≥width}: the first moment from which on that many processors stay idle, or None."""
    return next((moment for moment, count in idle if count >= width), None)
