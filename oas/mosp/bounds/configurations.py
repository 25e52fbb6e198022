"""The configuration bound: jobs may be preempted and moved, but are packed exactly at each moment.

It uses reservations and releases, not locality. Column generation in the worker finds a weight for each job;
`oas.checker.mosp_weighed` proves the bound of given weights. Weights are priced exactly, so a faulty solver cannot make
the bound wrong.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.mosp.bounds.covering import Covering, Proven, further_columns, generate
from oas.mosp.bounds.knapsack import heaviest_by_capacity, heaviest_sets
from oas.mosp.bounds.searched import RefutingSearch, SearchedBound
from oas.mosp.bounds.volume import Volumes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from fractions import Fraction

    from oas.mosp.bounds.covering import Column
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

FURTHER = 6  # additional sets in each round, each the heaviest without the jobs of the sets before it
MAX_CELLS = 50_000_000  # jobs times processors; with more, the tables of the knapsacks take too much memory

BOUND = SearchedBound("configurations", search="oas.mosp.bounds.configurations:find_weights")
configuration_bound = BOUND


class WeightSearch(RefutingSearch):
    """Column generation over sets of jobs that fit side by side."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        super().__init__(request, session)
        self.scaled = request.scaled
        self.volumes = Volumes(request.instance)
        cells = self.scaled.job_count * self.volumes.largest
        if cells > MAX_CELLS:
            raise TooLargeError(f"jobs × processors are {cells:,}; at most {MAX_CELLS:,} can be priced")
        self.room = self.volumes.room(self.upper)
        self.capacities = sorted(self.room)
        self.time_scale = max(1.0, sum(self.scaled.times) / self.scaled.cluster_count)
        self.columns: list[Column] = [
            (kind, (job,))
            for kind, capacity in enumerate(self.capacities)
            for job, width in enumerate(self.scaled.widths)
            if width <= capacity
        ]

    def run(self) -> dict[str, object]:
        """Give equal weights to jobs of equal width first, then only to jobs of equal width and time."""
        self._generate(self.scaled.widths)
        if self.lower < self.upper and not self.must_stop():
            self._generate(list(zip(self.scaled.widths, self.scaled.times, strict=True)))
        return self.found

    def _generate(self, alike: Sequence[Hashable]) -> None:
        """Find the best weights that are equal for jobs with equal keys."""
        row_of = {key: row for row, key in enumerate(dict.fromkeys(alike))}
        rows = [row_of[key] for key in alike]
        demands = [0.0] * len(row_of)
        for row, time in zip(rows, self.scaled.times, strict=True):
            demands[row] += time / self.time_scale
        kinds = [(rate, constant / self.time_scale) for rate, constant in (self.room[c] for c in self.capacities)]
        covering = Covering(rows, demands, kinds)
        covering.add(self.columns)
        generate(covering, self._price, self._prove, self._done)

    def _price(self, weights: Sequence[int]) -> list[Column]:
        heaviest = partial(heaviest_sets, widths=self.scaled.widths, capacities=self.capacities)
        columns = further_columns(weights, 1 + FURTHER, heaviest)
        self.columns += columns
        return columns

    def _prove(self, weights: Sequence[int]) -> Fraction:
        most = heaviest_by_capacity(weights, self.scaled.widths, self.volumes.largest)
        ticks = self.volumes.weighed(weights, most.__getitem__) / self.scaled.tick
        if ticks > self.lower:
            self.refute(ceil(ticks) - 1, {"weights": list(weights)})
        return ticks

    def _done(self, known: Proven) -> bool:
        """Whether the bound cannot improve: the value of the program limits the bounds of weights."""
        return self.lower >= min(self.upper, ceil(known.hope * self.time_scale * (1 - 1e-9))) or self.must_stop()


find_weights = WeightSearch.start
