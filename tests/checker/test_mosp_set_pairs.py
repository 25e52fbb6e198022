"""The heaviest sets, with pairs of items or without: what trying all sets finds."""

from __future__ import annotations

from itertools import combinations
from random import Random

from oas.checker.effort import Effort
from oas.checker.mosp_packing import SET_NO
from oas.checker.mosp_pair_tree import BinKind, BinPacking, PairPool
from oas.checker.mosp_partitions import heaviest_cluster_set
from oas.checker.mosp_possible_sets import JobsByArea, PossibleSets
from tests.checker.instances import own_mosp
from tests.checker.mosp_cases import clusters_of


def agreeing_sets(count, supposed, cuts, weights):
    """Yield each set of items that agrees with the pairs, and its weight less the prices of cuts."""
    together, apart = supposed
    for size in range(count + 1):
        for own in map(set, combinations(range(count), size)):
            if any(len(own & {*pair}) == 1 for pair in together) or any(own >= {*pair} for pair in apart):
                continue
            paid = sum(price for cut, price in zip(cuts, weights[count:], strict=True) if len(own & {*cut}) > 1)
            yield own, sum(weights[item] for item in own) - paid


def drawn_branch(draw, count):
    """Pairs, cuts and weights."""
    pairs = [tuple(draw.sample(range(count), 2)) for _ in range(draw.randint(0, 5))]
    cut = draw.randint(0, min(2, len(pairs)))
    cuts = [tuple(draw.sample(range(count), 3)) for _ in range(draw.randint(0, 3))]
    weights = [draw.randint(0, 9) for _ in range(count)] + [draw.randint(0, 4) for _ in cuts]
    return (tuple(pairs[:cut]), tuple(pairs[cut:])), cuts, weights


def test_items_in_a_bin():
    """The first weights leave out no set; the last ones leave those that weigh most."""
    draw = Random(1)
    for _ in range(400):
        count, capacity = draw.randint(3, 8), draw.randint(4, 20)
        sizes = [draw.randint(1, 9) for _ in range(count)]
        supposed, cuts, weights = drawn_branch(draw, count)
        kind = BinKind(1, tuple(draw.choice((capacity, capacity, 0)) for _ in sizes))
        fitting = [
            (weight, own)
            for own, weight in agreeing_sets(count, supposed, cuts, weights)
            if sum(sizes[item] for item in own) <= kind.capacity
            and all(sizes[item] <= kind.limits[item] for item in own)
        ]
        named = {item for items in (*supposed[0], *supposed[1], *cuts) for item in items}
        listed = sorted(named | {*draw.sample(range(count), 2)})
        pool = PairPool(BinPacking(sizes, 1, [kind]), listed, cuts, Effort())
        part = pool.all_sets([0] * count)
        for place, pairs in enumerate(supposed):
            for pair in pairs:
                part = pool.split(part, *pair)[place]
        most, gap = max(weight for weight, _ in fitting), draw.randint(0, 5)
        row = [*weights[:count], *(-price for price in weights[count:])]
        row += [most - gap - sum(row)]  # a column of no set, for which the gap is this one
        wanted = {frozenset(own & {*listed}) for weight, own in fitting if weight >= most - gap}
        assert {columns & {*listed} for _, columns in pool.kept(part, row)[0]} == wanted


def test_jobs_on_a_cluster():
    draw = Random(2)
    for seed in range(60):
        instance = clusters_of(draw, [draw.randint(2, 6)], draw.randint(3, 6), late=seed % 2 == 0)
        ticks = own_mosp(instance).ticks
        jobs = JobsByArea.of(ticks, draw.randint(6, 12), mirrored=seed % 2 == 0)
        sets = PossibleSets(jobs, ticks.processors[0], 5_000, Effort(), Effort())
        count = ticks.job_count
        weights = [draw.randint(0, 9) for _ in range(count)]
        running = [
            sum(weights[job] for job in own)
            for size in range(len(sets.sizes) + 1)
            for own in combinations(sets.sizes, size)
            if not own or sets.answer(sum(1 << job for job in own)) != SET_NO
        ]
        assert heaviest_cluster_set(sets, weights) == max(running), seed
