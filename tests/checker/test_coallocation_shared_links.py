"""The bound *shared links* of co-allocation: optima confirmed, and nothing above them, whatever is changed."""

from fractions import Fraction as F
from itertools import combinations, permutations
from random import Random

import pytest

from oas.checker.coallocation_shared_links import EventOrder, SharedLeaf, order_of_alike_jobs
from oas.checker.coallocation_spread import SlowedOptions
from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.coallocation.bounds.saturated import shared_links_bound
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.generate import saturated
from oas.io.documents import plain_certificate
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.instances import own_coallocation
from tests.coallocation.bounds.naive import runs_together
from tests.coallocation.bounds.saturated.test_shared_links import inner_and_long, narrow_link, two_nodes
from tests.slow import every_fourth_quick, mostly_slow

NAME = "shared links"
CASES = [("paper", 0, 1), ("max-min", 1, 2)]


@pytest.mark.parametrize("seed", every_fourth_quick(range(24)))
def test_optima_are_confirmed(seed):
    draw = Random(seed)
    slot, sharing = draw.choice((0, 1, F(3, 2))), draw.choice(("paper", "max-min"))
    threshold = draw.choice((None, F(1, 2)))
    instance = saturated(seed=seed, jobs=draw.randint(2, 3), slot=slot, sharing=sharing, threshold=threshold)
    optimum, _ = brute_force(instance)
    assert proven(NAME, instance, shared_links_bound(instance, optimum).bound.certificate) == optimum


@pytest.mark.parametrize(("sharing", "slot", "seed"), mostly_slow(CASES, quick=CASES[:1]))
def test_changed_certificates(sharing, slot, seed):
    instance = saturated(seed=seed, jobs=2, slot=slot, sharing=sharing)
    optimum, _ = brute_force(instance)
    certificate = plain_certificate(shared_links_bound(instance, optimum).bound.certificate)
    refused, kept = never_above(NAME, instance, certificate, optimum)
    assert refused > 100 and kept > 3
    # The same leaves below orders of starts and ends, one of them impossible.
    root = certificate["tree"]
    ordered = [{"before": [0, 3]}, {"before": [3, 0]}, *root, *root, {"before": [2, 1]}, *root, *root]
    refused, kept = never_above(NAME, instance, {"tree": ordered}, optimum, seed=seed)
    assert refused > 100 and kept > 5


def test_only_alike_jobs_have_an_order():
    """Jobs 0 and 3 are alike: 0 starts no later. Of others it is known that they start before they end."""
    jobs = [Job(f"J{place}", 1, time) for place, time in enumerate((5, 6, 7, 5))]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(4, 1)], 1)], jobs, 0, "slowdown")
    order = order_of_alike_jobs(own_coallocation(instance))
    starts = [order.before(2 * job) for job in range(4)]
    assert starts == [1, 1 << 2, 1 << 4, 1 << 6 | 1]
    assert [order.before(2 * job + 1) for job in range(4)] == [3, 3 << 2, 3 << 4, 3 << 6 | 1]


def test_malformed():
    instance, _ = narrow_link()
    parts = list(range(len(SlowedOptions(own_coallocation(instance), Effort()).rows[0])))
    leaf = {"weights": [1, "1"], "slots": [0, 0], "capacity": 2}
    inside, apart = {"before": [0, 2]}, {"before": [1, 2]}
    are_refused(
        NAME,
        instance,
        {"tree": [{"job": 0, "parts": [parts[:1], parts[1:]]}, leaf, leaf]},
        [
            (("tree",), [], "does not cover every case"),
            (("tree",), [apart, leaf], "does not cover every case"),
            (("tree",), [leaf, leaf], r"tree\[1\]: no case is left for it"),
            (("tree",), [5], r"tree\[0\]: must be an object"),
            (("tree", 0, "job"), 2, r"tree\[0\].job: there is no such job"),
            (("tree", 0, "job"), "0 ", r"tree\[0\].job: must be an integer"),
            (("tree", 0, "parts"), [parts], "at least two parts that leave out no choice"),
            (("tree", 0, "parts"), [parts[:1], parts[1:2]], "at least two parts that leave out no choice"),
            (("tree", 0, "parts"), [parts, []], r"parts\[1\]: must be choices that the job has here"),
            (("tree", 0, "parts"), [parts[:1], parts[:1]], r"parts\[1\]: must be choices that the job has here"),
            (("tree", 0), {"before": [1, 1]}, "must be two different events"),
            (("tree", 0), {"before": [1, 4]}, "must be two different events"),
            (("tree", 0), {**inside, "job": 0}, r"tree\[0\].job: unknown field"),
            (("tree", 1, "weights"), [1], r"weights: must have 2 entries"),
            (("tree", 1, "weights"), [1, -1], r"weights: must be an integer of at least 0"),
            (("tree", 1, "weights"), [1, "1" * 4001], r"weights: must be an integer of at least 0"),
            (("tree", 1, "weights"), [1, True], r"weights: must be an integer of at least 0"),
            (("tree", 1, "slots"), [0, 1], r"slots: there are no slots"),
            (("tree", 1, "capacity"), "1/2", r"capacity: must be an integer"),
            (("tree", 1, "weights"), [10**30, 0], "jobs that can run together weigh more than the capacity"),
        ],
    )


def test_both_orders_of_two_events_are_cases():
    """Jobs of time 1 of which one ends before the other starts take 2; in the second case they run together."""
    leaf = {"weights": [1, 1], "slots": [0, 0], "capacity": 1}
    with pytest.raises(Refused, match=r"tree\[2\]: jobs that can run together weigh more"):
        proven(NAME, two_nodes(), {"tree": [{"before": [1, 2]}, leaf, leaf]})
    assert proven(NAME, two_nodes(), {"tree": [{"before": [1, 2]}, leaf, {**leaf, "capacity": 2}]}) == 1


def test_orders_of_events():
    """Which jobs can run together, and whether an order is possible, against all sequences of events."""
    random = Random(7)
    jobs, possible, allowed = 3, 0, 0
    sequences = [
        ranks for ranks in permutations(range(6)) if all(ranks[2 * job] < ranks[2 * job + 1] for job in range(3))
    ]
    for _ in range(150):
        order, known = EventOrder({}), [random.sample(range(6), 2) for _ in range(random.randint(0, 5))]
        for one, two in known:
            order = order.with_before(one, two)
        left = [ranks for ranks in sequences if all(ranks[one] < ranks[two] for one, two in known)]
        if not left:  # equal moments may still do, of different jobs
            continue
        assert order.possible
        possible += 1
        for running in range(1, 1 << jobs):
            members = [job for job in range(jobs) if running >> job & 1]
            expected = any(runs_together(members, jobs, ranks) for ranks in left)
            assert order.allows(running) == expected
            allowed += expected
        for one, two in combinations(range(jobs), 2):
            assert not order.separates(one, two) or not order.allows(1 << one | 1 << two)
            assert order.separates(one, two) == order.separates(two, one)
    assert possible > 60 and 100 < allowed < 7 * possible
    assert not EventOrder({}).with_before(1, 2).with_before(3, 0).possible  # each ends before the other starts


def is_exceeded(instance, left, weights, capacity, order):
    options = SlowedOptions(own_coallocation(instance), Effort())
    return SharedLeaf(options, left, weights, [0] * len(weights), capacity, order).can_exceed_capacity(Effort())


def test_max_min_takes_a_links_excess_from_all_its_jobs():
    instance, split = narrow_link()
    left = {job: frozenset((option,)) for job, option in enumerate(split)}
    assert is_exceeded(instance, left, [5, 5], 7, EventOrder({}))
    assert not is_exceeded(instance, left, [5, 5], 8, EventOrder({}))


def test_max_min_looks_at_jobs_without_weight():
    """Job 2 holds up job 1 on link B, which leaves more of link A to job 0."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], own) for name, own in zip("ABX", (1, F(1, 2), 9), strict=True)]
    jobs = [Job(name, 2, 1, 1, F(1, 2)) for name in "012"]
    instance = CoallocationInstance(clusters, jobs, 0, {"policy": "slowdown", "sharing": "max-min"})
    rows = SlowedOptions(own_coallocation(instance), Effort()).rows
    places = [(1, 0, 1), (1, 1, 0), (0, 1, 1)]
    left = {
        job: frozenset([[one.counts for one in row].index(place)])
        for job, (row, place) in enumerate(zip(rows, places, strict=True))
    }
    weights = [350, 210, 0]  # 35 · (60/7 + 12/5) = 384 together, 35 · 32/3 without job 2
    assert is_exceeded(instance, left, weights, 383, EventOrder({}))
    assert not is_exceeded(instance, left, weights, 384, EventOrder({}))


def test_a_job_without_weight_counts_if_another_runs_only_beside_it():
    during = EventOrder({}).with_before(2, 0).with_before(1, 3)  # job 0 runs while job 1 does
    assert is_exceeded(two_nodes(), {}, [2, 0], 1, during)
    assert not is_exceeded(two_nodes(), {}, [1, 0], 1, during)


def test_jobs_that_differ_in_sigma_are_not_alike():
    assert not order_of_alike_jobs(own_coallocation(inner_and_long())).earlier
    assert order_of_alike_jobs(own_coallocation(inner_and_long(sigma=1))).earlier
