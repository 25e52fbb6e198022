"""The bound by partitions: a complete search distributes the jobs among the clusters.

It decides makespans for about five jobs per cluster, often for eight; beyond that there are too many sets. A partition
gives a schedule. Clusters of different sizes take more time, because they are not interchangeable.

Reservations are ignored, so a schedule may violate them. The certificate contains the weights that prune the search;
`oas.checker.mosp_partitions` proves the bound.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from oas.mosp.bounds.covering import Covering, Proven, generate, load_ratio
from oas.mosp.bounds.partitions.kernels import FOUND, REFUTED, STOPPED
from oas.mosp.bounds.partitions.pricing import Heaviest, Pricing
from oas.mosp.bounds.partitions.sharing import Sharing
from oas.mosp.bounds.scales import Scales
from oas.mosp.bounds.searched import RefutingSearch, SearchedBound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.mosp.bounds.covering import Column
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

BOUND = SearchedBound("partitions", search="oas.mosp.bounds.partitions:find_partition")
partition_bound = BOUND

# Steps of a packing, and efforts of the searches with weights, in turns: more steps if fewer do not decide.
STEPS = (500, 2_000)
EFFORTS = ((1_000_000, 8_000_000), (1_000_000, 8_000_000, 64_000_000))
# Steps of the searches for all W_k by one measure, about a second; an incomplete search gives only columns.
WEIGHT_EFFORT = 5_000_000
QUICK_EFFORT = 1_000_000  # of a search without weights, some tenths of a second
# Searches for a schedule in other orders: their number, their steps, and the deviation from the order by area.
QUICK_RESTARTS = (20, 1_000_000, 0.2)
RESTARTS = (60, 300_000, 0.4)
WEIGHTS_SHARE, RESTART_SHARE = 0.4, 0.3  # of the time left, for the weights, and for searches in other orders
LONGER = 8.0  # the next search may take eight times as long as the last one


class PartitionSearch(RefutingSearch):
    """The search for certificates that refute makespans; it ends if it finds a schedule instead."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        super().__init__(request, session)
        self.scaled = request.scaled

    def run(self) -> dict[str, object]:
        """Decide the highest open makespan, which ends the search; if undecided, the others from the lowest on."""
        if self.lower < self.upper - 1 and self._decide(self.upper - 1):
            return self.found
        while self.is_open() and self._decide(self.lower):
            pass
        return self.found

    def _decide(self, makespan: int) -> bool:
        """Refute the makespan, or find a schedule; return whether either succeeded."""
        scales = Scales(self.scaled, makespan, mirrored=any(self.scaled.releases))
        if self._search(scales, STEPS[0], [], QUICK_EFFORT) != STOPPED:
            return True
        if self._restart(scales, STEPS[0], [], QUICK_RESTARTS):
            return True
        for steps, efforts in zip(STEPS, EFFORTS, strict=True):
            weights = self._weights(scales, steps)
            if self._search(scales, steps, weights, efforts[0]) != STOPPED:
                return True
            if steps == STEPS[0] and self._restart(scales, steps, weights, RESTARTS):
                return True
            for effort in efforts[1:]:
                began = self.session.seconds
                if self._search(scales, steps, weights, effort) != STOPPED:
                    return True
                if self.must_stop() or self.seconds(1.0) < LONGER * (self.session.seconds - began):
                    break
        return False

    def _restart(
        self, scales: Scales, steps: int, weights: Sequence[Sequence[int]], kind: tuple[int, int, float]
    ) -> bool:
        """Run short searches in several orders; return whether one found a schedule."""
        sharing = Sharing(scales, steps, weights, WEIGHT_EFFORT)
        if not sharing.possible:
            return False
        draw, (times, effort, spread) = Random(0), kind
        until = self.session.seconds + self.seconds(RESTART_SHARE)
        for _ in range(times):
            if self.must_stop() or self.session.seconds > until:
                return False
            sharing.shuffle(draw, spread)
            answer = sharing.search(effort)
            if answer.status == FOUND:
                self.attain(answer.runs or ())
                return True
        return False

    def _weights(self, scales: Scales, steps: int) -> list[Sequence[int]]:
        """Return the weights that leave the least unused, or none if there is not enough time."""
        until = self.session.seconds + self.seconds(WEIGHTS_SHARE)
        proven = best_weights(scales, steps, lambda: self.must_stop() or self.session.seconds > until)
        return [proven.weights] if proven.value else []

    def _search(self, scales: Scales, steps: int, weights: Sequence[Sequence[int]], effort: int) -> int:
        """Search; return REFUTED, FOUND, or STOPPED if the search did not decide."""
        answer = Sharing(scales, steps, weights, WEIGHT_EFFORT).search(effort)
        if answer.status == REFUTED:
            certificate = {"weights": [list(row) for row in weights], "steps": steps, "mirrored": scales.mirrored}
            self.refute(scales.makespan, {"makespan": scales.makespan, **certificate})
        elif answer.status == FOUND:
            self.attain(answer.runs or ())
        else:
            return STOPPED
        return answer.status


def best_weights(scales: Scales, steps: int, must_stop: Callable[[], bool]) -> Proven:
    """Return the weights that maximise total weight of the jobs / capacity of the clusters, by column generation.

    `steps`: maximum steps of a packing. `must_stop`: called after each pricing; returns whether to end.
    """
    jobs, sizes = scales.scaled.job_count, scales.sizes
    pricings = [Pricing(scales, size, steps) for size in sizes]
    covering = Covering(range(jobs), [1.0] * jobs, [(count, 0.0) for count in scales.counts])
    covering.add((kind, (job,)) for kind, pricing in enumerate(pricings) for job in pricing.jobs)
    priced: list[Heaviest] = []

    def prove(weights: Sequence[int]) -> Fraction:
        priced[:] = [pricing.heaviest(weights, WEIGHT_EFFORT) for pricing in pricings]
        if not all(heaviest.complete for heaviest in priced):
            return Fraction(0)
        room = sum(heaviest.weight * count for heaviest, count in zip(priced, scales.counts, strict=True))
        return load_ratio(sum(weights), room)

    def price(_: Sequence[int]) -> list[Column]:
        return [(kind, jobs) for kind, heaviest in enumerate(priced) for jobs in heaviest.sets]

    def done(proven: Proven) -> bool:
        return proven.value > 1 or proven.hope <= float(proven.value) * (1 + 1e-6) or must_stop()

    typical = pricings[-1].typical
    start = [typical.get(job, 0.0) / scales.scaled.cluster_count for job in range(jobs)]
    return generate(covering, price, prove, done, start)


find_partition = PartitionSearch.start
