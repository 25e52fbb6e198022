"""Pools of sets for bin packing: what they list, their certificates, and the tree over them."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from oas.bounds.mosp.pair_tree import pair_tree_bound, pool
from oas.bounds.mosp.pair_tree.bins import Kind, bins_of
from oas.bounds.mosp.pair_tree.pool import Pool
from oas.core.errors import TooLargeError
from oas.core.result import Termination
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.exact.recheck import recheck
from oas.problems.mosp.runs import schedule_from_cluster_runs
from tests.bounds.mosp.test_pair_tree import NOT_ROUND, bin_packing, equal_times, one_processor_each
from tests.bounds.redirected import redirect
from tests.slow import every_fourth_quick


def test_a_pool_too_large(monkeypatch):
    with pytest.raises(TooLargeError, match="sets"):
        Pool([1] * 30, [Kind(3, (10,) * 30)], range(30), [1] * 30)
    with pytest.raises(TooLargeError, match="capacity"):
        Pool([1] * 2, [Kind(1, (10**7,) * 2)], range(2), [1] * 2)
    with pytest.raises(TooLargeError, match="2\\^62"):
        Pool([1] * 2, [Kind(1, (2,) * 2)], range(2), [2**61] * 2)
    with pytest.raises(TooLargeError, match="of all kinds"):
        Pool([1] * 99, [Kind(1, (90_000,) * 99)] * 5, range(99), [1] * 99)
    monkeypatch.setattr(pool, "MAX_CELLS", 1_000)
    with pytest.raises(TooLargeError, match="sets × items"):
        Pool([1] * 100, [Kind(100, (1,) * 100)], range(100), [1] * 100)


@pytest.mark.parametrize("seed", every_fourth_quick(range(24)))
@pytest.mark.parametrize("draw", [equal_times, one_processor_each])
def test_against_brute_force_without_dives(monkeypatch, draw, seed):
    instance = draw(seed)
    optimum, _ = brute_force(instance)
    bins = bins_of(instance.scaled())
    unit = bins.unit * instance.scaled().tick
    if not all(kind.uniform for kind in bins.kinds(int(3 * optimum / unit))):
        return
    redirect(monkeypatch, "tests.bounds.mosp.worker_side:pooled_pairs")
    found = pair_tree_bound(instance, F(1, 10), 3 * optimum)
    assert found.termination is Termination.FINISHED, found.message
    schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
    assert verify(instance, schedule) == [] and schedule.makespan == optimum
    assert optimum == unit if found.bound is None else found.bound.value == optimum
    assert found.bound is None or recheck(instance, found.bound)


def test_an_instance_without_integer_round_up_property(monkeypatch):
    instance = bin_packing(NOT_ROUND, 1000)
    redirect(monkeypatch, "tests.bounds.mosp.worker_side:pooled_pairs")
    found = pair_tree_bound(instance, F(23), F(24))
    assert found.bound.value == 24 and recheck(instance, found.bound)
    certificate = found.bound.certificate
    assert "pool" in certificate
    bare = {key: one for key, one in certificate.items() if key != "pool"}
    assert not recheck(instance, replace(found.bound, certificate=bare))
    other = {**certificate, "weights": [[1] * len(one) for one in certificate["weights"]]}
    assert not recheck(instance, replace(found.bound, certificate=other))


def test_a_tree_without_cuts_branches(monkeypatch):
    redirect(monkeypatch, "tests.bounds.mosp.worker_side:pooled_branches")
    instance = bin_packing(NOT_ROUND, 1000)
    found = pair_tree_bound(instance, F(23), F(24))
    assert found.bound.value == 24 and recheck(instance, found.bound)
    certificate = found.bound.certificate
    assert any(isinstance(node, list) and len(node) == 2 for node in certificate["tree"]) and not certificate["cuts"]
