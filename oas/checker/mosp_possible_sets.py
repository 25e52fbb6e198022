"""The sets of jobs that one cluster can run by a makespan, according to a knapsack and limited searches.

A set must fit into a knapsack; if it does, it is packed by a search (`mosp_packing`). Reservations are ignored.

*Theorem.* On a cluster of m processors, let M be the maximum of Σ y over jobs that fit side by side, and V the maximum
of Σ v over jobs that can run one after another in time. Then Σ v·y over the jobs that the cluster runs is at most V·M.

The proof is that of the two-dimensional bound. v and y are functions of times and widths (`mosp_simple`); V and M are
computed as knapsacks, so that correctness does not depend on these functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from operator import mul
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospTicks, spread_out
from oas.checker.mosp_packing import SET_NO, SET_UNDECIDED, PackedJob, can_run
from oas.checker.mosp_simple import fekete_schepers, rounded_ends
from oas.checker.mosp_weights import heaviest_in_turn, heaviest_side_by_side, mosp_deadlines
from oas.checker.reading import refused

MAX_PACKING_STEPS = 5_000  # for one set
SET_HEIGHTS = 12
SETS_KEPT = 2**18  # recorded answers, for each size of clusters
MAX_SET_JOBS = 120
MAX_SET_AREA = 2**36  # processors times ticks of a cluster
SET_THRESHOLDS = 24  # thresholds of the functions of times and of widths
SET_PRODUCTS = 12  # products for sets that a packing does not decide
SET_SIZES = 4  # sizes of clusters for which functions of the widths are tried
SET_CAPACITY = 1_000  # of the knapsack; greater capacities are divided by a unit
LARGEST_K = 8

# Weights of the jobs, and the greatest weight of a set that a cluster of each size can run.
WeighedJobs = tuple[tuple[int, ...], list[int]]


class JobsByArea(NamedTuple):
    """The jobs of an instance by descending area; a set of them is an integer with a bit for each."""

    order: list[int]  # indices in the instance
    times: list[int]  # in ticks, like deadlines and makespan
    widths: list[int]  # in processors
    deadlines: list[int]
    makespan: int

    @classmethod
    def of(cls, ticks: MospTicks, makespan: int, *, mirrored: bool) -> JobsByArea:
        """Return the jobs; refuse too many jobs, or too many processors times ticks."""
        if ticks.job_count > MAX_SET_JOBS:
            raise refused("certificate", f"sets of at most {MAX_SET_JOBS} jobs are enumerated", ticks.job_count)
        if max(ticks.processors) * makespan > MAX_SET_AREA:
            raise refused("certificate.makespan", f"times processors it must be at most {MAX_SET_AREA:,}", makespan)
        deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
        order = sorted(range(ticks.job_count), key=lambda job: (-ticks.times[job] * ticks.widths[job], job))
        times, widths, ends = ([row[job] for job in order] for row in (ticks.times, ticks.widths, deadlines))
        return cls(order, times, widths, ends, makespan)

    def some(self, places: Sequence[int]) -> JobsByArea:
        """Return only the jobs at these places."""
        order, times, widths, ends = ([row[place] for place in places] for row in self[:4])
        return JobsByArea(order, times, widths, ends, self.makespan)

    @property
    def all_in_time(self) -> bool:
        """Whether each job alone can end by its deadline."""
        return all(time <= deadline for time, deadline in zip(self.times, self.deadlines, strict=True))


def tightest_products(
    jobs: JobsByArea, counts: Mapping[int, int], effort: Effort
) -> tuple[list[WeighedJobs], list[WeighedJobs]]:
    """Return the tightest products of weights of times and weights of widths, at least one; and all of the latter.

    A product is tight if the maximum of all clusters together is small compared with the total of the jobs. `counts`
    is the number of clusters by size, sizes ascending.
    """
    sizes = list(counts)
    lengths = []
    for row in dual_feasible_rows(jobs.times, jobs.makespan):
        fitting = [[v if width <= size else 0 for v, width in zip(row, jobs.widths, strict=True)] for size in sizes]
        lengths.append((row, [heaviest_in_turn(weights, jobs.times, jobs.deadlines, effort) for weights in fitting]))
    heights = []
    rows = [row for size in spread_out(sizes, SET_SIZES) for row in dual_feasible_rows(jobs.widths, size)]
    for row in dict.fromkeys(rows):
        most = heaviest_side_by_side(row, jobs.widths, sizes[-1], effort)
        heights.append((row, [most.within(size) for size in sizes]))
    effort.spend(10 * len(lengths) * len(heights) * len(jobs.times))
    products = [((0,) * len(jobs.times), [0] * len(sizes))]
    for (v, longest), (y, highest) in product(lengths, heights):
        products.append((tuple(map(mul, v, y)), list(map(mul, longest, highest))))

    def looseness(one: WeighedJobs) -> tuple[bool, Fraction]:
        weight, most = sum(one[0]), sum(map(mul, counts.values(), one[1]))
        return (False, Fraction(-weight, most)) if most else (True, Fraction(0))

    return sorted(products, key=looseness)[:SET_PRODUCTS], heights


def coarse_product(jobs: WeighedJobs) -> WeighedJobs:
    """Return a product in units such that no maximum exceeds `SET_CAPACITY`, rounded down: possible sets still fit."""
    weights, most = jobs
    unit = -(-max(most) // SET_CAPACITY) or 1
    return tuple(weight // unit for weight in weights), [value // unit for value in most]


def dual_feasible_rows(values: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Return the values and dual feasible functions of them, distinct and not all 0.

    The thresholds are the values, and the smallest ones for which some value counts in full.
    """
    rows = [tuple(values)]
    rows += [tuple(fekete_schepers(size, k, value) for value in values) for k in range(1, LARGEST_K + 1)]
    thresholds = sorted(e for e in {*values, *(size - value + 1 for value in values)} if 0 < 2 * e <= size)
    rows += [tuple(rounded_ends(size, e, value) for value in values) for e in spread_out(thresholds, SET_THRESHOLDS)]
    return [row for row in dict.fromkeys(rows) if any(row)]


class PossibleSets:
    """The sets of jobs that a cluster of `size` processors can run; a set is an integer with a bit for each job.

    A set that a packing of `steps` steps does not decide counts as possible. `sums` limits the steps of knapsacks,
    `effort` those of packings and searches.
    """

    def __init__(self, jobs: JobsByArea, size: int, steps: int, sums: Effort, effort: Effort) -> None:
        self.size, self.makespan, self.steps = size, jobs.makespan, steps
        self.sums, self.effort = sums, effort
        rows = zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)
        places = [place for place, (time, width, end) in enumerate(rows) if width <= size and time <= end]
        fitting = jobs.some(places)
        products, heights = tightest_products(fitting, {size: 1}, sums)
        self._products = [(dict(zip(places, row, strict=True)), most) for row, (most,) in products]
        row, (self.capacity,) = coarse_product(products[0])  # of a knapsack that contains all possible sets
        self.sizes = dict(zip(places, row, strict=True))
        heights.sort(key=lambda one: Fraction(-sum(map(mul, one[0], fitting.times)), *one[1]))
        self._highest = [most for _, (most,) in heights[:SET_HEIGHTS]]
        loads = zip(*(row for row, _ in heights[:SET_HEIGHTS]), strict=True)
        packed = [
            (1 << place, PackedJob(time, width, end - time, load))
            for place, time, width, end, load in zip(places, *fitting[1:4], loads, strict=True)
        ]
        self._able = sum(bit for bit, _ in packed)  # bits of the jobs that the cluster can run
        self._packed = sorted(packed, key=lambda one: (one[1].latest, one[0]))
        self._known: dict[int, int] = {}

    def refute(self, members: int, steps: int) -> bool:
        """Try to refute a set within a number of steps; return whether it is refuted, and record that."""
        if members & ~self._able:
            return True
        if self._searched(members, steps) != SET_NO:
            return False
        self._known[members] = SET_NO
        return True

    def answer(self, members: int) -> int:
        """Return the answer for a set; answers are recorded, up to a limit."""
        answer = self._known.get(members)
        if answer is None:
            answer = self._searched(members, self.steps)
            if len(self._known) < SETS_KEPT:
                self._known[members] = answer
        return answer

    def _searched(self, members: int, steps: int) -> int:
        jobs = [job for bit, job in self._packed if members & bit]
        answer, spent = can_run(jobs, self.size, self.makespan, self._highest, steps)
        self.effort.spend(spent + len(jobs))
        return SET_NO if answer == SET_UNDECIDED and self._outweighs_products(members) else answer

    def _outweighs_products(self, members: int) -> bool:
        """Return whether the weight of the set exceeds the cluster's maximum by one of the tightest products."""
        jobs = [job for job in self.sizes if members >> job & 1]
        return any(sum(map(weights.__getitem__, jobs)) > most for weights, most in self._products)
