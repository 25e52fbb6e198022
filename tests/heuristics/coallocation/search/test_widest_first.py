"""Widest first: feasible, the same compiled or not, and what it does where that is easily seen."""

from __future__ import annotations

import pytest

from heuristics.coallocation.search.widest_first import WidestFirst
from oas.core.verifier import check
from oas.exact.coallocation.brute_force import brute_force
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.runs import schedule_from_runs


@pytest.mark.parametrize("bandwidth", ["std", "tight"])
def test_feasible_deterministic_and_the_same_compiled(bandwidth):
    instance = section4(seed=5, jobs=40, clusters=4, nodes=9, bandwidth=bandwidth, slot_percent=25)
    scaled = instance.scaled()
    searches = [WidestFirst(scaled, 3, compiled=compiled) for compiled in (False, True, True)]
    for _ in range(5):
        runs, *others = [search.build() for search in searches]
        assert runs is not None and all(other == runs for other in others)
        assert [run.job for run in runs] == list(range(40))
        check(instance, schedule_from_runs(instance, scaled, runs))


def test_orders_differ_and_depend_on_the_seed():
    scaled = section4(seed=6, jobs=30, clusters=3, nodes=8, slot_percent=10).scaled()
    one, other = WidestFirst(scaled, 0, compiled=False), WidestFirst(scaled, 1, compiled=False)
    assert one.build() == other.build()
    assert len({tuple(run.start for run in one.build()) for _ in range(6)}) > 1
    assert [one.build() for _ in range(4)] != [other.build() for _ in range(4)]


def test_never_below_the_optimum_and_often_there():
    met = 0
    for seed in range(20):
        instance = tiny(seed=seed)
        runs = WidestFirst(instance.scaled(), compiled=False).build()
        assert runs is not None
        made = check(instance, schedule_from_runs(instance, instance.scaled(), runs)).makespan
        optimum = brute_force(instance)[0]
        assert made >= optimum
        met += made == optimum
    assert met >= 8


def test_the_level_at_which_a_job_begins_first_then_ends_first():
    clusters = [Cluster("fast", [NodeGroup(2, 1)], 1), Cluster("slow", [NodeGroup(2, "1/2")], 1)]
    jobs = [Job("wide", 3, 10), Job("pair", 2, 10), Job("one", 1, 2)]
    runs = WidestFirst(CoallocationInstance(clusters, jobs, slot=1).scaled(), compiled=False).build()
    assert runs is not None
    wide, pair, one = runs
    assert (wide.start, one.start) == (0, 0)  # beside the wide job a slow node is free at once
    assert pair.start == wide.end and pair.allocation.counts == (2, 0)  # both clusters are free: the fast one


def test_a_job_without_allocation():
    clusters = [Cluster(name, [NodeGroup(1, 1)], 1) for name in "ab"]
    scaled = CoallocationInstance(clusters, [Job("x", 2, 1, 5)], slot=1).scaled()
    assert WidestFirst(scaled, compiled=False).build() is None
