"""Which jobs can run together, and the heaviest of such sets: against trying every allocation and every set."""

import random
from fractions import Fraction as F
from itertools import combinations, product
from operator import add, le

import numpy as np
import pytest

from oas.coallocation.allocations import fastest_level
from oas.coallocation.bounds.configurations import job_modes, kernels, mode_of_level, packing, pricing
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.configurations.pricing import heaviest
from oas.coallocation.generate.section4 import section4
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InfeasibleError
from tests.coallocation.bounds.naive import can_run, subsets
from tests.coallocation.grids import INSTANCES
from tests.slow import at_least, draws


def items_of(scaled):
    levels = [range(fastest_level(scaled, job) or 0, len(scaled.powers)) for job in range(scaled.job_count)]
    return [
        tuple(zip(jobs, chosen, strict=True))
        for size in range(1, scaled.job_count + 1)
        for jobs in combinations(range(scaled.job_count), size)
        for chosen in product(*(levels[job] for job in jobs))
    ]


def plain(scaled):
    """Run by the uncompiled kernel, on Python's own integers."""
    made = Packing(scaled)
    links, loads, _ = made._arrays
    made._arrays = (links.astype(object), loads.astype(object), kernels.split.for_lists)
    return made


@pytest.mark.slow
def test_against_every_allocation():
    counts = {True: 0, False: 0}
    split = 0
    for instance in INSTANCES[::2]:
        scaled = instance.scaled()
        fast, slow = Packing(scaled), plain(scaled)
        for items in items_of(scaled):
            expected = can_run(scaled, items)
            assert fast.fits(items) is fast.fits(items[::-1]) is expected, (instance.name, items)
            assert slow.fits(items) is expected, (instance.name, items)
            counts[expected] += 1
            split += fast._nodes_suffice(items) and not expected
    assert min(counts.values()) > 150 and split > 25, (counts, split)  # many for want of links alone


def test_compiled_and_plain_take_the_same_steps():
    # Where the search gives up, and so the bound, must not depend on how it runs.
    scaled = section4(seed=1, jobs=12, nodes=6, bandwidth="tight").scaled()
    made = Packing(scaled)
    links, loads, _ = made._arrays
    nodes, levels = np.array(made.nodes, dtype=np.int64), np.array([2, 1, 2], dtype=np.int64)
    met = set()
    for jobs in combinations(range(12), 3):
        for limit in (1, 4, 20, 20_000):
            given = (np.array([scaled.tasks[job] for job in jobs]), levels, nodes, links, loads[list(jobs)], limit)
            answer = kernels.split.compiled(*given, packing.make_memory(nodes, links, given[4]))
            assert answer == kernels.split.plain(*given, packing.make_memory(nodes, links, given[4]))
            met.add(answer)
    assert met == {kernels.NO, kernels.YES, kernels.GIVEN_UP}


def splits(scaled, items):
    """Whether items can be split, by listing for cluster after cluster what is placed of each so far."""
    sizes = tuple(scaled.tasks[job] for job, _ in items)
    reached = {(0,) * len(items)}
    for cluster, link in enumerate(scaled.link_capacity):
        classes = [one for one in scaled.classes if one.cluster == cluster]
        room = [sum(len(one.nodes) for one in classes if one.level <= top) for top in range(len(scaled.powers))]
        taken = [
            counts
            for counts in product(*(range(min(size, room[-1]) + 1) for size in sizes))
            if sum(scaled.link_loads[job][c] for c, (job, _) in zip(counts, items, strict=True)) <= link
            and all(
                sum(c for c, (_, level) in zip(counts, items, strict=True) if level <= top) <= held
                for top, held in enumerate(room)
            )
        ]
        reached = {tuple(map(add, so_far, counts)) for so_far in reached for counts in taken}
        reached = {total for total in reached if all(map(le, total, sizes))}
    return sizes in reached


@pytest.mark.parametrize("groups", [[(5, 1)], [(3, F(1, 2)), (2, 1)]], ids=["one Γ each", "two Γ in each"])
def test_clusters_alike_against_every_split(groups):
    """Where clusters are alike, splits that differ by their order count once; none is lost by that."""
    draw = random.Random(len(groups))
    met = {True: 0, False: 0}
    for _ in range(draws(60)):
        grid = [
            Cluster(f"C{k}", [NodeGroup(n, F(p, 1 + k % 2)) for n, p in groups], draw.choice((8, 8, 9)))
            for k in range(4)
        ]
        tasks = [draw.randint(2, 12) for _ in range(3)]
        jobs = [Job(f"J{index}", size, 1, draw.randint(1, 5), 1) for index, size in enumerate(tasks)]
        scaled = CoallocationInstance(grid, jobs, 1).scaled()
        last = len(scaled.powers) - 1
        for size in (1, 2, 3):
            items = tuple((job, draw.choice((0, last, last))) for job in range(size))
            fits = Packing(scaled).fits(items)
            assert fits is plain(scaled).fits(items) is splits(scaled, items), (scaled, items)
            met[fits] += 1
    assert min(met.values()) > at_least(25), met


def test_given_up_means_maybe(monkeypatch):
    # A job of 3 tasks split 2 + 1 takes all of both links, and so would the other; alone neither fits anywhere.
    grid = [Cluster("A", [NodeGroup(4, 1)], 2), Cluster("B", [NodeGroup(2, 1)], 2)]
    jobs = [Job("a", 5, 1, 1), Job("b", 1, 1, 1)]
    scaled = CoallocationInstance(grid, jobs, 1).scaled()
    assert Packing(scaled).fits([(0, 0), (1, 0)]) is can_run(scaled, [(0, 0), (1, 0)])
    torn = CoallocationInstance(
        [Cluster("A", [NodeGroup(3, 1)], 1), Cluster("B", [NodeGroup(3, 1)], 1)],
        [Job("a", 2, 1, 1), Job("b", 2, 1, 1), Job("c", 2, 1, 2)],
        1,
    ).scaled()
    every = [(0, 0), (1, 0), (2, 0)]
    assert can_run(torn, every) is Packing(torn).fits(every)
    for name in ("MAX_ITEMS", "MAX_LOADS", "MAX_EFFORT"):
        with monkeypatch.context() as patch:
            patch.setattr(packing, name, 0)
            assert Packing(torn).fits(every)


def test_links_past_64_bits():
    wide = [Cluster(name, [NodeGroup(3, 1)], 10**30 + 1) for name in "AB"]
    jobs = [Job("a", 4, 1, 10**30), Job("b", 2, 1, 10**30)]
    scaled = CoallocationInstance(wide, jobs, 1).scaled()
    assert Packing(scaled).fits([(0, 0)]) is can_run(scaled, [(0, 0)])
    for pair in ([(0, 0), (1, 0)], [(1, 0)]):
        assert Packing(scaled).fits(pair) is can_run(scaled, pair)


def drawn(modes, draw, most):
    return [[draw.randint(0, most) * draw.choice((0, 1, 1)) for _ in row] for row in modes]


@pytest.mark.parametrize("most", [3, 1000, 10**25])
def test_against_every_set(most):
    draw = random.Random(most)
    for instance in INSTANCES:
        scaled = instance.scaled()
        modes, packing = job_modes(scaled), Packing(scaled)
        weights = drawn(modes, draw, most)
        weight_of = {(j, m.level): w for j, row in enumerate(modes) for m, w in zip(row, weights[j], strict=True)}
        expected = max(sum(weight_of[item] for item in one) for one in subsets(modes) if packing.fits(one))
        found = heaviest(packing, modes, weights)
        assert found.weight == expected, instance.name
        assert all(packing.fits(one) for one in found.sets)
        rising = [sum(weight_of[item] for item in one) for one in found.sets]
        assert rising == sorted(set(rising)) and (rising or [0])[-1] == expected
        assert heaviest(packing, modes, weights, floor=expected) == (expected, [], True)
        if expected:
            assert heaviest(packing, modes, weights, floor=expected - 1).weight == expected


def test_given_up_it_is_an_upper_bound(monkeypatch):
    draw = random.Random(5)
    scaled = section4(seed=2, jobs=16, bandwidth="tight").scaled()
    modes, packing = job_modes(scaled), Packing(scaled)
    weaker = 0
    for _ in range(10):
        weights = drawn(modes, draw, 1000)
        exact = heaviest(packing, modes, weights).weight
        values = [heaviest(packing, modes, weights, limit=limit).weight for limit in (0, 1, 3, 10, 100_000)]
        assert min(values) >= exact == values[-1]
        weaker += values[0] > exact
        assert heaviest(packing, modes, weights, stop=lambda: True).weight == values[0]
        with monkeypatch.context() as patch:
            patch.setattr(pricing, "MAX_CELLS", 10)
            assert heaviest(packing, modes, weights).weight >= values[0]
    assert weaker >= 3


def test_modes_are_the_durations_that_a_job_can_have():
    merged = 0
    for instance in INSTANCES:
        scaled = instance.scaled()
        for job, row in enumerate(job_modes(scaled)):
            fastest = fastest_level(scaled, job)
            levels = range(fastest, len(scaled.powers))
            assert [mode.ticks for mode in row] == sorted({scaled.durations[job][level] for level in levels})
            for mode in row:
                same = [level for level in levels if scaled.durations[job][level] == mode.ticks]
                assert mode.level == max(same)
                merged += len(same) > 1
                assert all(row[mode_of_level(row, scaled.durations[job], level)] == mode for level in same)
            shorter = [level for level in range(fastest) if scaled.durations[job][level] < row[0].ticks]
            assert all(mode_of_level(row, scaled.durations[job], level) is None for level in shorter)
    assert merged > 20


def test_a_job_without_allocation():
    grid = [Cluster(name, [NodeGroup(1, 1)], 0) for name in "AB"]
    with pytest.raises(InfeasibleError):
        job_modes(CoallocationInstance(grid, [Job("torn", 2, 1, 1)], 1).scaled())
