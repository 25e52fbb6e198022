"""Orders of starts and ends, against all sequences of events."""

from fractions import Fraction as F
from itertools import combinations, permutations
from random import Random

import pytest

from oas.bounds.coallocation.saturated import shared_links_bound
from oas.bounds.coallocation.saturated.options import Order, first_order
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.running import StartedRun, schedule_from_starts
from tests.bounds.coallocation.saturated.naive import runs_together

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
