"""Column generation for the bound by cluster sets (worker side).

The certificate has a weight for each job; `docs/api/certificates.rst` says why it proves its bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.pricing import Pricing
from oas.bounds.mosp.covering import Covering, Proven, generate
from oas.bounds.mosp.refuting import RefutingSearch
from oas.bounds.mosp.two_dimensional.scales import Scales

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.mosp.cluster_sets.pricing import Heaviest
    from oas.bounds.mosp.covering import Column
    from oas.bounds.request import BoundRequest
    from oas.solvers.isolation.session import Session

# Steps of a packing: more where fewer were not enough.
STEPS = (500, 5_000)
# Steps of one pricing, about a second: what it has found by then are columns, but no proof.
MAX_EFFORT = 5_000_000


def find_weights(request: BoundRequest, session: Session) -> dict[str, object]:
    """Return the certificate for the highest refuted makespan, if any; also streamed as the bound grows.

    Raises
    ------
    TooLargeError
        If jobs, or processors times ticks, are too many.
    """
    return _Generation(request, session).run()


class _Generation(RefutingSearch):
    def __init__(self, request: BoundRequest, session: Session) -> None:
        super().__init__(request, session)
        self.scaled = request.scaled
        self.columns: list[Column] = []

    def run(self) -> dict[str, object]:
        """Refute one makespan after the other, packing the more carefully the harder it gets."""
        level = 0
        while level < len(STEPS) and self.lower < self.upper and not self.must_stop():
            if not self._refute(self.lower, STEPS[level]):
                level += 1
                self.columns = []  # some only seemed to fit
        return self.found

    def _refute(self, makespan: int, steps: int) -> bool:
        mirrored = (False, True) if any(self.scaled.releases) else (False,)
        return any(self._prove(Scales(self.scaled, makespan, one), steps) for one in mirrored)

    def _prove(self, scales: Scales, steps: int) -> bool:
        proven = best_weights(scales, steps, self.columns, self.must_stop)
        if proven.value <= 1:
            return False
        certificate = {"weights": list(proven.weights), "steps": steps, "mirrored": scales.mirrored}
        self.refute(scales.makespan, {"makespan": scales.makespan, **certificate})
        return True


def best_weights(
    scales: Scales, steps: int, columns: list[Column], must_stop: Callable[[], bool], *, settled: bool = False
) -> Proven:
    """Return weights by which the jobs exceed what the clusters can hold, in the ratio `value`, or nearly do.

    Parameters
    ----------
    steps
        Of a packing.
    columns
        Sets that can run, to begin with; those found are added.
    must_stop
        Asked after each pricing.
    settled
        Go on to the best weights even where it is clear that they refute nothing.
    """
    jobs, sizes = scales.scaled.job_count, scales.sizes
    pricings = [Pricing(scales, size, steps) for size in sizes]
    counts = [scales.scaled.processors.count(size) for size in sizes]
    covering = Covering(range(jobs), [1.0] * jobs, [(one, 0.0) for one in counts])
    covering.add((kind, (job,)) for kind, pricing in enumerate(pricings) for job in pricing.jobs)
    covering.add(columns)
    priced: list[Heaviest] = []

    def prove(weights: Sequence[int]) -> Fraction:
        priced[:] = [one.heaviest(weights, 0, MAX_EFFORT) for one in pricings]
        room = sum(one.weight * count for one, count in zip(priced, counts, strict=True))
        if not all(one.complete for one in priced):
            return Fraction(0)
        return Fraction(sum(weights), room) if room else Fraction(2 if any(weights) else 0)

    def price(_: Sequence[int]) -> list[Column]:
        found = [(kind, jobs) for kind, one in enumerate(priced) for jobs in one.sets]
        columns.extend(found)
        return found

    def done(proven: Proven) -> bool:
        least = float(proven.value) * (1 + 1e-6) if settled else 1 + 1e-9
        return proven.value > 1 or proven.hope <= least or must_stop()

    typical = pricings[-1].typical
    start = [typical.get(job, 0.0) / scales.scaled.cluster_count for job in range(jobs)]
    return generate(covering, price, prove, done, start)
