"""What holds of every bound that a worker searches for: wrong programs make no wrong bound, and a crash loses none."""

from fractions import Fraction as F

import pytest

from oas.core.result import Termination
from oas.core.verifier import verify
from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.bounds.partitions import partition_bound
from oas.mosp.bounds.start_tree import start_tree_bound
from oas.mosp.bounds.two_dimensional import two_dimensional_bound
from oas.mosp.runs import schedule_from_cluster_runs
from oas.solving.brute_force import brute_force
from oas.solving.recheck import recheck
from tests.mosp.bounds import test_configurations, test_two_dimensional
from tests.mosp.bounds.test_partitions import equal_clusters
from tests.mosp.instances import alone, random_instance
from tests.slow import at_least, draws
from tests.solving.redirected import redirect

# Bound, search of the worker, instances, seeds, range of makespans as multiples of the optimum, proofs at least.
LYING = [
    (configuration_bound, "lying_weights", random_instance, 12, 0, 2, 6),
    (two_dimensional_bound, "lying_scales", random_instance, 12, 0, 2, 4),
    (partition_bound, "lying_partitions", equal_clusters, 8, 0, 1, 4),
    (start_tree_bound, "lying_tree", alone, 8, 0, 1, 4),
]


@pytest.mark.parametrize(
    ("bound", "search", "draw", "seeds", "low", "high", "least"), LYING, ids=[one[1] for one in LYING]
)
def test_a_lying_linear_program_makes_no_wrong_bound(monkeypatch, bound, search, draw, seeds, low, high, least):
    redirect(monkeypatch, f"tests.mosp.bounds.worker_side:{search}")
    proofs = 0
    for seed in range(draws(seeds)):
        instance = draw(seed)
        optimum = brute_force(instance)[0]
        found = bound(instance, max(F(1, 10), low * optimum), high * optimum)
        assert found.termination is Termination.FINISHED, found.message
        if found.bound is not None:
            assert found.bound.value <= optimum and recheck(instance, found.bound)
            proofs += 1
        if found.runs is not None:
            schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
            assert not verify(instance, schedule) and schedule.makespan < high * optimum
    assert proofs >= at_least(least)


# Bound, search of the worker, instance, makespans between which it searches, and the bound that it finds.
BROKEN = [
    (two_dimensional_bound, "broken_scales", test_two_dimensional.URGENT, 1, 9, 4),
    (configuration_bound, "broken_weights", test_configurations.THREE, 0, 99, 8),
]


@pytest.mark.parametrize(
    ("bound", "search", "instance", "lower", "upper", "value"), BROKEN, ids=[one[1] for one in BROKEN]
)
def test_what_was_found_before_a_crash_is_kept(monkeypatch, bound, search, instance, lower, upper, value):
    redirect(monkeypatch, f"tests.mosp.bounds.worker_side:{search}")
    found = bound(instance, F(lower), F(upper))
    assert found.termination is Termination.ERROR and "ZeroDivisionError" in found.message
    assert found.bound is not None and found.bound.value == value
    assert recheck(instance, found.bound)
