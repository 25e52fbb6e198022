"""Knapsacks that every set of jobs fits into that a cluster can run: weights in time by weights in processors.

A cluster holds no more than the heaviest chain by the one, of jobs that fit on it, times the heaviest set side by side
by the other, as in the two-dimensional bound.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from oas.bounds.mosp.knapsack import heaviest_by_capacity, heaviest_chain
from oas.bounds.mosp.simple import feasible_functions
from oas.bounds.mosp.volume import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

KNAPSACKS = 12
MAX_CAPACITY = 8_000  # knapsacks of greater capacity are counted more coarsely
SIZES = 4  # of clusters, for which functions of the widths are tried

# Weights of the jobs, and what a cluster of each size holds of them at most.
Weighed = tuple[tuple[int, ...], tuple[int, ...]]


def tightest_products(
    times: Sequence[int],
    widths: Sequence[int],
    deadlines: Sequence[int],
    makespan: int,
    counts: Mapping[int, int],
    thresholds: int,
) -> tuple[list[Weighed], list[Weighed]]:
    """Return the products, those first of which all clusters hold least in proportion to the jobs; and the heights.

    Parameters
    ----------
    times, widths, deadlines
        Of jobs of which each fits on the largest clusters, and ends in time.
    counts
        Number of clusters of each size, sizes ascending.
    thresholds
        Of the functions of times and of widths.
    """
    sizes = list(counts)
    lengths = []
    for row in feasible_functions(times, makespan, thresholds):
        fitting = [[one if q <= size else 0 for one, q in zip(row, widths, strict=True)] for size in sizes]
        lengths.append((row, [heaviest_chain(own, times, deadlines)[0] for own in fitting]))
    heights = []
    rows = [row for size in spread(sizes, SIZES) for row in feasible_functions(widths, size, thresholds)]
    for row in dict.fromkeys(rows):
        table = heaviest_by_capacity(row, widths, sizes[-1])
        heights.append((row, tuple(table[size] for size in sizes)))
    ranked: list[tuple[float, int, Weighed]] = []
    for v, longest in lengths:
        for y, highest in heights:
            own, room = tuple(map(mul, v, y)), tuple(map(mul, longest, highest))
            held = sum(map(mul, counts.values(), room))
            if held and any(own):
                ranked.append((-sum(own) / held, len(ranked), (own, room)))
    return [product for _, _, product in sorted(ranked)], heights


def coarse_products(products: Iterable[Weighed]) -> list[Weighed]:
    """Return up to `KNAPSACKS` different products in units such that no cluster holds more than `MAX_CAPACITY`.

    Rounded down, so that no set is lost.
    """
    kept: dict[Weighed, None] = {}
    for own, room in products:
        unit = max(1, -(-max(room) // MAX_CAPACITY))
        kept.setdefault((tuple(one // unit for one in own), tuple(one // unit for one in room)))
        if len(kept) == KNAPSACKS:
            break
    return list(kept)
