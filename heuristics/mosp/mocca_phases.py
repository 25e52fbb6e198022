"""The algorithms of the MOCCA paper in integers: the three phases as printed, and one backward phase from a cut.

Phases 1 to 3 are Algorithms 1 to 3. MOCCA(α), Algorithm 4, cuts the local schedules at α·LB and places the jobs that
end later backwards from there. The variant of section 7 uses the local schedules unchanged, and compacts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.guarantees import highest_first_starts
from oas.core.errors import TooLargeError
from oas.core.shared_kernels import NEVER
from oas.mosp.runs import ClusterRun
from oas.mosp.search.queueing import Profiles, TickSchedule, earliest_run, highest_first, list_runs, local_run
from oas.solving.method import NotPlacedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.mosp.ticks import ScaledMosp

# (t, j): from t on, j processors remain idle; both ascend. C^{≥i} is the first t with j ≥ i.
Idle = list[tuple[int, int]]
LEAST_CUT = 3  # the least multiple of LB for which MOCCA is available


def smallest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters from k = N down to 1 in the MOCCA paper's numbering."""
    return sorted(range(scaled.cluster_count), key=lambda k: -scaled.processors[k])[::-1]


def largest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters in the MOCCA paper's numbering, m_1 ≥ m_2 ≥ … ≥ m_N."""
    return smallest_first(scaled)[::-1]


def mean_load(scaled: ScaledMosp) -> Fraction:
    """Return W / Σ m_k in ticks, the lower bound of the MOLBA paper's section 4."""
    work = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return Fraction(work, sum(scaled.processors))


def paper_bound(scaled: ScaledMosp) -> Fraction:
    """Return LB = max(W / Σ m_k, p_max) in ticks, of the MOCCA paper's section 2.2."""
    return max(mean_load(scaled), Fraction(max(scaled.times)))


@dataclass(frozen=True)
class CutInstance:
    """An instance with ticks so fine that a multiple of its lower bound is an integer."""

    scaled: ScaledMosp  # the instance in ticks of tick / (Σ m_k · denominator of the multiple)
    threshold: int  # the multiple of LB

    def local_ends(self) -> list[int]:
        """Return the end of each job in its local schedule."""
        return [start + time for start, time in zip(self.scaled.local_starts, self.scaled.times, strict=True)]

    def profiles_with(self, runs: Iterable[ClusterRun]) -> Profiles:
        """Return the clusters with only `runs` on them."""
        scaled = self.scaled
        blocks = [(run.cluster, run.start, run.start + scaled.times[run.job], scaled.widths[run.job]) for run in runs]
        return Profiles(scaled.processors, blocks)


def cut_instance(scaled: ScaledMosp, bound: Fraction, multiple: Fraction | int) -> CutInstance:
    """Return `scaled` in finer ticks, and `multiple` · `bound` in them; reservations are not supported.

    Raises `TooLargeError` if times reach 2^62 of the finer ticks.
    """
    threshold = bound * multiple
    finer = threshold.denominator
    if threshold.numerator + (sum(scaled.times) + max(scaled.local_starts)) * finer >= NEVER:
        raise TooLargeError(
            f"times reach 2^62 of the 1/{finer} ticks that the threshold needs; coarser times are needed"
        )
    return CutInstance(
        replace(
            scaled,
            tick=scaled.tick / finer,
            times=tuple(time * finer for time in scaled.times),
            releases=tuple(release * finer for release in scaled.releases),
            local_starts=tuple(start * finer for start in scaled.local_starts),
            deadlines=tuple(None if moment is None else moment * finer for moment in scaled.deadlines),
        ),
        threshold.numerator,
    )


def three_phases(scaled: ScaledMosp) -> TickSchedule:
    """Run MOCCA as printed, on the stored local schedules: all jobs end by 3LB.

    Raises `NotPlacedError` if phase 3 runs out of starts, which the hypotheses of Theorem 1 exclude.
    """
    cut = cut_instance(scaled, paper_bound(scaled), 3)
    kept, removed = kept_and_removed(cut)
    stacked, deadlines, unscheduled = stack_high_jobs(cut, kept, removed)
    filled = fill_gaps(cut, kept, deadlines, unscheduled)
    return TickSchedule.of(cut.scaled, [*kept, *stacked, *filled])


def kept_and_removed(cut: CutInstance) -> tuple[list[ClusterRun], list[int]]:
    """Phase 1: return the local runs that end by the threshold, and the jobs whose runs end later."""
    ends = cut.local_ends()
    kept = [local_run(cut.scaled, job) for job, end in enumerate(ends) if end <= cut.threshold]
    return kept, [job for job, end in enumerate(ends) if end > cut.threshold]


def stack_high_jobs(
    cut: CutInstance, kept: Sequence[ClusterRun], removed: Iterable[int]
) -> tuple[list[ClusterRun], list[int], list[int]]:
    """Phase 2: place high jobs one before the other, backwards from the threshold.

    Return the runs, the resulting deadlines D_k, and the unscheduled jobs, by HF.
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
            moment = next((moment for moment, count in idle[k] if count >= width), None)  # C^{≥width}
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

    Raises `NotPlacedError` if no potential start is left while jobs remain.
    """
    scaled = cut.scaled
    profiles = cut.profiles_with(kept)
    idle = [idle_until(profiles, k, deadlines[k]) for k in range(scaled.cluster_count)]
    waiting, runs, clusters = list(unscheduled), [], largest_first(scaled)
    start = min((moment for steps in idle for moment, _ in steps), default=0)
    while waiting:
        # max_idle considers only clusters with some C^{≥j} equal to this start; it is 0 if there is none.
        widest = max((count for steps in idle for moment, count in steps if moment == start), default=0)
        free = [max((count for moment, count in steps if moment <= start), default=0) for steps in idle]
        fitting = (
            (job, k)
            for job in waiting
            for k in clusters
            if scaled.widths[job] <= min(widest, free[k]) and start + scaled.times[job] <= deadlines[k]
        )
        selection = next(fitting, None)
        if selection is None:
            later = [moment for steps in idle for moment, _ in steps if moment > start]
            if not later:
                raise NotPlacedError(f"phase 3 has no potential start left for {len(waiting)} jobs")
            start = min(later)
            continue
        job, k = selection
        runs.append(ClusterRun(job, k, start))
        profiles.occupy(k, start, scaled.times[job], scaled.widths[job])
        idle[k] = idle_until(profiles, k, deadlines[k])
        waiting.remove(job)
    return runs


def idle_until(profiles: Profiles, cluster: int, deadline: int) -> Idle:
    """Return the moments before `deadline` from which on more processors stay idle until then, with their number."""
    idle: Idle = []
    for moment, free in profiles.steps(cluster):
        if moment >= deadline:
            break
        # The processors idle from an earlier moment on are limited by those free now.
        while idle and idle[-1][1] >= free:
            moment, _ = idle.pop()
        if free:
            idle.append((moment, free))
    return idle


def algorithm4(scaled: ScaledMosp, multiple: Fraction | int) -> TickSchedule:
    """Run MOCCA(α) as printed in Algorithm 4, section 5.2; α is `multiple`.

    Raises `NotPlacedError` if a job has no place, which is excluded for α ≥ 4; below, the paper leaves it open.
    """
    threshold = paper_bound(scaled) * multiple
    starts = list(scaled.local_starts)
    for organization in range(scaled.cluster_count):
        better = highest_first_starts(scaled, organization)
        alone = max((starts[job] + scaled.times[job] for job in better), default=0)
        by_height = max((start + scaled.times[job] for job, start in better.items()), default=0)
        if not (alone < threshold and alone < by_height):
            for job, start in better.items():
                starts[job] = start
    cut = cut_instance(replace(scaled, local_starts=tuple(starts)), paper_bound(scaled), multiple)
    kept, removed = kept_and_removed(cut)
    return TickSchedule.of(cut.scaled, [*kept, *backward_runs(cut, kept, removed)])


def section7(scaled: ScaledMosp, multiple: Fraction | int = 3) -> TickSchedule:
    """Run the variant of the experiments (section 7.1): one backward phase for all jobs, then compaction.

    The stored local schedules are used unchanged. `multiple` 4 is the variant of section 7.3.

    Raises `NotPlacedError` if a job has no place.
    """
    cut = cut_instance(scaled, paper_bound(scaled), multiple)
    kept, removed = kept_and_removed(cut)
    return TickSchedule.of(cut.scaled, [*kept, *compacted(cut, kept, backward_runs(cut, kept, removed))])


def backward_runs(cut: CutInstance, kept: Sequence[ClusterRun], moved: Iterable[int]) -> list[ClusterRun]:
    """List-schedule `moved` by HF in reversed time from the threshold on, on the smallest cluster with enough room.

    Step 4 of the MOCCA paper's Algorithm 4; `kept` must end by the threshold.

    Raises `NotPlacedError` if a job has no place after 0.
    """
    scaled, threshold = cut.scaled, cut.threshold
    mirrored = [mirror(cut, run) for run in kept]
    profiles = cut.profiles_with(mirrored)
    profiles.close(threshold)
    queue = highest_first(scaled, moved)
    runs = list_runs(profiles, scaled, smallest_first(scaled), queue)
    return [mirror(cut, run) for run in runs]


def mirror(cut: CutInstance, run: ClusterRun) -> ClusterRun:
    """Return `run` in time that is counted from the threshold back to 0."""
    return ClusterRun(run.job, run.cluster, cut.threshold - run.start - cut.scaled.times[run.job])


def compacted(cut: CutInstance, kept: Sequence[ClusterRun], moved: Iterable[ClusterRun]) -> list[ClusterRun]:
    """Advance `moved` into gaps, by start and each on its own cluster (MOCCA paper, section 7.1)."""
    scaled = cut.scaled
    profiles = cut.profiles_with(kept)
    advanced = []
    for run in sorted(moved, key=lambda run: (run.start, run.job)):
        advanced.append(earliest_run(profiles, scaled, run.job, [run.cluster]))
        profiles.occupy(run.cluster, advanced[-1].start, scaled.times[run.job], scaled.widths[run.job])
    return advanced
