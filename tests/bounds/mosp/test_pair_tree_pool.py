"""Pools of sets for bin packing: what they list, their certificates, and the tree over them."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations
from random import Random

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


@pytest.mark.parametrize("seed", range(40))
def test_a_pool_lists_what_enumeration_finds(seed):
    draw = Random(seed)
    count, capacity = draw.randint(3, 8), draw.randint(5, 20)
    sizes = [draw.randint(1, 10) for _ in range(count)]
    kinds = [
        Kind(draw.randint(1, 2), tuple(draw.choice((room, room, 0)) for _ in sizes))
        for room in draw.sample(range(3, capacity + 1), 2)
    ]
    listed = draw.sample(range(count), draw.randint(3, count))
    cuts = draw.sample(list(combinations(sorted(listed), 3)), 1)
    weights = [draw.randint(0, 9) for _ in sizes]

    def fits(items, kind):
        return sum(sizes[i] for i in items) <= kind.capacity and all(kind.limits[i] for i in items)

    def weigh(own, kind, weights):
        """The most that a set weighs of which exactly these items are listed."""
        sets = [own + more for size in range(len(others) + 1) for more in combinations(others, size)]
        most = max((sum(weights[i] for i in items) for items in sets if fits(items, kind)), default=None)
        return None if most is None else most - sum(weights[count:][:1]) * (len({*own} & {*cuts[0]}) > 1)

    others = [item for item in range(count) if item not in listed]
    subsets = [own for size in range(len(listed) + 1) for own in combinations(listed, size)]
    plain = {(k, own): weigh(own, kind, weights) for k, kind in enumerate(kinds) for own in subsets}
    plain = {key: one for key, one in plain.items() if one is not None}
    most = [max(one for (k, _), one in plain.items() if k == number) for number in (0, 1)]
    gap = sum(kind.count * own for kind, own in zip(kinds, most, strict=True)) - sum(weights)
    wanted = {(k, frozenset(own)) for (k, own), one in plain.items() if most[k] - one <= gap}

    made = Pool(sizes, kinds, listed, weights)
    made.cut(cuts[0])
    found = [
        (int(k), frozenset(item for item, held in zip(listed, row, strict=True) if held))
        for k, row in zip(made.kind_of, made.holds, strict=True)
    ]
    assert len(set(found)) == len(found) and set(found) == wanted

    priced = [draw.randint(0, 9) for _ in sizes] + [draw.randint(0, 9)]
    values = made.weigh(priced).tolist()
    columns = made.filled(range(len(found)), priced)
    for (k, own), one, (kind, items) in zip(found, values, columns, strict=True):
        assert one == weigh(tuple(own), kinds[k], priced)
        price = priced[-1] * (len({*items} & {*cuts[0]}) > 1)
        assert kind == k and {*items} & {*listed} == own and fits(items, kinds[k])
        assert sum(priced[i] for i in items) - price == one
    pair = tuple(sorted(listed)[:2])
    both = [len({*pair} & own) for _, own in found]
    assert made.together(made.all(), pair).tolist() == [held != 1 for held in both]
    assert made.apart(made.all(), pair).tolist() == [held != 2 for held in both]


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
