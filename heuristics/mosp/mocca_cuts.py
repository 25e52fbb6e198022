"""MOCCA(α): local schedules cut at α·LB, what ends later put in backwards from there; and section 7's variant."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.conditions import highest_first_starts
from heuristics.mosp.mocca_phases import kept_and_removed
from heuristics.mosp.orders import highest_first, smallest_first
from heuristics.mosp.queueing import earliest_run, list_runs
from heuristics.mosp.threshold import cut_instance, paper_bound
from heuristics.mosp.ticks import TickSchedule
from oas.core.errors import InputError
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heuristics.mosp.threshold import CutInstance
    from oas.problems.mosp.ticks import ScaledMosp

LEAST_CUT = 3


def algorithm4(scaled: ScaledMosp, multiple: Fraction) -> TickSchedule:
    """MOCCA(α) as printed in Algorithm 4, section 5.2; α is `multiple`.

    Raises
    ------
    NotPlacedError
        If not all jobs find a place; for α ≥ 4 they do, below that the paper does not know.
    """
    threshold = paper_bound(scaled) * _checked(multiple)
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


def section7(scaled: ScaledMosp, multiple: Fraction = Fraction(3)) -> TickSchedule:
    """The variant of the paper's experiments (section 7.1): one backward phase for all jobs, then compaction.

    The stored local schedules are taken as they are. With `multiple` 4 it is the one of section 7.3.

    Raises
    ------
    NotPlacedError
        If not all jobs find a place.
    """
    cut = cut_instance(scaled, paper_bound(scaled), _checked(multiple))
    kept, removed = kept_and_removed(cut)
    return TickSchedule.of(cut.scaled, [*kept, *compacted(cut, kept, backward_runs(cut, kept, removed))])


def _checked(multiple: Fraction) -> Fraction:
    if multiple < LEAST_CUT:
        raise InputError(f"must be at least {LEAST_CUT}", field="cut", value=str(multiple))
    return multiple


def backward_runs(cut: CutInstance, kept: Sequence[ClusterRun], moved: Iterable[int]) -> list[ClusterRun]:
    """List-schedule `moved` by HF in reversed time from the threshold on, on the smallest cluster that has room.

    Step 4 of the MOCCA paper's Algorithm 4; `kept` must end by the threshold.

    Raises
    ------
    NotPlacedError
        If not all find a place after 0.
    """
    scaled, threshold = cut.scaled, cut.threshold
    mirrored = [mirror(cut, run) for run in kept]
    profiles = cut.profiles_with(mirrored)
    profiles.close(threshold)
    queue = highest_first(scaled, moved)
    runs = list_runs(profiles, scaled, smallest_first(scaled), queue) if queue else []
    return [mirror(cut, run) for run in runs]


def mirror(cut: CutInstance, run: ClusterRun) -> ClusterRun:
    """Return `run` with time running from the threshold to 0."""
    return ClusterRun(run.job, run.cluster, cut.threshold - run.start - cut.scaled.times[run.job])


def compacted(cut: CutInstance, kept: Sequence[ClusterRun], moved: Iterable[ClusterRun]) -> list[ClusterRun]:
    """Advance `moved`, in order of their starts and each on its cluster, into gaps (MOCCA paper, section 7.1)."""
    scaled = cut.scaled
    profiles = cut.profiles_with(kept)
    advanced = []
    for run in sorted(moved, key=lambda one: (one.start, one.job)):
        advanced.append(earliest_run(profiles, scaled, run.job, [run.cluster]))
        profiles.occupy(run.cluster, advanced[-1].start, scaled.times[run.job], scaled.widths[run.job])
    return advanced
