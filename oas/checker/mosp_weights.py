"""The maximum total weight of jobs side by side on a number of processors, or one after another before deadlines.

Both are knapsacks: among all sums of jobs, dominated ones are removed, which are no smaller and no heavier than others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MOSP_MAX_TICKS, MospTicks
from oas.checker.reading import integer_of, integers_of, rows_of

MOSP_MAX_WEIGHT = 2**100
MAX_SUM_STEPS = 40_000_000  # sums for a certificate
MAX_CHAIN_CELLS = 4_000_000  # jobs times ticks; if there are more, times are in coarser units


class KnapsackItem(NamedTuple):
    """An item: its sum with earlier items must be at most `limit`. Limits of a list of items ascend."""

    size: int
    weight: int
    limit: int


class HeaviestSums(NamedTuple):
    """Sums in ascending order, each heavier than the one before; the first is 0 and weighs 0."""

    sizes: list[int]
    weights: list[int]

    def within(self, capacity: int) -> int:
        """Return the maximum weight of a sum of size at most `capacity` ≥ 0."""
        return self.weights[bisect_right(self.sizes, capacity) - 1]

    def with_item(self, item: KnapsackItem, effort: Effort) -> HeaviestSums:
        """Return the non-dominated sums with and without one more item; each sum is a step."""
        effort.spend(len(self.sizes))
        sums = [(size, -weight) for size, weight in zip(self.sizes, self.weights, strict=True)]
        # Among equal sums the heaviest comes first.
        sums += [(size + item.size, weight - item.weight) for size, weight in sums if size + item.size <= item.limit]
        sums.sort()
        result, most = HeaviestSums([], []), -1
        for size, weight in sums:
            if -weight > most:
                most = -weight
                result.sizes.append(size)
                result.weights.append(most)
        return result


def heaviest_sums(items: Iterable[KnapsackItem], effort: Effort) -> HeaviestSums:
    """Return the non-dominated sums of items."""
    sums = HeaviestSums([0], [0])
    for (size, weight, limit), group in groupby(items):
        left, taken = len(list(group)), 1
        while left:  # 1, 2, 4, … equal items and the rest: every number of them is a sum of these
            taken = min(taken, left)
            sums = sums.with_item(KnapsackItem(size * taken, weight * taken, limit), effort)
            left, taken = left - taken, 2 * taken
    return sums


def suffix_sums(others: Iterable[KnapsackItem], items: Sequence[KnapsackItem], effort: Effort) -> list[HeaviestSums]:
    """Return for i = 0, 1, … the sums of `others` and the items from the i-th on."""
    sums = [heaviest_sums(others, effort)]
    for item in reversed(items):
        sums.append(sums[-1].with_item(item, effort))
        effort.hold(len(sums[-1].sizes))
    return sums[::-1]


def knapsack_items(weights: Sequence[int], sizes: Sequence[int], limits: Sequence[int]) -> list[KnapsackItem]:
    """Return the items that an optimal sum needs, limits ascending: the heaviest of each size and limit."""
    weights_by_kind: dict[tuple[int, int], list[int]] = {}
    for weight, size, limit in zip(weights, sizes, limits, strict=True):
        if weight > 0 and size <= limit:
            weights_by_kind.setdefault((limit, size), []).append(weight)
    return [
        KnapsackItem(size, weight, limit)
        for (limit, size), kind in sorted(weights_by_kind.items(), key=lambda kind: (kind[0][0], -kind[0][1]))
        for weight in sorted(kind, reverse=True)[: limit // size]
    ]


def heaviest_side_by_side(weights: Sequence[int], widths: Sequence[int], largest: int, effort: Effort) -> HeaviestSums:
    """Return the heaviest sums of jobs that fit on up to `largest` processors."""
    return heaviest_sums(knapsack_items(weights, widths, [largest] * len(widths)), effort)


def heaviest_in_turn(weights: Sequence[int], times: Sequence[int], deadlines: Sequence[int], effort: Effort) -> int:
    """Return an upper bound on the weight of jobs that can run one after another, each before its deadline.

    This is possible if and only if it is possible in the order of deadlines (Lawler and Moore 1969). Long times and
    deadlines are rounded down to coarser units, which only enlarges the set of possible sums.
    """
    jobs = [job for job, weight in enumerate(weights) if weight > 0 and times[job] <= deadlines[job]]
    jobs.sort(key=deadlines.__getitem__)
    unit = -(-len(jobs) * deadlines[jobs[-1]] // MAX_CHAIN_CELLS) if jobs else 1
    items = [KnapsackItem(times[job] // unit, weights[job], deadlines[job] // unit) for job in jobs]
    return heaviest_sums(items, effort).weights[-1]


def mosp_deadlines(ticks: MospTicks, makespan: int, *, mirrored: bool) -> list[int]:
    """Return the deadline of each job in a schedule that ends by `makespan`, in ticks.

    It results from locality, whichever cluster the job runs on. Mirrored, time is reversed from the makespan: then it
    results from the release, and locality is ignored.
    """
    if mirrored:
        return [makespan - release for release in ticks.releases]
    deadlines = [ticks.deadlines[owner] for owner in ticks.owners]
    return [makespan if one is None else min(one, makespan) for one in deadlines]


def read_weight_lists(value: object, count: int, lists: int, most: int) -> list[list[int]]:
    """Return the field ``weights``, at most `lists` lists, each of `count` weights from 0 to `most`."""
    return [integers_of(row, place, count, most) for row, place in rows_of(value, "certificate.weights", lists)]


def read_makespan(value: object, least: int = 0) -> int:
    """Return the makespan of a certificate, in the certificate's unit of time."""
    return integer_of(value, "certificate.makespan", least, MOSP_MAX_TICKS - 1)
