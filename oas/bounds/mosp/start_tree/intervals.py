"""Energetic intervals as measures: what jobs must run within an interval, wherever they start (worker side)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.start_tree.measures import Part
from oas.bounds.mosp.volume import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.start_tree.measures import Measure
    from oas.bounds.mosp.start_tree.timeline import Timeline

MAX_MOMENTS = 60  # at which intervals may begin, and end


def interval_measures(timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> list[Measure]:
    """Return for each kind of weights the interval in which jobs weigh most beyond the room for them.

    Intervals begin and end where reservations change, where jobs may first start or must last end, and at the horizon.
    Jobs are taken as early and as late as they may run beside the reservations.
    """
    scaled, horizon = timeline.scaled, timeline.horizon
    changes = (np.flatnonzero(np.diff(timeline.free[:-1])) + 1).tolist()
    times = np.array(scaled.times, dtype=np.int64)
    first, latest = _extremes(timeline)
    soonest = first + times
    own = {one for one in (*timeline.releases, *first.tolist(), *(latest + times).tolist()) if 0 < one < horizon}
    moments = spread(sorted({0, horizon, *changes, *own}), MAX_MOMENTS)
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


def _extremes(timeline: Timeline) -> tuple[Any, Any]:
    """Return the first and the last start of each job; 0 for one that has none, which any measure refutes."""
    starts = [timeline.starts(job) for job in range(timeline.scaled.job_count)]
    ends = [(own[0], own[-1]) if len(own) else (0, 0) for own in starts]
    first, last = np.array(ends, dtype=np.int64).T
    return first, last
