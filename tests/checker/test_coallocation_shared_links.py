"""The bound *shared links* of co-allocation: the stand-alone checker against the toolkit's."""

from fractions import Fraction as F
from random import Random

import pytest
from oas.bounds.coallocation.saturated.certificate import value

from oas.bounds.coallocation.saturated import shared_links_bound
from oas.bounds.coallocation.saturated.order import Order
from oas.checker.coallocation_event_order import EventOrder, order_of_alike_jobs
from oas.checker.coallocation_options import SlowedOptions
from oas.checker.coallocation_shared_links import check_coallocation_shared_links
from oas.checker.coallocation_shared_pricing import SharedPricing
from oas.checker.effort import Effort
from oas.generate import saturated
from oas.io.certificates import certificate_to_file
from tests.bounds.coallocation.saturated.test_order import inner_and_long
from tests.bounds.coallocation.saturated.test_pricing import narrow_link, two_nodes
from tests.checker.instances import own_coallocation
from tests.checker.tampering import hold_together
from tests.slow import mostly_slow

CASES = [("paper", 0, 1), ("max-min", 1, 2)]


@pytest.mark.parametrize(("sharing", "slot", "seed"), mostly_slow(CASES, quick=CASES[:1]))
def test_changed_certificates(sharing, slot, seed):
    instance = saturated(seed=seed, jobs=2, slot=slot, sharing=sharing)
    own = own_coallocation(instance)

    def theirs(one):
        return value(instance, one)

    def ours(one):
        return check_coallocation_shared_links(own, one)

    found = shared_links_bound(instance, F(10**6)).bound
    certificate = certificate_to_file(found.certificate)
    tick = instance.scaled().tick
    assert ours(certificate) == found.value > 0
    refused, kept = hold_together(certificate, theirs, ours, tick=tick, each=1)
    assert refused > 100
    assert kept > 3
    # The same leaves below orders of starts and ends, one of them impossible.
    root = certificate["tree"]
    ordered = [{"before": [0, 3]}, {"before": [3, 0]}, *root, *root, {"before": [2, 1]}, *root, *root]
    refused, kept = hold_together({"tree": ordered}, theirs, ours, tick=tick, each=1, seed=seed)
    assert refused > 100
    assert kept > 5


def test_orders_of_events():
    """Random orders: which jobs are apart, can run together, and whether the order is possible."""
    random = Random(7)
    jobs, possible, allowed = 5, 0, 0
    for _ in range(150):
        theirs, ours = Order(jobs), EventOrder({})
        for _ in range(random.randint(0, 6)):
            one, two = random.sample(range(2 * jobs), 2)
            theirs, ours = theirs.with_before(one, two), ours.with_before(one, two)
        assert ours.possible == theirs.possible
        assert ours.trivial == theirs.trivial
        assert [ours.before(event) for event in range(2 * jobs)] == list(theirs._earlier)
        if not ours.possible:
            continue
        possible += 1
        assert ours.apart(jobs) == theirs.apart
        for running in range(1, 1 << jobs):
            expected = theirs.allows(job for job in range(jobs) if running >> job & 1)
            assert ours.allows(running) == expected
            allowed += expected
    assert possible > 40
    assert 100 < allowed < 31 * possible


def is_exceeded(instance, left, weights, capacity, order):
    options = SlowedOptions(own_coallocation(instance), Effort())
    return SharedPricing(options, left, weights, [0, 0], capacity, order).is_exceeded(Effort())


def test_max_min_takes_a_links_excess_from_all_its_jobs():
    instance, split = narrow_link()
    left = {job: frozenset((option,)) for job, option in enumerate(split)}
    assert is_exceeded(instance, left, [5, 5], 7, EventOrder({}))
    assert not is_exceeded(instance, left, [5, 5], 8, EventOrder({}))


def test_a_job_without_weight_counts_if_another_runs_only_beside_it():
    during = EventOrder({}).with_before(2, 0).with_before(1, 3)  # job 0 runs while job 1 does
    assert is_exceeded(two_nodes(), {}, [2, 0], 1, during)
    assert not is_exceeded(two_nodes(), {}, [1, 0], 1, during)


def test_jobs_that_differ_in_sigma_are_not_alike():
    assert order_of_alike_jobs(own_coallocation(inner_and_long())).trivial
    assert not order_of_alike_jobs(own_coallocation(inner_and_long(sigma=1))).trivial
