"""The bound by a tree over pairs of jobs and cluster sets: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from oas.bounds.mosp.set_tree.certificate import value

from oas.bounds.mosp.set_tree import set_tree_bound
from oas.checker import mosp_set_tree
from oas.checker.errors import Refused
from oas.checker.mosp_set_tree import check_mosp_set_tree
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 5_000  # enough for all sets of the jobs drawn here


def both(instance: MospInstance) -> tuple[Callable[[Any], Fraction], Callable[[Any], Fraction]]:
    """Check a certificate by the toolkit, and by the stand-alone checker."""
    own = own_mosp(instance)
    return lambda one: value(instance, one), lambda one: check_mosp_set_tree(own, one)


def equal_clusters(draw: Random) -> MospInstance:
    """One to three equal clusters and up to nine jobs, with releases and locality."""
    size, clusters, count = draw.randint(2, 6), draw.randint(1, 3), draw.randint(3, 9)
    late = draw.random() < 0.3
    jobs = [
        RigidJob(f"J{n}", draw.randint(1, 6), draw.randint(1, size), draw.randint(0, 4) if late else 0)
        for n in range(count)
    ]
    organizations = [Organization(f"O{k}", size, jobs[k::clusters]) for k in range(clusters)]
    return MospInstance(organizations, draw.choice((None, 1, 2)))


def drawn_certificate(instance: MospInstance, draw: Random) -> dict[str, Any]:
    """A tree of any shape; the weights are areas, or next to them."""
    scaled = instance.scaled()
    jobs = range(scaled.job_count)
    areas = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
    cuts = [draw.sample(jobs, 3) for _ in range(draw.randint(0, 3))]
    weights = [
        [draw.choice((area, area, area, area + 1, 0)) for area in areas] + [draw.choice((0, 1, 2)) for _ in cuts]
        for _ in range(3)
    ]

    def tree(depth: int) -> list[Any]:
        if depth == 0 or draw.random() < 0.3:
            return [draw.randrange(3)]
        return [draw.sample(jobs, 2), *tree(depth - 1), *tree(depth - 1)]

    least = max(*scaled.times, sum(areas) // sum(scaled.processors))
    return {
        "makespan": draw.randint(least - 1, least + 1 + least // 3),
        "mirrored": draw.random() < 0.4,
        "steps": STEPS,
        "refuted": [draw.sample(jobs, draw.randint(3, scaled.job_count)) for _ in range(draw.choice((0, 0, 1)))],
        "cuts": cuts,
        "weights": weights,
        "tree": tree(3),
    }


def test_drawn_trees_refute_the_same() -> None:
    refuting = branched = open_ones = 0
    for seed in range(50):
        draw = Random(seed)
        instance = equal_clusters(draw)
        theirs, ours = both(instance)
        certificate = drawn_certificate(instance, draw)
        expected = verdict(theirs, certificate)
        assert verdict(ours, certificate) == expected, (seed, certificate)
        refuting, open_ones = refuting + bool(expected), open_ones + (expected == 0)
        branched += bool(expected) and len(certificate["tree"]) > 1
    assert refuting > 8
    assert branched > 2
    assert open_ones > 8


# Two clusters of four; three jobs that want a cluster each for five ticks, and two that fit beside them.
THREE = MospInstance(
    [
        Organization("A", 4, [RigidJob("J0", 5, 3), RigidJob("J1", 5, 3)]),
        Organization("B", 4, [RigidJob("J2", 5, 3), RigidJob("J3", 5, 1), RigidJob("J4", 5, 1)]),
    ],
    None,
)
BRANCHED = {
    "makespan": 9,
    "mirrored": False,
    "steps": 100,
    "refuted": [[0, 1]],
    "cuts": [[0, 1, 3]],
    "weights": [[1, 1, 1, 0, 0, 0], [2, 2, 2, 0, 0, 1]],
    "tree": [[0, 3], 0, [1, 2], 0, 1],
}


def test_changed_certificates() -> None:
    refused, kept = hold_together(BRANCHED, *both(THREE), each=1)
    assert refused > 150
    assert kept > 15


@pytest.mark.parametrize(("seed", "proven"), [(0, 67), (1, 59)])
def test_certificates_of_the_search(seed: int, proven: int) -> None:
    instance = uni(seed=seed, jobs=12, organizations=3, processors=8)
    found = set_tree_bound(instance, Fraction(proven - 3), Fraction(proven))
    assert found.bound is not None
    theirs, ours = both(instance)
    assert ours(found.bound.certificate) == theirs(found.bound.certificate) == proven


def test_a_search_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_mosp(THREE)
    assert check_mosp_set_tree(own, BRANCHED) == 10
    monkeypatch.setattr(mosp_set_tree, "SET_TREE_STEPS", 100)
    with pytest.raises(Refused, match="a patience of 1 allows"):
        check_mosp_set_tree(own, BRANCHED)
