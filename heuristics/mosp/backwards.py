"""Jobs put in from a threshold backwards, beside local jobs that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.orders import highest_first, smallest_first
from heuristics.mosp.queueing import earliest_run, list_runs
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heuristics.mosp.threshold import CutInstance


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
