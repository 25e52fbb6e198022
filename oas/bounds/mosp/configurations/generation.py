"""Column generation for the configuration bound (worker side).

The certificate is a weight for each job; `docs/api/certificates.rst` says why it proves its bound.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from oas.bounds.mosp.covering import Covering, Proven, generate
from oas.bounds.mosp.knapsack import heaviest_by_capacity, heaviest_sets
from oas.bounds.mosp.volume import Volumes
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from fractions import Fraction

    from oas.bounds.mosp.covering import Column
    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.session import Session

# Further sets a round, each heaviest without the jobs of those before.
FURTHER = 6
# Jobs times processors: beyond it the tables of the knapsacks take too much memory.
MAX_CELLS = 50_000_000


def find_weights(request: BoundRequest, session: Session) -> list[int]:
    """Return weights of the jobs; also streamed as what they prove grows.

    Raises
    ------
    TooLargeError
        If jobs or processors are too many.
    """
    return _Generation(request, session).run()


class _Generation:
    def __init__(self, request: BoundRequest, session: Session) -> None:
        self.session = session
        self.upper = request.upper
        self.scaled = request.scaled
        self.volumes = Volumes(request.instance)
        cells = self.scaled.job_count * self.volumes.largest
        if cells > MAX_CELLS:
            raise TooLargeError(f"jobs × processors are {cells:,}; at most {MAX_CELLS:,} can be priced")
        self.room = self.volumes.room(self.upper)
        self.capacities = sorted(self.room)
        self.unit = max(1.0, sum(self.scaled.times) / self.scaled.cluster_count)
        self.best = 0
        self.weights = [0] * self.scaled.job_count
        self.columns: list[Column] = [
            (kind, (job,))
            for kind, capacity in enumerate(self.capacities)
            for job, width in enumerate(self.scaled.widths)
            if width <= capacity
        ]

    def run(self) -> list[int]:
        """Jobs of equal width as one first: that no job can run beside itself seldom counts, and takes more rows."""
        self._generate(self.scaled.widths)
        if self.best < self.upper and not self._must_stop():
            self._generate(list(zip(self.scaled.widths, self.scaled.times, strict=True)))
        return self.weights

    def _generate(self, alike: Sequence[Hashable]) -> None:
        """Find the best weights that are the same for jobs of the same key."""
        row_of = {key: row for row, key in enumerate(dict.fromkeys(alike))}
        rows = [row_of[key] for key in alike]
        demands = [0.0] * len(row_of)
        for row, time in zip(rows, self.scaled.times, strict=True):
            demands[row] += time / self.unit
        kinds = [(rate, constant / self.unit) for rate, constant in (self.room[c] for c in self.capacities)]
        covering = Covering(rows, demands, kinds)
        covering.add(self.columns)
        generate(covering, self._price, self._prove, self._done)

    def _price(self, weights: Sequence[int]) -> list[Column]:
        left = list(weights)
        found: list[Column] = []
        for _ in range(1 + FURTHER):
            sets = [jobs for _, jobs in heaviest_sets(left, self.scaled.widths, self.capacities)]
            if not sets[-1]:
                break
            found += [(kind, jobs) for kind, jobs in enumerate(sets) if jobs]
            for job in sets[-1]:
                left[job] = 0
        self.columns += found
        return found

    def _prove(self, weights: Sequence[int]) -> Fraction:
        most = heaviest_by_capacity(weights, self.scaled.widths, self.volumes.largest)
        value = self.volumes.weighed(weights, most.__getitem__)
        ticks = ceil(value / self.scaled.tick)
        if ticks > self.best:
            self.best, self.weights = ticks, list(weights)
            self.session.partial(self.weights)
            self.session.progress(ticks, None)
        return value / self.scaled.tick

    def _done(self, known: Proven) -> bool:
        """Whether no further tick is to be had: the value of the program is more than what it can come to."""
        return self.best >= min(self.upper, ceil(known.hope * self.unit * (1 - 1e-9))) or self._must_stop()

    def _must_stop(self) -> bool:
        return self.session.stop.requested or self.session.time_is_up
