"""Enumeration in the checker, and what it rests on: releases, reservations, saturated links; bounds by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.checker.coallocation_configurations import coallocation_wide_jobs
from oas.checker.coallocation_instance import CoallocationJob
from oas.checker.coallocation_rules import LinkUser, progress_rates
from oas.checker.reading import Refused
from oas.checker.recheck import refute_by_enumeration
from oas.checker.slowed_brute_force import only_solution
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.mosp.generate.reservations import reservations
from oas.solving.parts import exact_parts
from tests.checker.instances import own_coallocation, own_mosp
from tests.coallocation.grids import one_cluster
from tests.slow import every_fourth_quick


@pytest.mark.parametrize(
    ("rows", "solution"),
    [
        ([[2, 0], [0, 4]], [F(1, 2), F(1, 4)]),
        ([[2, 0], [0, 4], [1, 2]], [F(1, 2), F(1, 4)]),
        ([[1, 0], [0, 1], [1, 1]], None),  # none
        ([[1, 1], [1, 1]], None),  # several
    ],
)
def test_lengths_of_phases(rows: list[list[int]], solution: list[F] | None) -> None:
    assert only_solution([list(map(F, row)) for row in rows]) == solution


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_releases_and_reservations(seed: int) -> None:
    availability = ("alpha", "non-increasing", "general")[seed % 3]
    instance = reservations(seed=seed, jobs=4, processors=4, availability=availability, releases=True)
    optimum, _ = exact_parts(instance).brute_force(instance)
    own = own_mosp(instance)
    refute_by_enumeration(own, optimum)
    with pytest.raises(Refused, match=f"above the makespan {optimum} that a schedule has"):
        refute_by_enumeration(own, optimum + instance.scaled().tick)


@pytest.mark.parametrize("slot", [0, 1])
def test_jobs_one_after_the_other_where_links_slow_down(slot: int) -> None:
    """Each takes all nodes; the wider one is slowed down to twice its time, 4."""
    jobs = [Job("a", 2, 2, 1, F(1, 2)), Job("b", 2, 4, 2, F(1, 2)), Job("c", 2, 1)]
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "AB"]
    own = own_coallocation(CoallocationInstance(clusters, jobs, slot, "slowdown"))
    refute_by_enumeration(own, F(9))
    with pytest.raises(Refused, match="above the makespan 9 that a schedule has"):
        refute_by_enumeration(own, F(10))


def test_too_many_jobs_and_nodes() -> None:
    for instance in (one_cluster(9, (1, 1)), one_cluster(1, *((1, 1),) * 7)):
        with pytest.raises(
            Refused, match="said to come from enumeration, but enumeration takes at most 6 jobs and 8 nodes"
        ):
            refute_by_enumeration(own_coallocation(instance), F(1))


def test_shares_of_links() -> None:
    """The first two jobs fill link 0 at a quarter of what they ask for; max-min leaves the rest of link 1 to the third.

    By the paper's rule, each has MBW / load of its worst link.
    """
    job = CoallocationJob("a", 2, F(1), F(1), F(0))
    users = [LinkUser(job, F(1), loads) for loads in ({0: 2}, {0: 2, 1: 2}, {1: 4})]
    assert progress_rates(users, [1, 3], "max-min") == [F(1, 4), F(1, 4), F(5, 8)]
    assert progress_rates(users, [1, 3], "paper") == [F(1, 4), F(1, 4), F(1, 2)]


@pytest.mark.parametrize(("tasks", "bound"), [(1, 5), (2, 12)])
def test_wide_jobs(tasks: int, bound: int) -> None:
    """A job of two tasks fits beside none of three, one of one task does."""
    assert coallocation_wide_jobs(own_coallocation(one_cluster(4, (3, 5), (tasks, 7)))) == bound
