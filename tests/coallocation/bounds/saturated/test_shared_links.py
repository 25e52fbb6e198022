"""The bound by shared links: priced as enumeration says, with orders of events; it meets the optimum, certified."""

import json
from fractions import Fraction as F
from itertools import combinations, permutations
from random import Random

import pytest

import oas
from oas.coallocation.allocations import allocations
from oas.coallocation.bounds.saturated import pricing as prices
from oas.coallocation.bounds.saturated import shared_links_bound
from oas.coallocation.bounds.saturated.options import Options, Order, first_order
from oas.coallocation.bounds.saturated.pricing import WHOLE, Pricing
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.errors import TooLargeError
from oas.core.result import Bound, Termination
from oas.generate import saturated
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound
from oas.solving.recheck import recheck
from tests.coallocation.bounds.naive import configurations, runs_together
from tests.slow import every_fourth_quick


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


def test_effort_is_bounded(monkeypatch):
    options, allowed, weights, slots, order = drawn(0)
    pricing = Pricing(options, allowed, [1] * len(weights), slots, F(1, 10**9), order)
    every = pricing.exceeding()
    assert every.complete and len(every.heavy) > 2
    monkeypatch.setattr(prices, "MAX_EFFORT", 2)
    some = pricing.exceeding()
    assert not some.complete and some.heavy == every.heavy[:2]
    assert some.most > WHOLE


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


def narrow_link():
    """Two jobs that share link A, which carries 1 of the 5/4 they ask for, and the index of their only option.

    A unit of load is worth four times as much to job 0 as to job 1, but max-min takes it from both: they reach 8/5
    together. A bound that takes all of it from job 0 would be 1.
    """
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(2, 1)], 9)]
    jobs = [Job("0", 2, 1, F(1, 4), 0), Job("1", 2, 1, 1, 0)]
    instance = CoallocationInstance(clusters, jobs, 0, {"policy": "slowdown", "sharing": "max-min"})
    rows = Options(instance).rows
    return instance, [[one.allocation.counts for one in row].index((1, 1)) for row in rows]


def test_max_min_takes_a_links_excess_from_all_its_jobs():
    instance, split = narrow_link()
    options, both = Options(instance), tuple(enumerate(split))
    allowed = tuple(frozenset((one,)) for one in split)
    pricing = Pricing(options, allowed, [1, 1], [0, 0], F(3, 2), Order(2))
    assert pricing.exact(both) == F(8, 5)
    assert pricing.exceeding().heavy == [both]


def two_nodes():
    """Two jobs of one task and time 1 on two nodes."""
    jobs = [Job(name, 1, 1) for name in "01"]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs, 0, "slowdown")


def test_a_job_without_weight_counts_if_another_runs_only_beside_it():
    during = Order(2).with_before(2, 0).with_before(1, 3)  # job 0 runs while job 1 does
    pricing = Pricing(Options(two_nodes()), Options(two_nodes()).every(), [2, 0], [0, 0], F(1), during)
    assert not during.allows([0])
    assert pricing.exceeding().heavy == [((0, 0), (1, 0))]


JOBS = 3
SEQUENCES = [
    ranks for ranks in permutations(range(2 * JOBS)) if all(ranks[2 * job] < ranks[2 * job + 1] for job in range(JOBS))
]


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


def inner_and_long(sigma=F(5, 36)):
    """Six jobs whose schedules of 9 slots all run `inner` strictly within `long`, which differs from it in σ alone.

    `long` fills the slow cluster S for 9 slots; every other job would take longer there, and on F there is no room for
    both. Starting `inner` first, or last, on F takes 10 slots.
    """
    clusters = [Cluster("F", [NodeGroup(4, 1)], 1), Cluster("S", [NodeGroup(2, F(1, 10))], 1)]
    jobs = [Job("inner", 2, 4, 0), Job("long", 2, 4, 0, sigma), Job("a", 3, 1), Job("b", 1, 5), Job("c", 1, 6)]
    return CoallocationInstance(clusters, [*jobs, Job("d", 3, 4)], 1, "slowdown")


def test_jobs_that_differ_in_sigma_are_not_alike():
    instance = inner_and_long()
    runs = []
    for job, (start, counts) in enumerate(
        zip((1, 0, 0, 0, 1, 5), ((2, 0), (0, 2), (3, 0), (1, 0), (1, 0), (3, 0)), strict=True)
    ):
        options = {one.counts: one for one in allocations(instance.scaled(), job)}
        runs.append(StartedRun(job, F(start), options[counts]))
    assert schedule_from_starts(instance, runs).makespan == 9
    assert shared_links_bound(instance, F(50)).bound.value == 9  # 10 if `inner` were taken to start no later
    assert first_order(instance).trivial and not first_order(inner_and_long(sigma=1)).trivial


SEEDS = range(48)


def tiny(seed):
    draw = Random(seed)
    return saturated(
        seed=seed,
        jobs=draw.randint(1, 3 if seed % 4 else 4),
        slot=draw.choice((0, 0, 1, F(3, 2))),
        sharing=draw.choice(("paper", "max-min")),
        threshold=draw.choice((None, None, F(1, 2))),
    )


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
def test_it_meets_the_optimum(seed):
    instance = tiny(seed)
    optimum, _ = brute_force(instance)
    found = shared_links_bound(instance, optimum)
    assert found.termination is Termination.FINISHED
    assert best_bound(instance).value <= optimum
    assert found.bound.value == optimum
    assert recheck(instance, found.bound)
    assert recheck(instance, Bound(found.bound.name, optimum, json.loads(json.dumps(found.bound.certificate))))
    more = optimum + (instance.slot or F(1, 10**30))
    assert not recheck(instance, Bound(found.bound.name, more, found.bound.certificate))


@pytest.mark.parametrize("seed", range(6))
def test_a_schedule_comes_with_it(seed):
    instance = saturated(seed=seed, jobs=3)
    optimum, _ = brute_force(instance)
    found = shared_links_bound(instance, 10 * optimum)
    assert found.bound.value == optimum == schedule_from_starts(instance, found.runs).makespan


def test_times_without_a_short_common_unit_leave_the_bound_out_and_the_schedule_in():
    """On a grid of slots each of these times is fine; together they need a unit that no float holds."""
    jobs = [oas.Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = oas.CoallocationInstance([oas.Cluster("A", [oas.NodeGroup(2, 1)], 1)], jobs, 1, "slowdown")
    with pytest.raises(TooLargeError, match="no common unit of at most 256 bits"):
        Options(instance)
    assert oas.solve(instance, time_limit=1).objective == 5
