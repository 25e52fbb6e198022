"""The bound by a tree over pairs of jobs and cluster sets: what the checker proves is the optimum or less."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from oas.checker.reading import Refused
from oas.exact.mosp.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.mosp_cases import THREE, areas_of, clusters_of
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

BRANCHED = {
    "makespan": 9,
    "mirrored": False,
    "steps": 100,
    "refuted": [[0, 1]],
    "cuts": [[0, 1, 3]],
    "weights": [[1, 1, 1, 0, 0, 0], [2, 2, 2, 0, 0, 1]],
    "tree": [[0, 3], 0, [1, 2], 0, 1],
}


def drawn_certificate(instance: MospInstance, makespan: int, draw: Random) -> dict[str, Any]:
    """A tree of any shape; the weights are areas, or next to them."""
    jobs = range(instance.scaled().job_count)
    cuts = [draw.sample(jobs, 3) for _ in range(draw.randint(0, 3))]
    weights = [
        [draw.choice((area, area, area, area + 1, 0)) for area in areas_of(instance)]
        + [draw.randint(0, 2) for _ in cuts]
        for _ in range(3)
    ]

    def tree(depth: int) -> list[Any]:
        if depth == 0 or draw.random() < 0.3:
            return [draw.randrange(3)]
        return [draw.sample(jobs, 2), *tree(depth - 1), *tree(depth - 1)]

    return {
        "makespan": makespan,
        "mirrored": draw.random() < 0.4,
        "steps": draw.choice((1, 5, 5_000)),
        "refuted": [draw.sample(jobs, draw.randint(2, len(jobs))) for _ in range(draw.choice((0, 0, 1)))],
        "cuts": cuts,
        "weights": weights,
        "tree": tree(3),
    }


@pytest.mark.parametrize("seeds", mostly_slow([range(30), range(30, 150)], quick=[range(30)]))
def test_drawn_trees_refute_nothing_that_can_be(seeds: range) -> None:
    draw = Random(len(seeds))
    refuting = branched = 0
    for seed in seeds:
        sizes = [draw.randint(2, 5)] * draw.randint(1, 3)
        sizes[0] += draw.randint(0, 1)
        late, locality = draw.random() < 0.3, draw.choice((None, 1, 2))
        instance = clusters_of(draw, sizes, draw.randint(3, 6), late=late, locality=locality)
        optimum = int(brute_force(instance)[0])
        for makespan in (optimum, optimum, optimum, optimum - 1, optimum - 1, optimum - 2):
            certificate = drawn_certificate(instance, max(0, makespan), draw)
            try:
                found = proven("set tree", instance, certificate)
            except Refused:
                continue
            assert found <= optimum, (seed, certificate)
            refuting += 1
            branched += len(certificate["tree"]) > 1
    assert refuting > len(seeds) // 2 and branched > len(seeds) // 6


def test_changed_and_malformed_certificates() -> None:
    assert proven("set tree", THREE, BRANCHED) == 10
    refused, kept = never_above("set tree", THREE, BRANCHED, Fraction(10))
    assert refused > 150 and kept > 15
    changes = [
        (("tree", 0), [0, 0], r"certificate.tree\[0\]: must be different jobs, one at least"),
        (("tree", 0), [0, 5], r"certificate.tree\[0\]: must be at most 4"),
        (("refuted", 0), [], r"certificate.refuted\[0\]: must be different jobs, one at least"),
        (("weights", 0), [1] * 5, r"certificate.weights\[0\]: must have 6 entries"),
        (("weights", 0), [1] * 6, r"certificate.tree\[1\]: the weights do not close this leaf \(got 0\)"),
        (("refuted", 0), [3, 4], r"certificate.refuted\[0\]: a cluster may be able to run these jobs"),
    ]
    are_refused("set tree", THREE, BRANCHED, changes)
