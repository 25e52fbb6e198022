"""Lower bounds: never above an optimum, right by hand, and re-checked without trust."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InfeasibleError
from oas.core.result import Bound
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound, lower_bounds
from tests.strategies import random_instance

BOUNDS = {one.name: one for one in lower_bounds(CoallocationInstance)}
INSTANCES = [random_instance(seed) for seed in range(60)] + [tiny(seed=seed) for seed in range(60)]


def one_cluster(nodes, *jobs, slot=0):
    made = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate(jobs)]
    return CoallocationInstance([Cluster("A", [NodeGroup(nodes, 1)], 0)], made, slot)


def test_never_above_the_optimum():
    met = dict.fromkeys(BOUNDS, 0)
    for instance in INSTANCES:
        optimum = brute_force(instance)[0]
        for name, bound in BOUNDS.items():
            value = bound.compute(instance)
            assert 0 <= value <= optimum, (name, instance.name)
            met[name] += value == optimum
        best = best_bound(instance)
        assert max(bound.compute(instance) for bound in BOUNDS.values()) <= best.value <= optimum
        assert (best.value / instance.scaled().tick).denominator == 1
    assert min(met.values()) >= 3, met  # and each of them is sometimes the optimum itself


@pytest.mark.parametrize(
    ("name", "instance", "value"),
    [
        ("area", one_cluster(4, (3, 5), (2, 1)), F(17, 4)),
        ("area", one_cluster(4, (3, 5), (2, 1), slot=3), F(24, 4)),
        ("longest job", one_cluster(4, (3, 5), (2, F(11, 2)), (1, 1)), F(11, 2)),
        ("longest job", one_cluster(4, (3, 5), (2, F(11, 2)), slot=2), F(6)),
        ("wide jobs", one_cluster(4, (3, 5), (3, 4), (2, 7), (1, 9)), F(16)),  # 2 + 3 > 4, 1 + 3 = 4
        ("wide jobs", one_cluster(4, (3, 5), (3, 4), (2, 7), (2, 6)), F(16)),  # the two of 2 may run side by side
        ("wide jobs", one_cluster(4, (2, 5), (2, 4)), F(0)),
        ("wide jobs", one_cluster(5, (3, 5), (4, 4), (2, 9)), F(9)),  # 2 fits beside the narrower of the two
    ],
)
def test_by_hand(name, instance, value):
    assert BOUNDS[name].compute(instance) == value


def test_runs_are_those_that_speeds_and_links_allow():
    # The only fast node is alone behind a link that carries nothing, so both tasks run on slow nodes.
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(2, F(1, 2))], 9)]
    instance = CoallocationInstance(clusters, [Job("j", 2, 6, 1)])
    assert BOUNDS["longest job"].compute(instance) == 12
    assert BOUNDS["area"].compute(instance) == 8
    free = replace(instance, clusters=[replace(one, bandwidth=9) for one in clusters])
    assert BOUNDS["longest job"].compute(free) == 12  # with one node of each the slow one decides
    alone = replace(free, jobs=[Job("j", 1, 6, 1)])
    assert BOUNDS["longest job"].compute(alone) == 6


def test_an_infeasible_instance_has_none():
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 0)]
    instance = CoallocationInstance(clusters, [Job("torn", 2, 6, 1)])
    for bound in BOUNDS.values():
        with pytest.raises(InfeasibleError, match="torn"):
            bound.compute(instance)


def test_rounded_up_to_the_grid():
    instance = one_cluster(2, (1, 3), (1, 3), (1, 1))
    assert best_bound(instance) == Bound("area", F(4), {})  # 7/2 in ticks of 1
    assert best_bound(instance.with_slot(2)).value == 6  # runs of 4, 4 and 2: 5 in slots of 2
    assert best_bound(one_cluster(2, *[(1, F(5, 2))] * 3)).value == 4  # 15/4 in ticks of 1/2
