"""The greatest total weight of jobs side by side on a number of processors, or one after another before deadlines.

Both are knapsacks: of all sums of jobs those are kept that no other sum beats, being no larger and at least as heavy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MOSP_MAX_TICKS, MospTicks
from oas.checker.reading import integer_of, integers_of, list_of, refused, rows_of

MOSP_MAX_WEIGHT = 2**100
MAX_SUM_STEPS = 40_000_000  # sums made for a certificate
MAX_CHAIN_CELLS = 4_000_000  # jobs times ticks; beyond it time is counted in coarser units

ItemTuple = tuple[int, ...]


class KnapsackItem(NamedTuple):
    """An item: the sum of it and of earlier items must be at most `limit`. Limits of a list of items ascend."""

    size: int
    weight: int
    limit: int


class HeaviestSums(NamedTuple):
    """Sums in ascending order, each heavier than the one before; the first is 0 and weighs 0."""

    sizes: list[int]
    weights: list[int]

    def within(self, capacity: int) -> int:
        """Return the weight of the heaviest sum of size at most `capacity`, which is at least 0."""
        return self.weights[bisect_right(self.sizes, capacity) - 1]

    def with_item(self, item: KnapsackItem, effort: Effort) -> HeaviestSums:
        """Return the sums with and without one more item that no other sum beats; a step for each sum."""
        effort.spend(len(self.sizes))
        sums = [(size, -weight) for size, weight in zip(self.sizes, self.weights, strict=True)]
        # Of equal sums the heaviest comes first.
        sums += [(size + item.size, weight - item.weight) for size, weight in sums if size + item.size <= item.limit]
        sums.sort()
        found, most = HeaviestSums([], []), -1
        for size, weight in sums:
            if -weight > most:
                most = -weight
                found.sizes.append(size)
                found.weights.append(most)
        return found


def heaviest_sums(items: Iterable[KnapsackItem], effort: Effort) -> HeaviestSums:
    """Return the sums of items that no other sum beats."""
    found = HeaviestSums([0], [0])
    for (size, weight, limit), group in groupby(items):
        left, taken = len(list(group)), 1
        while left:  # 1, 2, 4, … equal items and the rest: every number of them is a sum of these
            taken = min(taken, left)
            found = found.with_item(KnapsackItem(size * taken, weight * taken, limit), effort)
            left, taken = left - taken, 2 * taken
    return found


def suffix_sums(others: Iterable[KnapsackItem], items: Sequence[KnapsackItem], effort: Effort) -> list[HeaviestSums]:
    """Return the sums of `others` with all `items`, then with one less of them at a time, the first one first."""
    found = [heaviest_sums(others, effort)]
    for item in reversed(items):
        found.append(found[-1].with_item(item, effort))
        effort.hold(len(found[-1].sizes))
    return found[::-1]


def knapsack_items(weights: Sequence[int], sizes: Sequence[int], limits: Sequence[int]) -> list[KnapsackItem]:
    """Return the items that some heaviest sum needs, limits ascending: of equal items the heaviest that fit."""
    alike: dict[tuple[int, int], list[int]] = {}
    for weight, size, limit in zip(weights, sizes, limits, strict=True):
        if weight > 0 and size <= limit:
            alike.setdefault((limit, size), []).append(weight)
    return [
        KnapsackItem(size, weight, limit)
        for (limit, size), own in sorted(alike.items(), key=lambda kind: (kind[0][0], -kind[0][1]))
        for weight in sorted(own, reverse=True)[: limit // size]
    ]


def heaviest_side_by_side(weights: Sequence[int], widths: Sequence[int], largest: int, effort: Effort) -> HeaviestSums:
    """Return the heaviest sums of jobs that fit on up to `largest` processors."""
    return heaviest_sums(knapsack_items(weights, widths, [largest] * len(widths)), effort)


def heaviest_in_turn(weights: Sequence[int], times: Sequence[int], deadlines: Sequence[int], effort: Effort) -> int:
    """Return an upper bound on the weight of jobs that can run one after another, each before its deadline.

    They can if and only if they can in the order of their deadlines (Lawler and Moore 1969). Long times are counted in
    coarser units, rounded down, deadlines too: what fits then includes all that fits.
    """
    jobs = [job for job, weight in enumerate(weights) if weight > 0 and times[job] <= deadlines[job]]
    jobs.sort(key=deadlines.__getitem__)
    unit = -(-len(jobs) * deadlines[jobs[-1]] // MAX_CHAIN_CELLS) if jobs else 1
    items = [KnapsackItem(times[job] // unit, weights[job], deadlines[job] // unit) for job in jobs]
    return heaviest_sums(items, effort).weights[-1]


def mosp_deadlines(ticks: MospTicks, makespan: int, *, mirrored: bool) -> list[int]:
    """Return when each job must have ended in a schedule that ends by `makespan`, in ticks.

    Locality counts on whichever cluster the job runs. Mirrored, time runs backwards from the makespan: then it is the
    release that counts, and locality is left out.
    """
    if mirrored:
        return [makespan - release for release in ticks.releases]
    own = [ticks.deadlines[owner] for owner in ticks.owners]
    return [makespan if one is None else min(one, makespan) for one in own]


def read_weight_lists(value: object, count: int, lists: int, most: int) -> list[list[int]]:
    """Return the field ``weights``, at most `lists` lists, each of `count` weights from 0 to `most`."""
    return [integers_of(row, place, count, most) for row, place in rows_of(value, "certificate.weights", lists)]


def read_items(value: object, items: int, field: str, count: int | None = None) -> ItemTuple:
    """Return `count` different items below `items`, at least one."""
    members = tuple(integer_of(one, field, 0, items - 1) for one in list_of(value, field, count))
    if not members or len({*members}) < len(members):
        raise refused(field, "must be different jobs, one at least", value)
    return members


def read_item_lists(value: object, items: int, field: str, most: int, count: int | None = None) -> list[ItemTuple]:
    """Return at most `most` lists of items, each as `read_items` reads it."""
    return [read_items(one, items, place, count) for one, place in rows_of(value, field, most)]


def read_makespan(value: object, least: int = 0) -> int:
    """Return the makespan of a certificate, in ticks."""
    return integer_of(value, "certificate.makespan", least, MOSP_MAX_TICKS - 1)
