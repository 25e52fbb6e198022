"""Volume bounds: processors weighed by a superadditive function, times time.

For any moment r, the jobs released at r or later need Σ f(q)·p of the integral of Σ_k f(free processors of cluster k);
`oas.checker.mosp_simple` contains the theorem and its proof. Clusters of different sizes and reservations are covered.
f(q) = q gives the area bound, f(q) = ⌊q/w⌋ counts the jobs of width w that fit side by side, and every superadditive
dual feasible function gives another bound. The same holds for any weights w_j of the jobs if f(c) is the maximum weight
of jobs that fit on c processors.

Many functions are evaluated together, as rows of arrays of 64-bit integers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.mosp.bounds.knapsack import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.mosp.instance import MospInstance
    from oas.mosp.ticks import ScaledMosp

NEVER = 2**62  # end of the last interval
CELLS = 2**16  # approximate size of arrays with a row for each function; larger ones exceed the processor's cache
MAX_CELLS = 20_000_000  # functions × steps up to which all functions are evaluated


@dataclass(frozen=True)
class FreeSteps:
    """The free processors of one cluster."""

    moments: Any  # times of possible changes, in ticks: 0 and the ends of reservations, ascending, without repetition
    free: Any  # number of free processors from each moment to the next; all processors from the last on

    def intervals(self, width: int) -> tuple[Any, Any]:
        """Return begins and ends of the maximal intervals with at least `width` free processors, ascending.

        `width`: at most the size of the cluster; so there is a last interval, and its end is `NEVER`.
        """
        turns = self.moments[np.flatnonzero(np.diff(self.free >= width, prepend=False))]
        return turns[::2], np.append(turns[1::2], NEVER)


def free_steps(scaled: ScaledMosp) -> list[FreeSteps]:
    """Return the free processors of each cluster, without jobs."""
    reservations = np.array(scaled.reservations, dtype=np.int64).reshape(-1, 4)
    steps = []
    for cluster, size in enumerate(scaled.processors):
        _, start, end, processors = reservations[reservations[:, 0] == cluster].T
        moments = np.concatenate(([0], start, end))
        changes = np.concatenate(([size], -processors, processors))
        order = np.argsort(moments, kind="stable")
        moments, free = moments[order], np.cumsum(changes[order])
        complete = np.append(moments[1:] != moments[:-1], True)  # includes all changes at this moment
        steps.append(FreeSteps(moments[complete], free[complete]))
    return steps


class Volumes:
    """Quantities of an instance that all volume bounds use.

    Attributes: `largest`: M, processors of the largest cluster. `sizes`: the sizes of clusters, ascending, each once.
    `widths`: the jobs' q, ascending, each once.
    """

    def __init__(self, instance: MospInstance) -> None:
        scaled = instance.scaled()
        self.tick = scaled.tick
        self.largest = max(scaled.processors)
        self.sizes = sorted(set(scaled.processors))
        self.widths = sorted(set(scaled.widths))
        # The changes of all clusters' free processors in time order.
        steps = free_steps(scaled)
        moments = np.concatenate([cluster.moments for cluster in steps])
        order = np.argsort(moments, kind="stable")
        after = np.concatenate([cluster.free for cluster in steps])[order]
        before = np.concatenate([np.append(0, cluster.free[:-1]) for cluster in steps])[order]
        self._changed = moments[order]
        self._complete = np.flatnonzero(np.append(np.diff(self._changed) > 0, True))
        self._moments = self._changed[self._complete]
        self._levels = np.unique(np.append(0, after))
        self._after, self._before = np.searchsorted(self._levels, after), np.searchsorted(self._levels, before)
        self._clusters = scaled.cluster_count
        # The total time of the jobs of each release and width.
        self._times = np.array(scaled.times)
        self._releases, self._release_of = np.unique(np.array(scaled.releases), return_inverse=True)
        place = self._release_of * len(self.widths) + np.searchsorted(self.widths, np.array(scaled.widths))
        kinds, kind_of = np.unique(place, return_inverse=True)
        self._kind_times = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(self._kind_times, kind_of, self._times)
        release, self._kind_widths = np.divmod(kinds, len(self.widths))
        self._first_kinds = np.searchsorted(release, np.arange(len(self._releases)))
        first = np.searchsorted(self._moments, self._releases, side="right") - 1
        self._begun, self._since = first, self._releases - self._moments[first]
        self._last = int(max(self._moments[-1], self._releases[-1]))  # the last moment at which anything changes

    def room(self, before: int) -> dict[int, tuple[int, int]]:
        """Return the total time until C in which clusters have c free processors: {c: (a, b)} for a·C + b ticks.

        `before`: changes at this tick or later are ignored; the result is exact for C between the last change before it
        and this tick.
        """
        rooms: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        levels = self._levels.tolist()
        columns = (self._changed, self._after, self._before)
        for moment, *places in zip(*(column.tolist() for column in columns), strict=True):
            for place, count in zip(places, (1, -1), strict=True):
                if levels[place] and moment < before:
                    rate, constant = rooms[levels[place]]
                    rooms[levels[place]] = (rate + count, constant - count * moment)
        return dict(rooms)

    def bound(self, weight: Callable[[Any, Any], Any], parameters: Sequence[int]) -> Fraction:
        """Return the greatest bound over functions and moments r; 0 if nothing has any weight.

        If there are too many functions, only some of them are used; each gives a valid bound.

        `weight`: ``weight(parameter, q)`` is f(q), superadditive on 0, …, `largest`. It is called with a column of
        parameters and a row of processors, as 64-bit integers, which must hold its values. `parameters`: one for each
        function.
        """
        row = len(self._kind_times) + len(self._changed)
        rows = max(1, CELLS // row)
        parameters = spread(parameters, max(2, MAX_CELLS // row))
        best = Fraction(0)
        longest = int(self._times.sum()) + self._clusters * self._last
        for start in range(0, len(parameters), rows):
            column = np.array(parameters[start : start + rows], dtype=np.int64)[:, np.newaxis]
            jobs, levels = weight(column, np.array(self.widths)), weight(column, self._levels)
            if int(levels.max()) * longest >= EXACT:
                jobs, levels = jobs.astype(object), levels.astype(object)
            work = np.add.reduceat(jobs.take(self._kind_widths, axis=1) * self._kind_times, self._first_kinds, axis=1)
            best = max(best, self._greatest(work, levels))
        return best * self.tick

    def weighed(self, weights: Sequence[int], most: Callable[[int], int]) -> Fraction:
        """Return the greatest bound over all moments r for given weights of the jobs; 0 if nothing has any weight.

        `weights`: w_j, at least 0. `most`: ``most(c)`` bounds the weight of jobs with Σ q ≤ c.
        """
        work = [0] * len(self._releases)
        for weight, time, place in zip(weights, self._times.tolist(), self._release_of.tolist(), strict=True):
            work[place] += weight * time
        levels = [most(free) for free in self._levels.tolist()]
        exact = sum(work) + max(levels) * self._clusters * self._last < EXACT
        dtype = np.int64 if exact else object
        return self._greatest(np.array([work], dtype=dtype), np.array([levels], dtype=dtype)) * self.tick

    def _greatest(self, work: Any, levels: Any) -> Fraction:
        """Return the greatest bound in ticks from the work released at each moment and f of each number of processors.

        The last rate is positive if there is work, because a job with positive weight fits a whole cluster, whose
        weight is no smaller.
        """
        changes = levels.take(self._after, axis=1) - levels.take(self._before, axis=1)
        rates = np.cumsum(changes, axis=1).take(self._complete, axis=1)
        filled = np.zeros_like(rates)
        np.cumsum(rates[:, :-1] * np.diff(self._moments), axis=1, out=filled[:, 1:])
        left = np.cumsum(work[:, ::-1], axis=1)[:, ::-1]
        begun = filled.take(self._begun, axis=1) + rates.take(self._begun, axis=1) * self._since
        targets = np.where(left > 0, begun + left, 0).max(axis=1)
        return max(map(self._end, rates, filled, targets))

    def _end(self, rates: Any, filled: Any, target: Any) -> Fraction:
        """Return the first moment at which the integral of the rates is `target`; 0 if `target` is 0."""
        index = int(np.searchsorted(filled, target)) - 1
        if index < 0:
            return Fraction(0)
        return int(self._moments[index]) + Fraction(int(target - filled[index]), int(rates[index]))


def spread(values: Sequence[int], count: int) -> list[int]:
    """Return `count` ≥ 2 values, evenly spread, with the first and the last; all values if there are no more."""
    if len(values) <= count:
        return list(values)
    return [values[index * (len(values) - 1) // (count - 1)] for index in range(count)]
