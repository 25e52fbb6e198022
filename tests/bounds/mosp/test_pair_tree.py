"""The bound by a tree over pairs of items: bins, exact pricing, certificates, and what the search finds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations
from random import Random

import pytest

from oas.bounds.lower_bound import recheck
from oas.bounds.mosp.pair_tree import pair_tree_bound
from oas.bounds.mosp.pair_tree.bins import EqualTimes, Kind, OneProcessorEach, bins_of
from oas.bounds.mosp.pair_tree.certificate import value
from oas.bounds.mosp.pair_tree.packing import Packing
from oas.core.errors import InputError, TooLargeError
from oas.core.result import Bound, Termination
from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import schedule_from_cluster_runs
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.bounds.mosp.redirected import redirect
from tests.slow import every_fourth_quick


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
    uniform = all(one.uniform for one in bins_of(instance.scaled()).kinds(int(3 * optimum / instance.scaled().tick)))
    assert makespan == optimum or not uniform
    assert bound is not None or optimum == 1


def fits(items, sizes, kind):
    return all(
        sum(sizes[other] for other in items if kind.limits[other] <= kind.limits[one]) <= kind.limits[one]
        for one in items
    )


@pytest.mark.parametrize("seed", range(60))
def test_pricing_against_enumeration(seed):
    draw = Random(seed)
    count, capacity = draw.randint(1, 8), draw.randint(3, 20)
    sizes = [draw.randint(1, 10) for _ in range(count)]
    uniform = seed % 3 > 0
    limits = [draw.choice((capacity, capacity, 0)) if uniform else draw.randint(0, capacity) for _ in sizes]
    kind = Kind(1, tuple(limits))
    pairs = draw.sample(list(combinations(range(count), 2)), min(6, count * (count - 1) // 2)) if uniform else []
    together, apart = pairs[: seed % 3], pairs[2 : 2 + seed % 5]
    weights = [draw.randint(0, 9) for _ in sizes]

    def allowed(items):
        return (
            fits(items, sizes, kind)
            and all((one in items) == (other in items) for one, other in together)
            and not any(one in items and other in items for one, other in apart)
        )

    sets = [items for size in range(count + 1) for items in combinations(range(count), size) if allowed(items)]
    best = max(sum(weights[item] for item in items) for items in sets)
    packing = Packing(sizes, kind, together, apart)
    weight, items = packing.heaviest_set(weights)
    assert packing.heaviest(weights) == weight == best == sum(weights[item] for item in items)
    assert items in sets and (count > 1 or kind.holds(sizes, items))


def test_too_many_sets_of_items_that_are_apart():
    star = [(0, other) for other in range(1, 40)]
    with pytest.raises(TooLargeError, match="sets of items that are apart"):
        Packing([1] * 40, Kind(1, (40,) * 40), (), star)


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
