"""One cluster in whole units of time until a horizon, and measures: prices that bound what it can hold until then.

`oas.checker.mosp_measures` defines measures and proves that they bound schedules. With w = q, the prices are the duals
of a start-indexed linear program; prices of 1 on an interval and 0 elsewhere give energetic reasoning; and any
superadditive function f gives weights f(q), for which W(c) ≤ f(c).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import TooLargeError
from oas.mosp.bounds.knapsack import heaviest_by_capacity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oas.mosp.ticks import ScaledMosp

MAX_HORIZON = 20_000
MAX_PROCESSORS = 1_000_000
MAX_MEASURES = 200
MAX_CELLS = 10_000_000  # measures × jobs × units
NEVER = 2**55
LIMIT = 2**54  # of the total weight of all jobs, or of all moments, in a measure: larger sums might overflow


@dataclass(frozen=True)
class Timeline:
    """The cluster of an instance with one cluster, and a makespan to refute.

    A *unit* is the common divisor of all times, releases and reservations: some optimal schedule starts every job at a
    multiple of it. Raises `TooLargeError` if there is more than one cluster, or the horizon or the number of
    processors is too large.
    """

    scaled: ScaledMosp  # the instance, one tick a unit (`coarsened`)
    horizon: int  # the makespan, in units
    mirrored: bool = False  # whether time runs backwards from the horizon

    def __post_init__(self) -> None:
        clusters, processors = self.scaled.cluster_count, self.scaled.processors[0]
        if clusters != 1:
            raise TooLargeError(f"{clusters:,} clusters; only one can be weighed moment by moment")
        if self.horizon > MAX_HORIZON or processors > MAX_PROCESSORS:
            raise TooLargeError(
                f"{self.horizon:,} units of time, {processors:,} processors; at most {MAX_HORIZON:,} and "
                f"{MAX_PROCESSORS:,} can be listed"
            )

    @cached_property
    def free(self) -> Any:
        """Processors that reservations leave free in each unit, and 0 at the horizon: int64, horizon + 1 of them."""
        change = np.zeros(self.horizon + 1, dtype=np.int64)
        change[0] = self.scaled.processors[0]
        for _, start, end, processors in self.scaled.reservations:
            change[min(start, self.horizon)] -= processors
            change[min(end, self.horizon)] += processors
        free = np.cumsum(change)
        free[-1] = 0
        if self.mirrored:
            free[:-1] = free[-2::-1]
        return free

    @cached_property
    def releases(self) -> tuple[int, ...]:
        """The unit from which each job may run."""
        return (0,) * self.scaled.job_count if self.mirrored else self.scaled.releases

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The unit by which each job must have ended."""
        if self.mirrored:
            return tuple(self.horizon - release for release in self.scaled.releases)
        return (self.horizon,) * self.scaled.job_count

    def starts(self, job: int) -> Any:
        """Return the possible starts of `job` next to the reservations, within its own time window; ascending."""
        time, first, last = self.scaled.times[job], self.releases[job], self.ends[job] - self.scaled.times[job]
        if last < first:
            return np.zeros(0, dtype=np.int64)
        narrow = np.concatenate(([0], np.cumsum(self.free[:-1] < self.scaled.widths[job])))
        return np.flatnonzero(narrow[first + time : last + time + 1] == narrow[first : last + 1]) + first

    def room(self, weights: Sequence[int]) -> Any:
        """Return the maximum weight of simultaneous jobs in each unit of time, and 0 at the horizon."""
        most = heaviest_by_capacity(weights, self.scaled.widths, self.scaled.processors[0])
        return np.array(most)[self.free]


@dataclass(frozen=True)
class Part:
    """Weights of the jobs, and prices from unit 0 on as (from, to, price); 0 elsewhere."""

    weights: tuple[int, ...]
    prices: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, weights: Sequence[int], prices: Sequence[int]) -> Part:
        """Make a part from the price of each unit."""
        runs: list[tuple[int, int, int]] = []
        for unit, price in enumerate(prices):
            if price and runs and runs[-1][1:] == (unit, price):
                runs[-1] = (runs[-1][0], unit + 1, price)
            elif price:
                runs.append((unit, unit + 1, price))
        return cls(tuple(weights), tuple(runs))

    @property
    def document(self) -> dict[str, object]:
        """The part in the form of the certificate."""
        return {"weights": list(self.weights), "prices": [list(run) for run in self.prices]}

    def until(self, horizon: int) -> Part:
        """Return the part without its prices from the horizon on."""
        return Part(self.weights, tuple((a, min(b, horizon), price) for a, b, price in self.prices if a < horizon))

    def only(self, jobs: Collection[int]) -> Part:
        """Return the part with weight 0 for all other jobs."""
        selected = set(jobs)
        return Part(tuple(weight * (job in selected) for job, weight in enumerate(self.weights)), self.prices)


Measure = tuple[Part, ...]


def measure_tables(timeline: Timeline, measures: Sequence[Measure], order: Sequence[int]) -> tuple[Any, Any, Any]:
    """Return measures as arrays of int64, for the jobs in this order and the units from 0 to the horizon.

    weight[v, j, t]: weight of job j by measure v if it ran from 0 to t. least[v, j, t]: its minimum weight over starts
    from t on, `NEVER` if there are none. room[v, t]: maximum weight of all jobs from t on.

    Raises `TooLargeError` if jobs, units and measures are too many, or weights or prices too large.
    """
    shape = (len(measures), len(order), timeline.horizon + 1)
    if len(measures) * len(order) * (timeline.horizon + 1) > MAX_CELLS:
        raise TooLargeError(f"measures × jobs × units of time are above {MAX_CELLS:,}")
    weight, least = np.zeros(shape, dtype=np.int64), np.full(shape, NEVER, dtype=np.int64)
    room = np.zeros((len(measures), timeline.horizon + 1), dtype=np.int64)
    starts = [timeline.starts(job) for job in order]
    for v, measure in enumerate(measures):
        for part in measure:
            total = sum((end - first) * price for first, end, price in part.prices)
            if total * sum(part.weights) > LIMIT // MAX_MEASURES:  # sums might overflow
                raise TooLargeError("weights times prices of a measure are too large")
            prices = np.zeros(timeline.horizon, dtype=np.int64)
            for begin, end, price in part.prices:
                prices[begin:end] = price
            sums = np.concatenate(([0], np.cumsum(prices)))
            weight[v] += np.array([part.weights[job] for job in order], dtype=np.int64)[:, None] * sums
            room[v, :-1] += np.cumsum((timeline.room(part.weights)[:-1] * prices)[::-1])[::-1].astype(np.int64)
        if int(room[v].max()) > LIMIT or int(weight[v, :, -1].max()) * len(order) > LIMIT:
            raise TooLargeError("weights times prices of a measure are too large")
        for row, job in enumerate(order):
            until, first = weight[v, row], starts[row]
            least[v, row, first] = until[first + timeline.scaled.times[job]] - until[first]
            least[v, row] = np.minimum.accumulate(least[v, row, ::-1])[::-1]
    return weight, least, room
