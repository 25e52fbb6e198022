"""The bound by a tree over pairs of items: what the checker proves is the optimum or less."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from oas.checker.effort import Effort
from oas.checker.reading import Refused
from oas.core.rigid import Organization, RigidJob
from oas.mosp.bounds.pair_tree import pair_tree_bound
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.mosp.bounds.test_pair_tree import NOT_ROUND, bin_packing, equal_times, one_processor_each
from tests.slow import every_fourth_quick, mostly_slow
from tests.solving.redirected import redirect


def drawn(seed: int) -> MospInstance:
    """Up to six jobs: of equal times, with releases and reservations, or of one processor each; with locality."""
    return equal_times(seed) if seed % 3 else one_processor_each(seed)


def drawn_certificate(instance: MospInstance, makespan: int, draw: Random) -> dict[str, Any]:
    """A tree of any shape with weights that are sizes, or next to them; every other one with a pool."""
    scaled = instance.scaled()
    count = scaled.job_count
    sizes = scaled.widths if len(set(scaled.times)) == 1 else scaled.times
    pool = draw.sample(range(count), draw.randint(-(-count // 2), count)) if draw.random() < 0.5 else None
    items = range(count) if pool is None else pool
    cuts = [draw.sample(items, 3) for _ in range(draw.randint(0, 2))] if len(items) > 2 else []
    weights = [
        [draw.choice((size, size, size + 1, 2 * size, 0)) for size in sizes] + [draw.randint(0, 2) for _ in cuts]
        for _ in range(3)
    ]

    def tree(depth: int) -> list[Any]:
        if depth == 0 or len(items) < 2 or draw.random() < 0.4:
            return [draw.randrange(3)]
        if pool is not None and draw.random() < 0.3:
            return [[draw.randrange(3)], *tree(depth - 1)]
        return [draw.sample(items, 2), *tree(depth - 1), *tree(depth - 1)]

    found = {"makespan": makespan, "cuts": cuts, "weights": weights, "tree": tree(3)}
    return found if pool is None else {**found, "pool": pool}


@pytest.mark.parametrize("seeds", mostly_slow([range(80), range(80, 300)], quick=[range(80)]))
def test_drawn_trees_refute_nothing_that_can_be(seeds: range) -> None:
    accepted = refused = pools = 0
    for seed in seeds:
        instance, draw = drawn(seed), Random(seed)
        optimum, tick = brute_force(instance)[0], instance.scaled().tick
        ticks = int(optimum / tick)
        for makespan in (*[ticks] * 8, *[ticks - 1] * 8):
            certificate = drawn_certificate(instance, makespan, draw)
            try:
                found = proven("pair tree", instance, certificate)
            except Refused:
                refused += 1
                continue
            assert found <= optimum, (seed, certificate)
            accepted += 1
            pools += "pool" in certificate
    assert accepted > len(seeds) and refused > len(seeds) and pools > len(seeds) // 4


# Three bins of 7 for items of 4, of which a bin holds one. Of the pool's sets weights leave out those that waste.
THREE = bin_packing([4, 4, 4, 2, 2], 7, 5)
BRANCHED = {
    "makespan": 14,
    "cuts": [[0, 1, 3]],
    "weights": [[1, 1, 1, 0, 0, 0], [2, 2, 2, 0, 0, 1]],
    "tree": [[0, 3], 0, [1, 2], 0, 1],
}
POOLED = {
    "makespan": 10,
    "pool": [0, 1, 2, 3],
    "cuts": [[0, 1, 3]],
    "weights": [[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]],
    "tree": [[1, 3], [1], 2, [1], 2],
}


MALFORMED = [
    (("tree", 0), [0, 0], r"certificate.tree\[0\]: must be different jobs"),
    (("cuts", 0), [0, 1], r"certificate.cuts\[0\]: must have 3 entries"),
    (("weights", 0), [1] * 5, r"certificate.weights\[0\]: must have 6 entries"),
]
MALFORMED_PLAIN = [
    (("tree",), [0, 0], r"certificate.tree\[1\]: no case is left for it"),
    (("tree",), [[0, 3], 0], "certificate.tree: does not cover every case"),
    (("tree",), [[0, 1]] * 201, r"certificate.tree\[200\]: is deeper than 200"),
    (("weights", 0), [0] * 6, r"certificate.tree\[1\]: the weights do not close this leaf \(got 0\)"),
]
MALFORMED_POOL = [
    (("pool",), [0, 1, 2], "certificate.pool: must have the items of all cuts and pairs"),
    (("tree", 0), [1, 4], "certificate.pool: must have the items of all cuts and pairs"),
    (("weights",), [], "certificate.weights: must be one list at least"),
    (("weights", 2), [0] * 6, r"certificate.tree\[2\]: the weights do not close this leaf \(got 2\)"),
]


@pytest.mark.parametrize(
    ("certificate", "changes"), [(BRANCHED, MALFORMED + MALFORMED_PLAIN), (POOLED, MALFORMED + MALFORMED_POOL)]
)
def test_changed_and_malformed_certificates(certificate: dict[str, Any], changes: list[Any]) -> None:
    assert proven("pair tree", THREE, certificate) == 15
    refused, kept = never_above("pair tree", THREE, certificate, F(15), each=3)
    assert refused > 300 and kept > 10
    are_refused("pair tree", THREE, certificate, changes)


def test_other_instances_are_refused() -> None:
    certificate = {"makespan": 2, "cuts": [], "weights": [[1, 1]], "tree": [0]}
    uneven = MospInstance([Organization("A", 4, [RigidJob("a", 2, 3), RigidJob("b", 3, 3)])], None)
    are_refused("pair tree", uneven, certificate, [(("makespan",), 2, "bin packing, which this instance is not")])
    due = [Organization("A", 1, [RigidJob("a", 2, 1)]), Organization("B", 1, [RigidJob("b", 3, 1)])]
    for name, value in (("tree", [[0, 1], 0, 0]), ("pool", [0])):
        change = (
            (name,),
            value,
            "certificate: no cuts, pairs and pool are allowed if the order of items in a bin matters",
        )
        are_refused("pair tree", MospInstance(due, 1), {**certificate, "makespan": 4}, [change])


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_certificates_of_the_search(seed: int) -> None:
    instance = drawn(seed)
    optimum, _ = brute_force(instance)
    found = pair_tree_bound(instance, F(1, 10), F(60)).bound
    if found is not None:
        assert found.value <= proven("pair tree", instance, found.certificate) <= optimum
        refused, kept = never_above("pair tree", instance, found.certificate, optimum)
        assert refused > 50 and kept > 5


@pytest.mark.slow
def test_an_instance_without_integer_round_up_property(monkeypatch: pytest.MonkeyPatch) -> None:
    redirect(monkeypatch, "tests.mosp.bounds.worker_side:pooled_pairs")
    instance = bin_packing(NOT_ROUND, 1000)
    found = pair_tree_bound(instance, F(23), F(24)).bound
    assert found is not None and "pool" in found.certificate and found.certificate["cuts"]
    assert proven("pair tree", instance, found.certificate) == 24
    weights = [[1] * len(one) for one in found.certificate["weights"]]
    are_refused("pair tree", instance, found.certificate, [(("weights",), weights, "more than 60000 sets in the pool")])


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = bin_packing([1] * 30, 10)
    cuts = [[item, item + 1, item + 2] for item in range(28)]
    certificate = {"makespan": 2, "cuts": cuts, "weights": [[1] * 30 + [0] * 28], "tree": [0]}
    assert proven("pair tree", instance, certificate) == 3
    pooled = {"makespan": 3, "cuts": [], "weights": [[1] * 30], "tree": [0], "pool": [*range(30)]}
    are_refused("pair tree", instance, pooled, [(("makespan",), 3, "more than 60000 sets in the pool")])
    monkeypatch.setattr(Effort.__init__, "__defaults__", (100,))
    for slow in (certificate, pooled):
        are_refused("pair tree", instance, slow, [(("makespan",), slow["makespan"], "a patience of 1 allows")])
