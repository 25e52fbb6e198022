"""Orders of starts and ends, against all sequences of events."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import pytest

from oas.bounds.coallocation.saturated.order import Order
from tests.bounds.coallocation.saturated.naive import runs_together

JOBS = 3
SEQUENCES = [
    ranks for ranks in permutations(range(2 * JOBS)) if all(ranks[2 * job] < ranks[2 * job + 1] for job in range(JOBS))
]


def test_at_first_anything_goes():
    order = Order(JOBS)
    assert order.trivial and order.possible and not any(order.apart)
    assert all(order.allows(jobs) for size in range(JOBS + 1) for jobs in combinations(range(JOBS), size))
    assert not order.with_before(0, 2).trivial


@pytest.mark.parametrize("seed", range(40))
def test_what_can_run_together(seed):
    draw = Random(seed)
    known = [draw.sample(range(2 * JOBS), 2) for _ in range(1 + seed % 4)]
    order = Order(JOBS)
    for one, two in known:
        order = order.with_before(one, two)
    left = [ranks for ranks in SEQUENCES if all(ranks[one] < ranks[two] for one, two in known)]
    if not left:  # equal moments may still do, of different jobs
        assert not order.possible or any(order.knows(one, two) and order.knows(two, one) for one, two in known)
        return
    assert order.possible
    for size in range(1, JOBS + 1):
        for jobs in combinations(range(JOBS), size):
            assert order.allows(jobs) == any(runs_together(jobs, JOBS, ranks) for ranks in left)
    for one in range(JOBS):
        for two in range(JOBS):
            if one != two and order.apart[one] >> two & 1:
                assert not order.allows((one, two))


def test_no_order_is_left():
    order = Order(2).with_before(1, 2).with_before(3, 0)  # each ends before the other starts
    assert not order.possible
