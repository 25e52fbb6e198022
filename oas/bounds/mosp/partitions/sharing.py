"""Sharing the jobs out among equal clusters: a complete search that either finds how, or proves that they cannot."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oas.bounds.mosp.cluster_sets.pricing import Pricing, pack_memory
from oas.bounds.mosp.partitions.kernels import FOUND, REFUTED, STOPPED, Memory, Shapes
from oas.bounds.mosp.two_dimensional.certificate import Scales
from oas.core.errors import TooLargeError
from oas.problems.mosp.ticks import ScaledMosp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

# Sums over jobs, times clusters, fit into 64 bits: 2^7 · 2^48 · 2^7.
MAX_WEIGHT = 2**48
# Sets, and jobs left, that are remembered.
KNOWN, FAILED = 1 << 19, 1 << 17


class Answer(NamedTuple):
    """How a search ended, the steps it took, and (cluster, start) of each job if it found a schedule."""

    status: int
    steps: int
    runs: list[tuple[int, int]] | None = None


class Sharing:
    """Whether jobs can be shared out among the equal clusters of `scales`, such that each can run its own in time.

    Parameters
    ----------
    scales
        The instance, makespan and direction of time.
    steps
        Of each packing; a set not decided by then counts as one that can run, but makes no schedule.
    weights
        Of all jobs, for each of some measures beside the knapsacks of `Pricing`.
    effort
        Steps for the most that a cluster can hold by each of them.

    Attributes
    ----------
    order
        The jobs of `pricing` by their positions, in the order in which sets are searched; may be changed.

    Raises
    ------
    TooLargeError
        If clusters differ in size, or jobs, processors times ticks or weights are too many or too large.
    """

    def __init__(self, scales: Scales, steps: int, weights: Sequence[Sequence[int]], effort: int) -> None:
        if len(scales.sizes) > 1:
            raise TooLargeError("clusters of different sizes; jobs are shared out among equal ones only")
        if any(max(row) > MAX_WEIGHT for row in weights):
            raise TooLargeError(f"weights beyond {MAX_WEIGHT}; these cannot be added up")
        self.scales = scales
        self.pricing = pricing = Pricing(scales, scales.sizes[0], steps)
        self.possible = len(pricing.jobs) == scales.scaled.job_count
        if not self.possible:
            return
        sizes, capacities = pricing.knapsacks
        rows, most = sizes.tolist(), capacities.tolist()
        for row in weights:
            found = pricing.heaviest(row, 0, effort)
            if found.complete:
                rows.append([row[job] for job in pricing.jobs])
                most.append(found.weight)
        self.knapsacks = len(sizes)
        self.steps = steps
        self.weights, self.capacities = _numbers(rows), _numbers(most)
        self.order = list(range(len(pricing.jobs)))

    def shuffle(self, draw: Random, spread: float) -> None:
        """Put the jobs in another order: by area, each times a random factor, e to the power of so many deviations."""
        pricing = self.pricing
        areas = [time * width for time, width in zip(pricing.times, pricing.widths, strict=True)]
        keys = [area * exp(spread * draw.gauss(0, 1)) for area in areas]
        self.order = sorted(range(len(keys)), key=lambda job: -keys[job])

    def shapes(self) -> Shapes:
        """Return what the loops work on, the jobs in `order`."""
        pricing, order = self.pricing, self.order
        kinds = [(pricing.times[j], pricing.widths[j], pricing.deadlines[j]) for j in order]
        before = [max((i for i in range(j) if kinds[i] == kind), default=-1) for j, kind in enumerate(kinds)]
        clusters = min(self.scales.scaled.cluster_count, len(order))
        return Shapes(
            sizes=_numbers([len(order), len(self.weights), clusters, pricing.size, pricing.makespan, self.steps]),
            times=_numbers([time for time, _, _ in kinds]),
            widths=_numbers([width for _, width, _ in kinds]),
            deadlines=_numbers([deadline for _, _, deadline in kinds]),
            rank=pricing.rank[order],
            twin=_numbers(before),
            heights=np.ascontiguousarray(pricing.heights[:, [*order, -1]]),
            weights=np.ascontiguousarray(self.weights[:, order]),
            capacities=self.capacities,
        )

    def search(self, effort: int) -> Answer:
        """Search with at most so many steps."""
        if not self.possible:
            return Answer(REFUTED, 0)
        from oas.bounds.mosp.partitions import compiled

        shapes = self.shapes()
        jobs, measures, clusters = (int(one) for one in shapes.sizes[:3])
        memory = _memory(jobs, measures, clusters)
        packing = pack_memory(jobs, len(shapes.heights))
        rest = _zeros(self.knapsacks, jobs + 1, int(self.capacities[: self.knapsacks].max()) + 1)
        status, left = vars(compiled)["search"](shapes, memory, packing, self.knapsacks, rest, effort)
        runs = None
        if status == FOUND:
            placed = [self.pricing.jobs[j] for j in self.order]
            found = zip(placed, memory.owner.tolist(), memory.starts.tolist(), strict=True)
            runs = [self._run(*one) for one in sorted(found)]
        return Answer(int(status), effort - max(0, int(left)) if status != STOPPED else effort, runs)

    def _run(self, job: int, cluster: int, start: int) -> tuple[int, int]:
        if self.scales.mirrored:
            return cluster, self.scales.makespan - start - self.scales.scaled.times[job]
        return cluster, start


def _memory(jobs: int, measures: int, clusters: int) -> Memory:
    return Memory(
        owner=_zeros(jobs),
        first=_zeros(clusters),
        position=_zeros(clusters),
        taken=_zeros(jobs),
        left=_zeros(jobs, measures),
        budget=_zeros(clusters, measures),
        behind=_zeros(clusters, jobs + 1, measures),
        words=_zeros(jobs, 2),
        rests=_zeros(clusters, 2),
        chosen=_zeros(jobs + 1),
        ordered=_zeros(jobs + 1),
        known=_zeros(KNOWN, 3),
        failed=_zeros(FAILED, 3),
        starts=_zeros(jobs),
    )


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, dtype=np.int64)


def _numbers(values: Any) -> Any:
    return np.array(values, dtype=np.int64)


def load() -> None:
    """Compile the inner loops, or load them if that was done before."""
    alone = ScaledMosp(Fraction(1), (1, 1), (1,), (1,), (0,), (0,), (), (0,), (None,))
    Sharing(Scales(alone, 1), 1, [[1]], 1).search(1)
