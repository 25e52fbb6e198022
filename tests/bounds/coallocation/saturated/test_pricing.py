"""Pricing against every configuration."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest

from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.coallocation.saturated.order import Order
from oas.bounds.coallocation.saturated.pricing import WHOLE, Pricing
from oas.generate import saturated
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.saturated.naive import configurations


def drawn(seed):
    """Options of a tiny instance, weights, some of them 0, and an order of events."""
    draw = Random(seed)
    slot, threshold = draw.choice((0, 1)), draw.choice((None, F(1, 2)))
    sharing = draw.choice(("paper", "max-min"))
    options = Options(saturated(seed=seed, jobs=draw.randint(2, 4), slot=slot, threshold=threshold, sharing=sharing))
    weights = [draw.choice((0, 1, 2, draw.randint(1, 10**6), 10**40)) for _ in options.rows]
    slots = [draw.choice((0, 1, 10**20)) * options.slotted for _ in options.rows]
    order = Order(options.job_count)
    for _ in range(draw.choice((0, 0, 1, 3))):
        order = order.with_before(*draw.sample(range(2 * options.job_count), 2))
    allowed = tuple(frozenset(draw.sample(sorted(row), draw.randint(1, len(row)))) for row in options.every())
    return options, allowed, weights, slots, order


@pytest.mark.parametrize("seed", range(40))
def test_no_configuration_is_missed(seed):
    options, allowed, weights, slots, order = drawn(seed)
    if not order.possible or not any(weights):
        return
    pricing = Pricing(options, allowed, weights, slots, F(max(weights)), order)
    every = {one: pricing.exact(one) for one in configurations(options, allowed) if order.allows(job for job, _ in one)}
    heaviest = max(every.values(), default=F(0))
    if not heaviest:
        return
    found = pricing.rising(0)
    assert heaviest <= found.most * F(max(weights)) / WHOLE <= heaviest * (1 + F(1, 2**20)) + F(max(weights), 2**40)
    just = Pricing(options, allowed, weights, slots, heaviest, order).exceeding(ties=True)
    assert just.complete and not just.heavy
    assert {frozenset(one) for one in just.ties} <= {frozenset(one) for one, own in every.items() if own == heaviest}
    assert just.ties
    less = Pricing(options, allowed, weights, slots, heaviest * (1 - F(1, 10**99)), order).exceeding()
    assert less.heavy and all(every[tuple(sorted(one))] == heaviest for one in less.heavy)


def test_effort_is_bounded():
    options, allowed, weights, slots, order = drawn(0)
    found = Pricing(options, allowed, [1] * len(weights), slots, F(1, 10**9), order).exceeding(effort=2)
    assert not found.complete and found.effort == 3


def test_max_min_looks_at_jobs_without_weight():
    # Job 2 holds up job 1 on link B, which leaves more of link A to job 0.
    clusters = [Cluster(name, [NodeGroup(2, 1)], own) for name, own in zip("ABX", (1, F(1, 2), 9), strict=True)]
    jobs = [Job(name, 2, 1, 1, F(1, 2)) for name in "012"]
    options = Options(CoallocationInstance(clusters, jobs, 0, {"policy": "slowdown", "sharing": "max-min"}))
    places = [(1, 0, 1), (1, 1, 0), (0, 1, 1)]
    index = [
        next(number for number, one in enumerate(row) if one.allocation.counts == place)
        for row, place in zip(options.rows, places, strict=True)
    ]
    allowed = tuple(frozenset((one,)) for one in index)
    together = F(60, 7) + F(12, 5)
    pricing = Pricing(options, allowed, [10, 6, 0], [0, 0, 0], together, Order(3))
    assert pricing.exact([(0, index[0]), (1, index[1])]) == F(32, 3) < together
    assert pricing.exact(list(enumerate(index))) == together
    assert [frozenset(one) for one in pricing.exceeding(ties=True).ties] == [frozenset(enumerate(index))]
    assert pricing.rising(0).most >= WHOLE
