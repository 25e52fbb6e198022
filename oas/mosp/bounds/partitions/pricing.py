"""Pricing: the sets of jobs that one cluster can run by a makespan, and the heaviest of them, in integers."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oas.core.errors import TooLargeError
from oas.core.shared_kernels import numbers, zeros
from oas.mosp.bounds.knapsack import heaviest_by_capacity, heaviest_chain
from oas.mosp.bounds.partitions import packing_kernels
from oas.mosp.bounds.partitions.packing_kernels import WINDOW_JOBS, WORD, Jobs, Memory, PackMemory
from oas.mosp.bounds.partitions.windows import WindowMemory
from oas.mosp.bounds.simple import feasible_functions
from oas.mosp.bounds.volume import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oas.mosp.bounds.scales import Scales

THRESHOLDS = 24  # of functions of times and of widths
HEIGHTS = 12  # number of heights whose waste is counted while a set is packed
MEMO = 1 << 18  # capacity of the cache of sets, which is kept from one pricing to the next
# A set is two words of bits. All sums fit into 64 bits: weights of all jobs are below 2^7·2^50; heights
# times ticks of all jobs below 2^7·8·MAX_AREA = 2^46, a height being at most 8·size; knapsacks by MAX_CAPACITY.
MAX_JOBS = 2 * WORD
MAX_AREA = 2**36
KNAPSACKS = 12
MAX_CAPACITY = 8_000  # knapsacks of greater capacity are counted more coarsely
SIZES = 4  # number of cluster sizes for which functions of the widths are tried
MAX_FOUND = 32  # maximum number of sets that a pricing returns: the last ones found
MAX_WEIGHT = 2**50  # of a job; the sum over all jobs fits into 64 bits
MAX_DEPTH = 256  # of the search by windows, which gives up beyond it

# Weights of the jobs, and the maximum total weight that a cluster of each size can hold.
Weighed = tuple[tuple[int, ...], tuple[int, ...]]


class Heaviest(NamedTuple):
    """The greatest weight, the sets found with the heaviest last, and whether the search was complete."""

    weight: int
    sets: list[tuple[int, ...]]
    complete: bool


class Pricing:
    """Sets of jobs that a cluster of `size` processors can run by the makespan of `scales`, each before its deadline.

    A set that a packing of `steps` steps does not decide counts as feasible: the bound is then weaker, never wrong.
    Raises `TooLargeError` if there are too many jobs, or processors times ticks.

    Attributes: `jobs`: the jobs that the cluster can run alone, largest area first. `known`: the jobs as arrays for the
    kernels, with knapsacks and the cache of sets.
    """

    def __init__(self, scales: Scales, size: int, steps: int) -> None:
        scaled, deadlines = scales.scaled, scales.deadlines
        if scaled.job_count > MAX_JOBS:
            raise TooLargeError(f"{scaled.job_count:,} jobs; sets of at most {MAX_JOBS:,} are enumerated")
        if (area := size * scales.makespan) > MAX_AREA:
            raise TooLargeError(f"processors × ticks are {area:,}; at most {MAX_AREA:,} can be packed")
        self.makespan = scales.makespan
        self.jobs = sorted(
            (
                job
                for job, (time, width) in enumerate(zip(scaled.times, scaled.widths, strict=True))
                if width <= size and time <= deadlines[job]
            ),
            key=lambda job: (-scaled.times[job] * scaled.widths[job], job),
        )
        self.times = [scaled.times[job] for job in self.jobs]
        self.widths = [scaled.widths[job] for job in self.jobs]
        self.deadlines = [deadlines[job] for job in self.jobs]
        rank = sorted(range(len(self.jobs)), key=lambda job: (self.deadlines[job] - self.times[job], job))
        self.rank = np.argsort(np.array(rank, dtype=np.int64))  # those of lower rank are packed first
        # Weights of the jobs such that no feasible set weighs more than 1, and all jobs together much more.
        self.typical: dict[int, float] = {}
        if not self.jobs:
            return
        # The knapsacks and heights whose capacities are smallest in proportion to all jobs.
        products, heights = tightest_products(
            self.times, self.widths, self.deadlines, self.makespan, {size: 1}, THRESHOLDS
        )
        self.typical = {job: load / products[0][1][0] for job, load in zip(self.jobs, products[0][0], strict=True)}
        knapsacks = coarse_products(products)
        flat = sorted(heights, key=lambda pair: -sum(map(mul, pair[0], self.times)) / pair[1][0])
        self.known = Jobs(
            sizes=numbers([size, self.makespan, steps]),
            times=numbers(self.times),
            widths=numbers(self.widths),
            deadlines=numbers(self.deadlines),
            rank=self.rank,
            heights=numbers([[*y, *most] for y, most in flat[:HEIGHTS]]),  # [height, job], then the capacity
            loads=numbers([row for row, _ in knapsacks]),
            capacities=numbers([capacity for _, (capacity,) in knapsacks]),
            memo=zeros(MEMO, 3),
        )

    def heaviest(self, weights: Sequence[int], effort: int) -> Heaviest:
        """Return the heaviest set after at most `effort` steps; `weights`, of all jobs, are from 0 to MAX_WEIGHT."""
        if max(weights) > MAX_WEIGHT:
            raise ValueError(f"a weight of {max(weights)}; at most {MAX_WEIGHT} can be added up")
        if not self.jobs:
            return Heaviest(0, [], complete=True)
        jobs, known = len(self.jobs), self.known
        buffer = np.full((MAX_FOUND, jobs), -1, dtype=np.int64)
        memory = Memory(
            rest=zeros(len(known.capacities), jobs + 1, int(known.capacities.max()) + 1),
            left=zeros(jobs + 1, len(known.capacities)),
            weight=zeros(jobs + 1),
            taken=zeros(jobs + 1),
            ordered=zeros(jobs),
            words=zeros(jobs + 1, 2),
        )
        values = numbers([weights[job] for job in self.jobs])
        packing = pack_memory(jobs, len(known.heights))
        weight, sets, left = packing_kernels.heaviest_jobs(known, values, effort, buffer, memory, packing)
        rows = [tuple(sorted(self.jobs[place] for place in row if place >= 0)) for row in buffer.tolist()]
        return Heaviest(int(weight), rows[: min(sets, MAX_FOUND)], complete=left >= 0)


def pack_memory(jobs: int, functions: int) -> PackMemory:
    """Return the arrays that `packs` writes for up to `jobs` jobs and `functions` rows of heights."""
    depth = 2 * jobs + 2
    return PackMemory(
        starts=zeros(jobs),
        started=zeros(depth),
        moments=zeros(depth),
        before=zeros(depth),
        slack=zeros(depth, functions),
        windows=WindowMemory(*(zeros(MAX_DEPTH, min(jobs, WINDOW_JOBS)) for _ in range(3))),
    )


def tightest_products(
    times: Sequence[int],
    widths: Sequence[int],
    deadlines: Sequence[int],
    makespan: int,
    counts: Mapping[int, int],
    thresholds: int,
) -> tuple[list[Weighed], list[Weighed]]:
    """Return products of weights in time and in processors, the tightest first, and the heights.

    A cluster holds at most the weight of the heaviest chain in time, of jobs that fit on it, times that of the heaviest
    set side by side, as in the two-dimensional bound. The tightest products have the smallest total capacity in
    proportion to all jobs.

    `times`, `widths`, `deadlines`: of the jobs; each fits on the largest clusters, and ends in time. `counts`: number
    of clusters of each size, sizes ascending. `thresholds`: number of thresholds for the functions of times and of
    widths.
    """
    sizes = list(counts)
    lengths = []
    for row in feasible_functions(times, makespan, thresholds):
        fitting = [[weight if q <= size else 0 for weight, q in zip(row, widths, strict=True)] for size in sizes]
        lengths.append((row, [heaviest_chain(weights, times, deadlines)[0] for weights in fitting]))
    heights = []
    rows = [row for size in spread(sizes, SIZES) for row in feasible_functions(widths, size, thresholds)]
    for row in dict.fromkeys(rows):
        table = heaviest_by_capacity(row, widths, sizes[-1])
        heights.append((row, tuple(table[size] for size in sizes)))
    ranked: list[tuple[float, int, Weighed]] = []
    for v, longest in lengths:
        for y, highest in heights:
            loads, room = tuple(map(mul, v, y)), tuple(map(mul, longest, highest))
            held = sum(map(mul, counts.values(), room))
            if held and any(loads):
                ranked.append((-sum(loads) / held, len(ranked), (loads, room)))
    return [product for _, _, product in sorted(ranked)], heights


def coarse_products(products: Iterable[Weighed]) -> list[Weighed]:
    """Return up to `KNAPSACKS` different products in units such that no cluster holds more than `MAX_CAPACITY`.

    They are rounded down, so that no feasible set is lost.
    """
    coarse: dict[Weighed, None] = {}
    for loads, room in products:
        unit = max(1, -(-max(room) // MAX_CAPACITY))
        coarse.setdefault((tuple(number // unit for number in loads), tuple(number // unit for number in room)))
        if len(coarse) == KNAPSACKS:
            break
    return list(coarse)
