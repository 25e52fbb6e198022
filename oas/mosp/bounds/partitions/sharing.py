"""Distribution of the jobs among clusters: a complete search that finds one or proves that there is none."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oas.core.errors import TooLargeError
from oas.core.shared_kernels import numbers, zeros
from oas.mosp.bounds.partitions import kernels
from oas.mosp.bounds.partitions.kernels import FOUND, REFUTED, Memory, Shapes
from oas.mosp.bounds.partitions.pricing import Pricing, coarse_products, pack_memory, tightest_products

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from oas.mosp.bounds.scales import Scales

MAX_WEIGHT = 2**48  # sums over jobs, times clusters, fit into 64 bits: 2^7 · 2^48 · 2^7
THRESHOLDS = 12  # of functions of times and of widths, if clusters differ in size
MAX_SIZES = 40  # maximum number of cluster sizes; each has tables of some megabytes
KNOWN, FAILED = 1 << 19, 1 << 17  # numbers of stored sets, and of stored sets of remaining jobs


class Answer(NamedTuple):
    """The status of a search, and (job, cluster, start) of all jobs in order if it found a schedule."""

    status: int
    runs: list[tuple[int, int, int]] | None = None


class Sharing:
    """Complete search for a partition of the jobs among the clusters of `scales` in which each runs its jobs in time.

    `scales`: the instance, makespan and direction of time. `steps`: of each packing; a set that is undecided afterwards
    counts as feasible, but gives no schedule. `weights`: of all jobs, for measures in addition to the knapsacks.
    `effort`: for each of these measures, steps to compute the maximum weights in clusters. Raises `TooLargeError` if
    jobs, processors times ticks or weights are too many or too large.

    Attributes: `order`: the jobs of `pricing` by position, in the order in which sets are searched; may be changed.
    """

    def __init__(self, scales: Scales, steps: int, weights: Sequence[Sequence[int]], effort: int) -> None:
        if any(max(row) > MAX_WEIGHT for row in weights):
            raise TooLargeError(f"weights beyond {MAX_WEIGHT}; these cannot be added up")
        if len(scales.sizes) > MAX_SIZES:
            raise TooLargeError(f"clusters of {len(scales.sizes)} sizes; at most {MAX_SIZES} are supported")
        self.scales = scales
        self.pricings = [Pricing(scales, size, steps) for size in scales.sizes]
        self.pricing = pricing = self.pricings[-1]  # of the largest clusters: each job fits there if anywhere
        self.possible = len(pricing.jobs) == scales.scaled.job_count
        if not self.possible:
            return
        # For each measure: the weights of the jobs, and the maximum weight in a cluster of each size.
        rows, maxima = pricing.known.loads.tolist(), [[capacity] for capacity in pricing.known.capacities.tolist()]
        if len(self.pricings) > 1:
            counts = dict(zip(scales.sizes, scales.counts, strict=True))
            products, _ = tightest_products(
                pricing.times, pricing.widths, pricing.deadlines, pricing.makespan, counts, THRESHOLDS
            )
            rows, maxima = map(list, zip(*coarse_products(products), strict=True))
        self.knapsacks = len(rows)
        for row in weights:
            heaviest = [priced.heaviest(row, effort // len(self.pricings)) for priced in self.pricings]
            if all(result.complete for result in heaviest):
                rows.append([row[job] for job in pricing.jobs])
                maxima.append([result.weight for result in heaviest])
        self.steps = steps
        self.weights, self.capacities = numbers(rows), np.ascontiguousarray(numbers(maxima).T)
        self.order = list(range(len(pricing.jobs)))

    def shuffle(self, draw: Random, spread: float) -> None:
        """Change the order of the jobs: by area times a random factor e^x, where x has the given standard deviation."""
        pricing = self.pricing
        areas = [time * width for time, width in zip(pricing.times, pricing.widths, strict=True)]
        keys = [area * exp(spread * draw.gauss(0, 1)) for area in areas]
        self.order = sorted(range(len(keys)), key=lambda job: -keys[job])

    def shapes(self) -> Shapes:
        """Return the data of the kernels, with the jobs in `order`."""
        pricing, order, processors = self.pricing, self.order, self.scales.scaled.processors
        kinds = [(pricing.times[j], pricing.widths[j], pricing.deadlines[j]) for j in order]
        before = [max((i for i in range(j) if kinds[i] == kind), default=-1) for j, kind in enumerate(kinds)]
        # The heights of each kind of clusters, padded with zeros for other jobs and rows.
        rows = max(len(priced.known.heights) for priced in self.pricings if priced.jobs)
        heights = zeros(len(self.pricings), rows, len(order) + 1)
        for kind, priced in enumerate(self.pricings):
            if priced.jobs:
                places = [pricing.jobs.index(job) for job in priced.jobs]
                heights[kind, : len(priced.known.heights), [*places, -1]] = priced.known.heights.T
        return Shapes(
            sizes=numbers([len(order), len(self.weights), len(self.clusters), pricing.makespan, self.steps]),
            kinds=numbers([self.scales.sizes.index(processors[cluster]) for cluster in self.clusters]),
            processors=numbers(self.scales.sizes),
            times=numbers([time for time, _, _ in kinds]),
            widths=numbers([width for _, width, _ in kinds]),
            deadlines=numbers([deadline for _, _, deadline in kinds]),
            rank=pricing.rank[order],
            twin=numbers(before),
            heights=np.ascontiguousarray(heights[:, :, [*order, -1]]),
            weights=np.ascontiguousarray(self.weights[:, order]),
            capacities=self.capacities,
        )

    @property
    def clusters(self) -> list[int]:
        """The clusters in the order of the search, by size; if there are more clusters than jobs, only the largest."""
        processors = self.scales.scaled.processors
        ascending = sorted(range(len(processors)), key=processors.__getitem__)
        return ascending[-len(self.order) :]

    def search(self, effort: int) -> Answer:
        """Search with at most `effort` steps."""
        if not self.possible:
            return Answer(REFUTED)
        shapes = self.shapes()
        jobs, measures, clusters = (int(size) for size in shapes.sizes[:3])
        rows, kinds = jobs + clusters, len(shapes.processors)
        memory = Memory(
            owner=zeros(jobs),
            base=zeros(clusters),
            begin=zeros(clusters),
            end=zeros(clusters),
            position=zeros(clusters),
            taken=zeros(rows),
            left=zeros(rows, measures),
            budget=zeros(clusters, measures),
            behind=zeros(clusters, jobs + 1, measures),
            words=zeros(rows + 1, 2),
            rests=zeros(clusters, 2),
            chosen=zeros(jobs + 1),
            ordered=zeros(jobs + 1),
            known=zeros(kinds, max(1, KNOWN // kinds), 3),
            failed=zeros(FAILED, 3),
            starts=zeros(jobs),
        )
        packing = pack_memory(jobs, shapes.heights.shape[1])
        rest = zeros(self.knapsacks, jobs + 1, int(self.capacities[:, : self.knapsacks].max()) + 1)
        status = kernels.search(shapes, memory, packing, self.knapsacks, rest, effort)
        if status != FOUND:
            return Answer(int(status))
        runs = []
        for place, number, start in zip(self.order, memory.owner.tolist(), memory.starts.tolist(), strict=True):
            job, mirrored = self.pricing.jobs[place], self.scales.makespan - start - self.pricing.times[place]
            runs.append((job, self.clusters[number], mirrored if self.scales.mirrored else start))
        return Answer(FOUND, sorted(runs))
