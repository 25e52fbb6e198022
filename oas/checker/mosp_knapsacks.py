"""Knapsacks that every set of jobs fits into that a cluster can run by a makespan.

*Theorem.* On a cluster of m processors let the jobs that fit side by side weigh at most M by y, and those that can run
one after another in time at most V by v. The jobs that the cluster runs then weigh at most V·M by the product v·y.

The proof is that of the two-dimensional bound. v and y are functions of times and widths (`mosp_volume`); V and M are
found as knapsacks of their own, so that nothing rests on these functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from operator import mul
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_free import spread_out
from oas.checker.mosp_instance import MospTicks
from oas.checker.mosp_volume import fekete_schepers, rounded_ends
from oas.checker.mosp_weights import heaviest_in_turn, heaviest_side_by_side, mosp_deadlines

MAX_SET_JOBS = 120
MAX_SET_AREA = 2**36  # processors times ticks of a cluster
SET_THRESHOLDS = 24  # of the functions of times and of widths
SET_SIZES = 4  # sizes of clusters for which functions of the widths are tried
SET_CAPACITY = 1_000  # of the knapsack; one of greater capacity is counted more coarsely
LARGEST_K = 8

# Weights of the jobs, and what no set outweighs that a cluster of each size can run.
WeighedJobs = tuple[tuple[int, ...], list[int]]


class JobsByArea(NamedTuple):
    """The jobs of an instance, those of the greatest area first; a set of them is an integer with a bit for each.

    Attributes
    ----------
    order
        Their indices in the instance.
    times, widths, deadlines
        Of each, in ticks and processors.
    makespan
        In ticks.
    """

    order: list[int]
    times: list[int]
    widths: list[int]
    deadlines: list[int]
    makespan: int

    @classmethod
    def of(cls, ticks: MospTicks, makespan: int, *, mirrored: bool) -> JobsByArea:
        """Return the jobs, of which there must not be too many, nor of processors times ticks."""
        if ticks.job_count > MAX_SET_JOBS:
            raise refused("certificate", f"sets of at most {MAX_SET_JOBS} jobs are enumerated", ticks.job_count)
        if max(ticks.processors) * makespan > MAX_SET_AREA:
            raise refused("certificate.makespan", f"times processors it must be at most {MAX_SET_AREA:,}", makespan)
        deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
        order = sorted(range(ticks.job_count), key=lambda job: (-ticks.times[job] * ticks.widths[job], job))
        times, widths, ends = ([row[job] for job in order] for row in (ticks.times, ticks.widths, deadlines))
        return cls(order, times, widths, ends, makespan)

    def some(self, places: Sequence[int]) -> JobsByArea:
        """Return the jobs at these places alone."""
        order, times, widths, ends = ([row[place] for place in places] for row in self[:4])
        return JobsByArea(order, times, widths, ends, self.makespan)

    @property
    def all_in_time(self) -> bool:
        """Whether each job alone can end by its deadline."""
        return all(time <= deadline for time, deadline in zip(self.times, self.deadlines, strict=True))


def tightest_product(
    jobs: JobsByArea, counts: Mapping[int, int], effort: Effort
) -> tuple[WeighedJobs, list[WeighedJobs]]:
    """Return the tightest product of weights in time and weights in processors; and all of the latter.

    Of the tightest all clusters together hold least in proportion to the jobs.

    Parameters
    ----------
    counts
        Number of clusters of each size, sizes ascending.
    """
    sizes = list(counts)
    lengths = []
    for row in dual_feasible_rows(jobs.times, jobs.makespan):
        fitting = [[v if width <= size else 0 for v, width in zip(row, jobs.widths, strict=True)] for size in sizes]
        lengths.append((row, [heaviest_in_turn(own, jobs.times, jobs.deadlines, effort) for own in fitting]))
    heights = []
    rows = [row for size in spread_out(sizes, SET_SIZES) for row in dual_feasible_rows(jobs.widths, size)]
    for row in dict.fromkeys(rows):
        most = heaviest_side_by_side(row, jobs.widths, sizes[-1], effort)
        heights.append((row, [most.within(size) for size in sizes]))
    effort.spend(10 * len(lengths) * len(heights) * len(jobs.times))
    best, tightest = Fraction(0), ([0] * len(jobs.times), [0] * len(sizes))
    for (v, longest), (y, highest) in product(lengths, heights):
        own, room = list(map(mul, v, y)), list(map(mul, longest, highest))
        held = sum(map(mul, counts.values(), room))
        if held and Fraction(sum(own), held) > best:
            best, tightest = Fraction(sum(own), held), (own, room)
    own, room = tightest
    unit = -(-max(room) // SET_CAPACITY) or 1
    return (tuple(one // unit for one in own), [one // unit for one in room]), heights


def dual_feasible_rows(values: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Return the values and dual feasible functions of them; each row once, none that is all 0.

    A threshold is worth trying where it is a value, or where it lets a value just count in full.
    """
    rows = [tuple(values)]
    rows += [tuple(fekete_schepers(size, k, one) for one in values) for k in range(1, LARGEST_K + 1)]
    found = sorted(e for e in {*values, *(size - one + 1 for one in values)} if 0 < 2 * e <= size)
    rows += [tuple(rounded_ends(size, e, one) for one in values) for e in spread_out(found, SET_THRESHOLDS)]
    return [row for row in dict.fromkeys(rows) if any(row)]
