"""What jobs weigh together at most: side by side on so many processors, or one after another before their deadlines.

Both are knapsacks: of all sums of jobs those are kept that no other sum beats, being no larger and at least as heavy.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_instance import MOSP_MAX_TICKS, MospTicks
from oas.checker.reading import integer_of, list_of

MOSP_MAX_WEIGHT = 2**100
MAX_SUM_STEPS = 40_000_000  # sums made for a certificate
MAX_CHAIN_CELLS = 4_000_000  # jobs times ticks; beyond it time is counted in coarser units


class HeaviestSums(NamedTuple):
    """Sums of which each is larger and heavier than the one before; the first is 0 and weighs 0."""

    sizes: list[int]
    weights: list[int]

    def within(self, capacity: int) -> int:
        """Return the weight of the heaviest sum of size at most `capacity`, which is at least 0."""
        return self.weights[bisect_right(self.sizes, capacity) - 1]


def heaviest_sums(items: Iterable[tuple[int, int, int]], effort: Effort) -> HeaviestSums:
    """Return the sums of items that no other sum beats; parameters and refusals as for `growing_sums`."""
    (found,) = growing_sums(items, 0, effort)
    return found


def growing_sums(items: Iterable[tuple[int, int, int]], last: int, effort: Effort) -> list[HeaviestSums]:
    """Return the sums of all items but the last ones that no other sum beats, then with one more of them at a time.

    Parameters
    ----------
    items
        (size, weight, limit): with the item, the sum of this and earlier items must be at most `limit`. Limits ascend.
    last
        Number of items that are added one at a time.
    effort
        A step for each sum with and without an item.

    Raises
    ------
    Refused
        If that are more.
    """
    rows = list(items)
    found = []
    for count, sums in enumerate(_encoded_sums(rows, effort)):
        if count >= len(rows) - last:
            effort.hold(len(sums))
            found.append(_decoded(rows, sums))
    return found


def _encoded_sums(rows: Sequence[tuple[int, int, int]], effort: Effort) -> Iterator[list[int]]:
    """Yield the sums as size · 2^bits + (total − weight): ascending by size, of equal ones the heaviest first."""
    total = sum(weight for _, weight, _ in rows)
    bits = total.bit_length() + 1
    mask = (1 << bits) - 1
    sums = [total]
    yield sums
    for size, weight, limit in rows:
        effort.spend(len(sums))
        step, first_too_large = (size << bits) - weight, (limit - size + 1) << bits
        merged = sums + [one + step for one in sums[: bisect_left(sums, first_too_large)]]
        merged.sort()
        sums, lightest = [], mask
        for one in merged:
            if one & mask < lightest:
                lightest = one & mask
                sums.append(one)
        yield sums


def _decoded(rows: Sequence[tuple[int, int, int]], sums: Sequence[int]) -> HeaviestSums:
    total = sum(weight for _, weight, _ in rows)
    bits = total.bit_length() + 1
    mask = (1 << bits) - 1
    return HeaviestSums([one >> bits for one in sums], [total - (one & mask) for one in sums])


def knapsack_items(weights: Sequence[int], sizes: Sequence[int], limits: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return items for `heaviest_sums`, limits ascending: of items alike the heaviest, as many as fit."""
    alike: dict[tuple[int, int], list[int]] = {}
    for weight, size, limit in zip(weights, sizes, limits, strict=True):
        if weight > 0 and size <= limit:
            alike.setdefault((limit, -size), []).append(weight)
    return [
        (-size, weight, limit)
        for (limit, size), own in sorted(alike.items())
        for weight in sorted(own, reverse=True)[: limit // -size]
    ]


def heaviest_side_by_side(weights: Sequence[int], widths: Sequence[int], largest: int, effort: Effort) -> HeaviestSums:
    """Return the heaviest sums of jobs that fit on up to `largest` processors; raise `Refused` if they are too many."""
    return heaviest_sums(knapsack_items(weights, widths, [largest] * len(widths)), effort)


def heaviest_in_turn(weights: Sequence[int], times: Sequence[int], deadlines: Sequence[int], effort: Effort) -> int:
    """Return what no jobs outweigh that can run one after another, each before its deadline.

    They can if and only if they can in the order of their deadlines (Lawler and Moore 1969). Long times are counted in
    coarser units, rounded down, deadlines too: what fits then includes all that fits.
    """
    jobs = [job for job, weight in enumerate(weights) if weight > 0 and times[job] <= deadlines[job]]
    if not jobs:
        return 0
    jobs.sort(key=deadlines.__getitem__)
    unit = -(-len(jobs) * deadlines[jobs[-1]] // MAX_CHAIN_CELLS)
    items = [(times[job] // unit, weights[job], deadlines[job] // unit) for job in jobs]
    return heaviest_sums(items, effort).weights[-1]


def mosp_deadlines(ticks: MospTicks, makespan: int, *, mirrored: bool) -> list[int]:
    """Return when each job must have ended in a schedule that ends by `makespan`, in ticks.

    Locality counts on whichever cluster the job runs. Mirrored, time runs backwards from the makespan: then it is the
    release that counts.
    """
    if mirrored:
        return [makespan - release for release in ticks.releases]
    own = [ticks.deadlines[owner] for owner in ticks.owners]
    return [makespan if one is None else min(one, makespan) for one in own]


def read_job_weights(value: object, count: int, field: str, most: int = MOSP_MAX_WEIGHT) -> list[int]:
    """Return the weight of each of `count` jobs, at least 0 and at most `most`; raise `Refused` if it is none."""
    rows = list_of(value, field, count)
    return [integer_of(one, f"{field}[{job}]", 0, most) for job, one in enumerate(rows)]


def read_weight_lists(value: object, count: int, lists: int, most: int = MOSP_MAX_WEIGHT) -> list[list[int]]:
    """Return the field ``weights``, at most so many lists, each as `read_job_weights` reads it."""
    rows = list_of(value, "certificate.weights", most=lists)
    return [read_job_weights(row, count, f"certificate.weights[{index}]", most) for index, row in enumerate(rows)]


def read_makespan(value: object, least: int = 0) -> int:
    """Return the makespan of a certificate, in ticks; raise `Refused` if it is none."""
    return integer_of(value, "certificate.makespan", least, MOSP_MAX_TICKS - 1)


def read_mirrored(value: object) -> bool:
    """Return whether time runs backwards; raise `Refused` if the value is no truth value."""
    if type(value) is not bool:
        raise refused("certificate.mirrored", "must be true or false", value)
    return value
