"""Energetic intervals as measures: what jobs must run within an interval, wherever they start (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.start_tree.measures import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.start_tree.measures import Measure
    from oas.bounds.mosp.start_tree.timeline import Timeline

MAX_MOMENTS = 60  # at which intervals may begin, and end


def interval_measures(timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> list[Measure]:
    """Return for each kind of weights the interval in which jobs weigh most beyond the room for them.

    Intervals begin where jobs are released or reservations change, and end there or at the horizon. Jobs are taken as
    early and as late as they may run, without reservations.
    """
    scaled, horizon = timeline.scaled, timeline.horizon
    changes = (np.flatnonzero(np.diff(timeline.free[:-1])) + 1).tolist()
    own = {one for one in (*timeline.releases, *timeline.ends) if 0 < one < horizon}
    moments = _thinned(sorted({0, horizon, *changes, *own}))
    times = np.array(scaled.times, dtype=np.int64)
    soonest = np.array(timeline.releases, dtype=np.int64) + times
    latest = np.array(timeline.ends, dtype=np.int64) - times
    weights: list[Any] = [np.array(kind, dtype=np.float64) for kind in kinds]
    sums = [np.concatenate(([0], np.cumsum(timeline.room(kind)[:-1].astype(np.float64)))) for kind in kinds]
    best: list[tuple[float, int, int]] = [(float("-inf"), 0, horizon)] * len(kinds)
    for begin in moments[:-1]:
        for end in moments:
            if end <= begin:
                continue
            inside = np.clip(np.minimum.reduce([times, soonest - begin, end - latest]), 0, end - begin)
            for index, own in enumerate(weights):
                excess = float(np.dot(inside, own) - (sums[index][end] - sums[index][begin]))
                if excess > best[index][0]:
                    best[index] = (excess, begin, end)
    return [(Part(kind, ((begin, end, 1),)),) for kind, (_, begin, end) in zip(kinds, best, strict=True)]


def _thinned(moments: list[int]) -> list[Any]:
    """Return at most so many of them, the first and the last included."""
    if len(moments) <= MAX_MOMENTS:
        return moments
    return [moments[index * (len(moments) - 1) // (MAX_MOMENTS - 1)] for index in range(MAX_MOMENTS)]
