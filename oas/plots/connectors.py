"""Thin lines that join the parts of a co-allocated job across clusters."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.plots.lanes import Box, Lanes

_CANDIDATES = 16  # places along a run at which its connector may stand


def connectors(lanes: Lanes, boxes: Sequence[Box]) -> list[tuple[float, float, float]]:
    """Return the connectors as (time, upper end, lower end).

    A job's connector stands at one moment of its run: the earliest of those tried that cross the fewest boxes of
    other jobs and keep clear of the connectors before it.
    """
    drawn: list[tuple[float, float, float]] = []
    horizon = max((float(box.end) for box in boxes), default=0.0)
    for _, group in groupby(boxes, key=lambda box: (box.job, box.start)):
        parts = list(group)
        gaps = _gaps(lanes, parts)
        if not gaps:
            continue
        start, end = float(parts[0].start), float(parts[0].end)
        others = [
            (float(box.start), float(box.end), *_span(lanes, box))
            for box in boxes
            if box.job != parts[0].job and box.start < parts[0].end and box.end > parts[0].start
        ]
        moments = [start + (end - start) * index / _CANDIDATES for index in range(2, _CANDIDATES)]
        costs = [_cost(moment, gaps, others, drawn, horizon / 60) for moment in moments]
        x = moments[costs.index(min(costs))]
        drawn += [(x, top, bottom) for top, bottom in gaps]
    return drawn


def _gaps(lanes: Lanes, parts: Sequence[Box]) -> list[tuple[float, float]]:
    """Vertical stretches between a job's parts in one cluster and those in the next that it uses."""
    clusters = [list(group) for _, group in groupby(parts, key=lambda box: box.cluster)]
    spans = [(_span(lanes, boxes[0])[0], _span(lanes, boxes[-1])[1]) for boxes in clusters]
    return [(above[1], below[0]) for above, below in pairwise(spans)]


def _span(lanes: Lanes, box: Box) -> tuple[float, float]:
    top = lanes.top(box.cluster, box.first)
    return top, top + box.count


def _cost(
    moment: float,
    gaps: Sequence[tuple[float, float]],
    others: Sequence[tuple[float, float, float, float]],
    drawn: Sequence[tuple[float, float, float]],
    distance: float,
) -> float:
    cost = 0.0
    for top, bottom in gaps:
        cost += sum(
            # The middle of a box is where its label stands.
            3 if abs(moment - (start + end) / 2) < distance else 1
            for start, end, upper, lower in others
            if start <= moment < end and upper < bottom and lower > top
        )
        cost += sum(5 for x, upper, lower in drawn if abs(x - moment) < distance / 2 and upper < bottom and lower > top)
    return cost
