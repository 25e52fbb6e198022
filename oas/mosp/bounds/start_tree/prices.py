"""Measures from a start-indexed linear program (worker side): its duals are prices of processors over time.

min λ ≥ λ₀ such that Σ_s x_js ≥ 1 for each job, and Σ_j w_j·Σ_{s ≤ t < s + p_j} x_js ≤ λ·W(free_t) for each kind of
weights and each unit t. Rows of units are added if the last solution violates them. With λ₀ = 1 the program only
decides feasibility, which is faster; with λ₀ = 0 it measures the utilisation, and its duals are always useful.

The solver is not trusted: its duals become integer prices, and the bound is computed exactly.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.lp.program import LinearProgram
from oas.mosp.bounds.start_tree.measures import MAX_MEASURES, Part, measure_tables
from oas.mosp.bounds.volume import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.bounds.start_tree.measures import Measure, Timeline

MAX_COLUMNS = 60_000
PRICE_SCALE = 2**16
HEIGHT_SCALE = 2**12
ROWS_A_ROUND = 10  # of each kind of weights
APART = 2  # minimum distance of two rows that are added in one round, in units
VIOLATED = 1e-6
JOINING = 24  # maximum number of jobs tried as the narrowest of a clique
THRESHOLDS = 12  # number of widths tried as the smallest that counts
MAX_MOMENTS = 60  # maximum number of moments at which intervals may begin or end
BARRED = 10.0  # excess assigned to a violated row without capacity


def kinds_of_weights(timeline: Timeline, heights: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the weights worth pricing: q, jobs that exclude one another, and `heights` if any is above 0."""
    scaled = timeline.scaled
    kinds = [scaled.widths]
    levels = sorted({int(free) for free in timeline.free if free})
    for free in spread(levels, MAX_MEASURES - 3):  # of a certificate; two other kinds and a program make three more
        kinds.append(tuple(int(2 * width > free) for width in scaled.widths))
    highest = max(heights, default=0)
    if highest:
        kinds.append(tuple(-(-height * HEIGHT_SCALE // highest) for height in heights))
    return [kind for kind in dict.fromkeys(kinds) if any(kind)]


def further_weights(timeline: Timeline) -> list[tuple[int, ...]]:
    """Return weights worth trying without a program: cliques with a narrower job, and cut widths.

    A clique consists of the jobs wider than the space next to a narrower job, and of this job, which may be no wider
    than half of the cluster: all of them exclude one another. The other weights are dual feasible functions that count
    jobs too wide to run next to one of width h as the whole cluster, and jobs narrower than h as 0.
    """
    scaled = timeline.scaled
    size, widths = scaled.processors[0], scaled.widths

    def beside(width: int) -> int:
        return sum(time for time, other in zip(scaled.times, widths, strict=True) if other > size - width)

    joining = [job for job, width in enumerate(widths) if 2 * width <= size and beside(width)]
    joining.sort(key=lambda job: (-scaled.times[job] - beside(widths[job]), job))
    kinds = [
        tuple(int(width > size - widths[job] or other == job) for other, width in enumerate(widths))
        for job in joining[:JOINING]
    ]
    for least in spread(sorted({width for width in widths if 2 * width <= size}), THRESHOLDS):
        kinds.append(tuple(size if width > size - least else width * (width >= least) for width in widths))
    return list(dict.fromkeys(kinds))


def flat_measures(timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> list[Measure]:
    """Return a measure for each kind of weights, with price 1 in every unit."""
    return [(Part(weights, ((0, timeline.horizon, 1),)),) for weights in kinds]


def proves(timeline: Timeline, measure: Measure) -> bool:
    """Return whether the jobs weigh more by this measure than the capacity."""
    _, least, room = measure_tables(timeline, [measure], range(timeline.scaled.job_count))
    return sum(map(int, least[0, :, 0])) > int(room[0, 0])


class PriceProgram:
    """Linear program that prices the units of a timeline; every job has a start. `kinds`: see `kinds_of_weights`."""

    def __init__(self, timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> None:
        self.timeline, self.kinds = timeline, kinds
        scaled = timeline.scaled
        starts = [timeline.starts(job) for job in range(scaled.job_count)]
        self._starts = np.concatenate(starts)
        self._jobs = np.repeat(np.arange(scaled.job_count), [len(row) for row in starts])
        self._ends = self._starts + np.array(scaled.times, dtype=np.int64)[self._jobs]
        self._weights = [np.array(kind, dtype=np.float64) for kind in kinds]
        self._rooms = [timeline.room(kind)[:-1].astype(np.float64) for kind in kinds]
        self._rows: list[tuple[int, int]] = []
        self._program = LinearProgram()
        for _ in range(scaled.job_count):
            self._program.add_row(1)
        self._program.add_columns(self._jobs.tolist())
        self._scale = self._program.add_column(1, [], [])
        self.value = 0.0

    def solve(self, least: float, seconds: float) -> bool:
        """Add rows until none is violated or λ is above 1; return whether `seconds` sufficed. `least`: λ₀."""
        self._program.set_bounds(self._scale, least, np.inf)
        deadline = monotonic() + seconds
        while True:
            value = self._program.solve_within(deadline - monotonic())
            if value is None:
                return False
            self.value = value
            if value > 1 + VIOLATED or not self._separate(np.array(self._program.primal())):
                return True

    def measure(self) -> Measure:
        """Return the duals of the last solution as a measure; without parts if all are 0."""
        prices = [np.zeros(self.timeline.horizon) for _ in self.kinds]
        duals = self._program.duals()[self.timeline.scaled.job_count :]
        for (kind, unit), dual in zip(self._rows, duals, strict=True):
            prices[kind][unit] -= dual / max(self._rooms[kind][unit], 1.0)
        highest = max(float(row.max()) for row in prices)
        if highest <= 0:
            return ()
        parts = []
        for weights, row in zip(self.kinds, prices, strict=True):
            rounded = np.rint(np.maximum(row, 0) / highest * PRICE_SCALE).astype(np.int64)
            if rounded.any():
                parts.append(Part.of(weights, rounded.tolist()))
        return tuple(parts)

    def _separate(self, solution: Any) -> bool:
        """Add the rows that a solution violates most; return whether there are any."""
        used = np.flatnonzero(solution[:-1] > 1e-9)
        before = len(self._rows)
        for kind, (heights, room) in enumerate(zip(self._weights, self._rooms, strict=True)):
            change = np.zeros(self.timeline.horizon + 1)
            loads = solution[used] * heights[self._jobs[used]]
            np.add.at(change, self._starts[used], loads)
            np.add.at(change, self._ends[used], -loads)
            load = np.cumsum(change)[:-1]
            excess = np.where(room > 0, load / np.maximum(room, 1) - solution[-1], np.where(load > VIOLATED, BARRED, 0))
            for unit in _peaks(excess):
                columns = np.flatnonzero((self._starts <= unit) & (self._ends > unit))
                weights = heights[self._jobs[columns]]
                columns, weights = columns[weights > 0], weights[weights > 0] / max(room[unit], 1.0)
                entries = [*weights.tolist(), -1.0 if room[unit] > 0 else 0.0]
                self._program.add_row(-np.inf, 0.0, [*columns.tolist(), self._scale], entries)
                self._rows.append((kind, unit))
        return len(self._rows) > before


def _peaks(excess: Any) -> list[int]:
    """Return the units with the greatest excess, at a minimum distance from each other."""
    units: list[int] = []
    for unit in np.argsort(-excess, kind="stable"):
        if excess[unit] <= VIOLATED or len(units) == ROWS_A_ROUND:
            break
        if all(abs(unit - other) >= APART for other in units):
            units.append(int(unit))
    return units


def interval_measures(timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> list[Measure]:
    """Return for each kind of weights the interval in which the weight of the jobs exceeds the capacity most.

    Interval ends are changes of the reservations, earliest starts, latest ends, and the horizon. Jobs are considered at
    their earliest and latest positions between the reservations.
    """
    scaled, horizon = timeline.scaled, timeline.horizon
    changes = (np.flatnonzero(np.diff(timeline.free[:-1])) + 1).tolist()
    times = np.array(scaled.times, dtype=np.int64)
    starts = [timeline.starts(job) for job in range(scaled.job_count)]
    # A job without a start has (0, 0) here; every measure refutes it.
    extremes = [(row[0], row[-1]) if len(row) else (0, 0) for row in starts]
    first, latest = np.array(extremes, dtype=np.int64).T
    soonest = first + times
    limits = {0, horizon, *changes, *timeline.releases, *first.tolist(), *(latest + times).tolist()}
    moments = spread(sorted(moment for moment in limits if 0 <= moment <= horizon), MAX_MOMENTS)
    weights: list[Any] = [np.array(kind, dtype=np.float64) for kind in kinds]
    sums = [np.concatenate(([0], np.cumsum(timeline.room(kind)[:-1].astype(np.float64)))) for kind in kinds]
    best: list[tuple[float, int, int]] = [(float("-inf"), 0, horizon)] * len(kinds)
    for begin in moments[:-1]:
        for end in moments:
            if end <= begin:
                continue
            inside = np.clip(np.minimum.reduce([times, soonest - begin, end - latest]), 0, end - begin)
            for index, row in enumerate(weights):
                excess = float(np.dot(inside, row) - (sums[index][end] - sums[index][begin]))
                if excess > best[index][0]:
                    best[index] = (excess, begin, end)
    return [(Part(kind, ((begin, end, 1),)),) for kind, (_, begin, end) in zip(kinds, best, strict=True)]
