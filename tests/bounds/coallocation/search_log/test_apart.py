"""Pairs that cannot run together, against the enumeration of all allocations."""

from __future__ import annotations

from itertools import combinations

import pytest

from oas.bounds.coallocation.search_log.apart import can_run_together
from oas.generate import tiny
from oas.problems.coallocation.allocations import allocations


def by_enumeration(scaled, one, other):
    sizes = [len(held.nodes) for held in scaled.classes]
    for first in allocations(scaled, one[0]):
        for second in allocations(scaled, other[0]):
            levels_hold = all(
                held.level <= level or not count
                for (_, level), allocation in ((one, first), (other, second))
                for held, count in zip(scaled.classes, allocation.counts, strict=True)
            )
            nodes = all(a + b <= size for a, b, size in zip(first.counts, second.counts, sizes, strict=True))
            links = all(
                a + b <= link for a, b, link in zip(first.loads, second.loads, scaled.link_capacity, strict=True)
            )
            if levels_hold and nodes and links:
                return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_pairs(seed):
    scaled = tiny(seed=seed).scaled()
    levels = range(len(scaled.powers))
    for job, other in combinations(range(scaled.job_count), 2):
        for level in levels:
            for below in levels:
                one, two = (job, level), (other, below)
                assert can_run_together(scaled, one, two) == by_enumeration(scaled, one, two)
                assert can_run_together(scaled, two, one) == can_run_together(scaled, one, two)
