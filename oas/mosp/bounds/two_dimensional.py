"""The two-dimensional bound: jobs have weights in time and in processors; it accounts for deadlines of locality.

The certificate contains both weights of each job; `oas.checker.mosp_weighed` proves the bound. The search alternates
between the best heights for given times and the best times for these heights. Both are configuration programs, one of
sets of jobs side by side, one of chains. Load / capacity never decreases; its limit depends on the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from operator import mul
from typing import TYPE_CHECKING

from oas.mosp.bounds.covering import Covering, Proven, further_columns, generate, load_ratio
from oas.mosp.bounds.knapsack import heaviest_sets
from oas.mosp.bounds.scales import Scales, best_starts
from oas.mosp.bounds.searched import RefutingSearch, SearchedBound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.mosp.bounds.covering import Column
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

BOUND = SearchedBound("two-dimensional", search="oas.mosp.bounds.two_dimensional:find_scales")
two_dimensional_bound = BOUND

STARTS = 12
ROUNDS = 30
_GAIN = Fraction(1, 10_000)  # minimum gain of a round; otherwise the alternation ends
FURTHER = 4  # additional sets in each round, each the heaviest without the jobs of the sets before it
STEPS = 64  # the first step is 1/STEPS of the interval between the bounds

Weights = Sequence[int]


class Alternation(RefutingSearch):
    """The search that alternates between heights and times."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        super().__init__(request, session)
        self.scaled = request.scaled
        self.sets: dict[Column, None] = {}  # all sets of jobs side by side that were priced, in the order found
        self.last: Weights = request.heights

    def run(self) -> dict[str, object]:
        """Refute increasing makespans, in steps that grow after a success and shrink after a failure."""
        step = max(1, (self.upper - self.lower) // STEPS)
        while step and self.lower < self.upper and not self.must_stop():
            step = 2 * step if self._refute(min(self.lower + step, self.upper) - 1) else step // 2
        return self.found

    def _refute(self, makespan: int) -> bool:
        directions = [Scales(self.scaled, makespan)]
        if any(self.scaled.releases):
            directions.append(Scales(self.scaled, makespan, mirrored=True))
        for scales in directions:
            if any(self.last) and self._alternate(scales, None, self.last):
                return True
        return any(
            self._alternate(scales, times, ())
            for scales in directions
            for times in best_starts(scales, self.last, STARTS)
            if not self.must_stop()
        )

    def _alternate(self, scales: Scales, times: Weights | None, heights: Weights) -> bool:
        """Start from times, otherwise from heights; return whether a proof results."""
        best = Fraction(0)
        for _ in range(ROUNDS):
            if times is None or any(heights):
                times, proven = self._best_times(scales, heights)
                if self._keep(scales, times, heights, proven):
                    return True
            heights, proven = self._best_heights(scales, times)
            if self._keep(scales, times, heights, proven):
                return True
            if proven < best + _GAIN or self.must_stop():
                return False
            best = proven
        return False

    def _keep(self, scales: Scales, times: Weights, heights: Weights, proven: Fraction) -> bool:
        if proven <= 1:
            return False
        self.last = heights
        certificate = {"times": list(times), "heights": list(heights), "mirrored": scales.mirrored}
        self.refute(scales.makespan, {"makespan": scales.makespan, **certificate})
        return True

    def _best_heights(self, scales: Scales, times: Weights) -> tuple[Weights, Fraction]:
        longest = scales.longest(times)
        heaviest = partial(heaviest_sets, widths=self.scaled.widths, capacities=scales.sizes)

        def price(heights: Weights) -> list[Column]:
            columns = further_columns(heights, 1 + FURTHER, heaviest)
            self.sets.update(dict.fromkeys(columns))
            return columns

        def prove(heights: Weights) -> Fraction:
            return load_ratio(sum(map(mul, times, heights)), scales.room(longest, scales.highest(heights)))

        return self._solve(scales, times, longest, self.sets, price, prove)

    def _best_times(self, scales: Scales, heights: Weights) -> tuple[Weights, Fraction]:
        highest = scales.highest(heights)
        price = partial(further_columns, rounds=1 + FURTHER, heaviest_sets=scales.chains)

        def prove(times: Weights) -> Fraction:
            return load_ratio(sum(map(mul, times, heights)), scales.room(scales.longest(times), highest))

        return self._solve(scales, heights, highest, (), price, prove)

    def _solve(
        self,
        scales: Scales,
        demands: Weights,
        most: Weights,
        known: Iterable[Column],
        price: Callable[[Weights], Iterable[Column]],
        prove: Callable[[Weights], Fraction],
    ) -> tuple[Weights, Fraction]:
        """Cover the demands; `most` is the capacity of a cluster of each size for the fixed weights."""
        unit = max(*most, 1)
        kinds = [(count * weight / unit, 0.0) for count, weight in zip(scales.counts, most, strict=True)]
        covering = Covering(range(self.scaled.job_count), [demand / unit for demand in demands], kinds)
        covering.add(
            (kind, (job,))
            for kind, size in enumerate(scales.sizes)
            for job, width in enumerate(self.scaled.widths)
            if width <= size
        )
        covering.add(known)

        def done(proven: Proven) -> bool:
            return proven.value > 1 or proven.value >= proven.hope * (1 - 1e-7) or self.must_stop()

        proven = generate(covering, price, prove, done)
        return proven.weights, proven.value


find_scales = Alternation.start
