"""The bound by partitions: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from oas.bounds.mosp.partitions.certificate import value

from oas.bounds.mosp.partitions import partition_bound
from oas.checker import mosp_partitions
from oas.checker.errors import Refused
from oas.checker.mosp_partitions import check_mosp_partitions
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEPS = 5_000  # enough for all sets of the jobs drawn here


def both(instance: MospInstance) -> tuple[Callable[[Any], Fraction], Callable[[Any], Fraction]]:
    """Check a certificate by the toolkit, and by the stand-alone checker."""
    own = own_mosp(instance)
    return lambda one: value(instance, one), lambda one: check_mosp_partitions(own, one)


def clusters_of(draw: Random, sizes: Sequence[int], count: int, *, late: bool) -> MospInstance:
    """Clusters of these sizes and so many jobs, each on any of them, with releases or without."""
    jobs: list[list[RigidJob]] = [[] for _ in sizes]
    for n in range(count):
        k = draw.randrange(len(sizes))
        release = draw.randint(0, 4) if late else 0
        jobs[k].append(RigidJob(f"J{n}", draw.randint(1, 6), draw.randint(1, sizes[k]), release))
    return MospInstance([Organization(f"O{k}", *one) for k, one in enumerate(zip(sizes, jobs, strict=True))], None)


def drawn_certificate(instance: MospInstance, draw: Random) -> dict[str, Any]:
    """Weights that are areas, or anything else: the proof does not rest on them."""
    scaled = instance.scaled()
    areas = [time * width for time, width in zip(scaled.times, scaled.widths, strict=True)]
    least = max(*scaled.times, sum(areas) // sum(scaled.processors))
    return {
        "makespan": draw.randint(least - 1, least + 1 + least // 3),
        "weights": [
            [draw.choice((0, 1, area, area, draw.randint(0, 50))) for area in areas] for _ in range(draw.randint(0, 3))
        ],
        "steps": STEPS,
        "mirrored": draw.random() < 0.4,
    }


def test_drawn_makespans_are_refuted_alike() -> None:
    refuted = found = 0
    for seed in range(50):
        draw = Random(seed)
        sizes = [draw.choice((1, 2, 3, 4, 6)) for _ in range(draw.randint(1, 4))]
        sizes = sizes if seed % 2 else sizes[:1] * len(sizes)
        instance = clusters_of(draw, sizes, draw.randint(2, 11), late=seed % 3 == 0)
        theirs, ours = both(instance)
        certificate = drawn_certificate(instance, draw)
        expected = verdict(theirs, certificate)
        assert verdict(ours, certificate) == expected, (seed, certificate)
        refuted, found = refuted + bool(expected), found + (expected == 0)
    assert refuted > 12
    assert found > 12


def test_just_what_is_below_the_optimum_is_refuted() -> None:
    for seed in range(10):
        draw = Random(seed)
        sizes = [draw.randint(1, 4) for _ in range(2 + seed % 2)]
        instance = clusters_of(draw, sizes, 5, late=False)
        optimum = int(brute_force(instance)[0])
        check = both(instance)[1]
        certificate = {"weights": [], "steps": STEPS, "mirrored": seed % 2 == 0}
        assert check({"makespan": optimum - 1, **certificate}) == optimum
        assert check({"makespan": optimum, **certificate}) == 0


def test_changed_certificates() -> None:
    """Three jobs of which two cannot run on a cluster by 9, and clusters of different sizes."""
    draw = Random(5)
    jobs = [RigidJob(f"J{k}", 5, 3) for k in range(3)]
    equal = MospInstance([Organization("A", 4, jobs), Organization("B", 4)], None)
    certificate = {"makespan": 9, "weights": [[1, 1, 1]], "steps": 100, "mirrored": False}
    for instance in (equal, clusters_of(draw, (2, 3, 5), 3, late=True)):
        refused, kept = hold_together(certificate, *both(instance), each=1)
        assert refused > 60
        assert kept > 5


@pytest.mark.parametrize(("seed", "proven"), [(0, 67), (1, 59)])
def test_certificates_of_the_search(seed: int, proven: int) -> None:
    instance = uni(seed=seed, jobs=12, organizations=3, processors=8)
    found = partition_bound(instance, Fraction(proven - 3), Fraction(proven))
    assert found.bound is not None
    theirs, ours = both(instance)
    assert ours(found.bound.certificate) == theirs(found.bound.certificate) == proven


def test_a_search_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_mosp(clusters_of(Random(1), (3, 4), 9, late=False))
    certificate = {"makespan": 20, "weights": [], "steps": STEPS, "mirrored": False}
    assert check_mosp_partitions(own, certificate) == 0
    monkeypatch.setattr(mosp_partitions, "PARTITION_STEPS", 10)
    with pytest.raises(Refused, match="a patience of 1 allows"):
        check_mosp_partitions(own, certificate)
