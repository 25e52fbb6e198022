"""The bound by a tree over pairs of items: bins, exact pricing, certificates, pools of sets, and what is found."""

from dataclasses import replace
from fractions import Fraction as F
from random import Random

import pytest

from oas.core.errors import TooLargeError
from oas.core.result import Termination
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.bounds.pair_tree import bins, pair_tree_bound, pool
from oas.mosp.bounds.pair_tree.bins import EqualTimes, Kind, OneProcessorEach, bins_of
from oas.mosp.bounds.pair_tree.pool import Pool
from oas.mosp.instance import MospInstance
from oas.mosp.runs import schedule_from_cluster_runs
from oas.solving.brute_force import brute_force
from oas.solving.recheck import recheck
from tests.slow import every_fourth_quick
from tests.solving.redirected import redirect


def jobs_of(shapes, prefix="J", release=0):
    return [RigidJob(f"{prefix}{n}", time, width, release) for n, (time, width) in enumerate(shapes)]


def bin_packing(sizes, capacity, time=1):
    return MospInstance([Organization("A", capacity, jobs_of([(time, size) for size in sizes]))], None)


def equal_times(seed):
    """Up to six jobs of equal times, with releases, reservations and locality."""
    draw = Random(seed)
    organizations = []
    time = draw.choice((1, 3, F(5, 2)))
    for k in range(draw.randint(1, 2)):
        size = draw.randint(2, 6)
        jobs = [
            RigidJob(f"{k}.{n}", time, draw.randint(1, size), time * draw.choice((0, 0, 0, 1)))
            for n in range(draw.randint(1, 3))
        ]
        held = [Reservation(time, 2 * time, 1)] if draw.random() < 0.3 else []
        organizations.append(Organization(f"O{k}", size, jobs, held))
    return MospInstance(organizations, draw.choice((None, 1, F(3, 2))))


def one_processor_each(seed):
    """Up to six jobs of one processor each, with locality."""
    draw = Random(seed)
    organizations = []
    for k in range(draw.randint(1, 2)):
        jobs = jobs_of([(draw.randint(1, 9), 1) for _ in range(draw.randint(1, 3))], f"{k}.")
        organizations.append(Organization(f"O{k}", draw.randint(1, 2), jobs))
    return MospInstance(organizations, draw.choice((None, 1, F(3, 2))))


def check(instance, optimum):
    """What the search finds keeps every rule, and its bound does not exceed the optimum; return both."""
    found = pair_tree_bound(instance, F(1, 10), 3 * optimum)
    assert found.termination is Termination.FINISHED, found.message
    makespan = None
    if found.runs is not None:
        schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
        assert verify(instance, schedule) == []
        makespan = schedule.makespan
        assert makespan >= optimum
    if found.bound is not None:
        assert found.bound.value <= optimum and recheck(instance, found.bound)
        worse = replace(found.bound, value=found.bound.value + instance.scaled().tick)
        assert not recheck(instance, worse)
    return found.bound, makespan


@pytest.mark.parametrize("seed", every_fourth_quick(range(24)))
@pytest.mark.parametrize("draw", [equal_times, one_processor_each])
def test_against_brute_force(draw, seed):
    instance = draw(seed)
    optimum, _ = brute_force(instance)
    bound, makespan = check(instance, optimum)
    packing = bins_of(instance.scaled())
    unit = packing.unit * instance.scaled().tick
    if all(kind.uniform for kind in packing.kinds(int(3 * optimum / unit))):
        assert makespan == optimum
        assert (optimum if bound is None else bound.value) == optimum
    assert bound is not None or optimum == unit


def test_bins_of_very_many_moments(monkeypatch):
    monkeypatch.setattr(bins, "MAX_CELLS", 10_000)
    held = [Reservation(3 * number, 3 * number + 1, 1) for number in range(600)]
    instance = MospInstance([Organization("A", 2, jobs_of([(1, 1)] * 20), held)], None)
    with pytest.raises(TooLargeError, match="moments × jobs"):
        bins_of(instance.scaled()).kinds(10**6)


def test_what_is_bin_packing():
    same, one = bin_packing([3, 4], 5, F(7, 2)), MospInstance([Organization("A", 2, jobs_of([(3, 1), (6, 1)]))], None)
    assert bins_of(same.scaled()).title == "equal times: bin packing, 2 items in bins of 5"
    assert bins_of(one.scaled()).title == "one processor each: 2 jobs on 2 identical machines"
    late = MospInstance([Organization("A", 2, jobs_of([(3, 1), (3, 2)], release=1))], None)
    assert isinstance(bins_of(same.scaled()), EqualTimes) and isinstance(bins_of(one.scaled()), OneProcessorEach)
    assert bins_of(late.scaled()) is None  # released within a unit
    held = MospInstance([Organization("A", 2, jobs_of([(3, 1), (6, 1)]), [Reservation(0, 3, 1)])], None)
    assert bins_of(held.scaled()) is None
    other = MospInstance([Organization("A", 5, jobs_of([(3, 1), (4, 2)]))], None)
    assert bins_of(other.scaled()) is None
    found = pair_tree_bound(other, F(1), F(7))
    assert found.termination is Termination.TOO_LARGE and "no bin packing" in found.message


THREE = bin_packing([4, 4, 4, 2, 2], 7, 5)  # three bins of at most one 4 and one 2


# 69 of the 160 items of Hard28's BPP14: 23 bins of 1000 suffice for the program, and not for the items.
NOT_ROUND = [686, 683, 670, 669, 668, 662, 653, 649, 632, 621, 620, 606, 605, 603, 599, 598, 597, 556, 544, 544, 514]
NOT_ROUND += [474, 462, 430, 429, 358, 340, 339, 321, 318, 293, 290, 283, 273, 268, 263, 252, 239, 230, 228, 224, 221]
NOT_ROUND += [211, 209, 208, 205, 197, 193, 193, 185, 184, 182, 173, 166, 142, 133, 123, 120, 109, 95, 92, 69, 59, 57]
NOT_ROUND += [45, 40, 39, 29, 24]


@pytest.mark.slow
def test_an_instance_without_integer_round_up_property():
    instance = bin_packing(NOT_ROUND, 1000)
    weights = configuration_bound(instance, F(0), F(30)).bound
    assert weights.value == 23  # no weights alone prove more
    found = pair_tree_bound(instance, F(23), F(25))
    assert found.bound.value == 24 and recheck(instance, found.bound)
    schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
    assert verify(instance, schedule) == [] and schedule.makespan == 24
    assert found.bound.certificate["cuts"]
    uncut = {**found.bound.certificate, "cuts": [], "weights": [w[:69] for w in found.bound.certificate["weights"]]}
    assert not recheck(instance, replace(found.bound, certificate=uncut))


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
    redirect(monkeypatch, "tests.mosp.bounds.worker_side:pooled_pairs")
    found = pair_tree_bound(instance, F(1, 10), 3 * optimum)
    assert found.termination is Termination.FINISHED, found.message
    schedule = schedule_from_cluster_runs(instance, instance.scaled(), found.runs)
    assert verify(instance, schedule) == [] and schedule.makespan == optimum
    assert optimum == unit if found.bound is None else found.bound.value == optimum
    assert found.bound is None or recheck(instance, found.bound)


def test_a_pool_proves_what_weights_alone_do_not(monkeypatch):
    instance = bin_packing(NOT_ROUND, 1000)
    redirect(monkeypatch, "tests.mosp.bounds.worker_side:pooled_pairs")
    found = pair_tree_bound(instance, F(23), F(24))
    assert found.bound.value == 24 and recheck(instance, found.bound)
    certificate = found.bound.certificate
    assert "pool" in certificate
    bare = {key: one for key, one in certificate.items() if key != "pool"}
    assert not recheck(instance, replace(found.bound, certificate=bare))
    other = {**certificate, "weights": [[1] * len(one) for one in certificate["weights"]]}
    assert not recheck(instance, replace(found.bound, certificate=other))


def test_a_tree_without_cuts_branches(monkeypatch):
    redirect(monkeypatch, "tests.mosp.bounds.worker_side:pooled_branches")
    instance = bin_packing(NOT_ROUND, 1000)
    found = pair_tree_bound(instance, F(23), F(24))
    assert found.bound.value == 24 and recheck(instance, found.bound)
    certificate = found.bound.certificate
    assert any(isinstance(node, list) and len(node) == 2 for node in certificate["tree"]) and not certificate["cuts"]
