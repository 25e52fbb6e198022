"""Knapsacks for clusters of different sizes: what one of each size can run no more of, by dual feasible functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.chains import heaviest_chain
from oas.bounds.mosp.cluster_sets.pricing import KNAPSACKS, MAX_CAPACITY, feasible_functions
from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.mosp.spread import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.two_dimensional.scales import Scales

THRESHOLDS = 12  # of the functions of times; and of widths for each of so many sizes, spread over all:
SIZES = 4


def measures(scales: Scales, jobs: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
    """Return weights of the jobs, and what a cluster of each size holds of them at most, for up to `KNAPSACKS` rows.

    A weight is a function of the time by one of the width. A cluster holds no more than the heaviest chain by the one,
    of jobs that fit on it, times the heaviest set side by side by the other, as in the two-dimensional bound. Of all
    products those are taken of which the clusters together hold least in proportion to the jobs.

    Parameters
    ----------
    scales
        The instance and the makespan.
    jobs
        Each fits on the largest clusters, and ends in time.
    """
    scaled, sizes = scales.scaled, scales.sizes
    times, widths = [scaled.times[job] for job in jobs], [scaled.widths[job] for job in jobs]
    deadlines = [scales.deadlines[job] for job in jobs]
    lengths = feasible_functions(times, scales.makespan, THRESHOLDS)
    some = spread(sizes, SIZES)
    heights = list(dict.fromkeys(row for size in some for row in feasible_functions(widths, size, THRESHOLDS)))
    longest = [[_chain(row, times, widths, deadlines, size) for size in sizes] for row in lengths]
    tables = [heaviest_by_capacity(row, widths, sizes[-1]) for row in heights]
    highest = [[table[size] for size in sizes] for table in tables]
    counts = [scaled.processors.count(size) for size in sizes]
    held = (np.array(longest, dtype=float) * counts) @ np.array(highest, dtype=float).T
    weighed = np.array(lengths, dtype=float) @ np.array(heights, dtype=float).T
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num(weighed / held, posinf=np.inf)
    rows: list[list[int]] = []
    most: list[list[int]] = []
    for place in np.argsort(-ratios, axis=None, kind="stable").tolist():
        v, y = divmod(place, len(heights))
        room = [a * b for a, b in zip(longest[v], highest[y], strict=True)]
        unit = max(1, -(-max(room) // MAX_CAPACITY))
        row = [a * b // unit for a, b in zip(lengths[v], heights[y], strict=True)]
        if any(row) and row not in rows:
            rows.append(row)
            most.append([one // unit for one in room])
        if len(rows) == KNAPSACKS:
            break
    return rows, most


def _chain(weights: Sequence[int], times: Sequence[int], widths: Sequence[int], deadlines: Any, size: int) -> int:
    """The heaviest chain of jobs no wider than that."""
    fitting = [one if width <= size else 0 for one, width in zip(weights, widths, strict=True)]
    return heaviest_chain(fitting, times, deadlines)[0]
