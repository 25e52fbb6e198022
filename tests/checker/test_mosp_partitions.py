"""The bound by partitions: what the checker proves is the optimum or less."""

from __future__ import annotations

from random import Random

import pytest

from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.mosp_cases import THREE, areas_of, clusters_of
from tests.slow import mostly_slow

STEPS = 5_000  # enough for all sets of the jobs drawn here
GOOD = {"makespan": 9, "weights": [[1, 1, 1, 0, 0]], "steps": 100, "mirrored": False}


@pytest.mark.parametrize("seeds", mostly_slow([range(12), range(12, 160)], quick=[range(12)]))
def test_the_optimum_is_proven_and_no_more(seeds: range) -> None:
    """Whatever the weights are: the proof does not rest on them."""
    draw = Random(len(seeds))
    for seed in seeds:
        sizes = [draw.randint(2, 6) for _ in range(draw.randint(1, 4))]
        late = seed % 3 == 0
        instance = clusters_of(draw, sizes, draw.randint(2, 6), late=late)
        optimum = int(brute_force(instance)[0])
        for count in (0, draw.randint(1, 3)):
            weights = [[draw.choice((area, area + 1, 0, 1)) for area in areas_of(instance)] for _ in range(count)]
            certificate = {"weights": weights, "steps": STEPS, "mirrored": late or draw.random() < 0.5}
            below = proven("partitions", instance, {"makespan": optimum - 1, **certificate})
            assert below == optimum if not late else below in (0, optimum), (seed, certificate)
            assert proven("partitions", instance, {"makespan": optimum, **certificate}) == 0, (seed, certificate)
            for steps in (1, 2, 3, 4, 6):
                few = {**certificate, "steps": steps}
                assert proven("partitions", instance, {"makespan": optimum, **few}) == 0, (seed, few)


@pytest.mark.parametrize("seed", range(8))
def test_locality(seed: int) -> None:
    draw = Random(seed)
    instance = clusters_of(draw, [draw.randint(2, 5) for _ in range(3)], 6, late=False, locality=1)
    optimum = int(brute_force(instance)[0])
    for makespan in (optimum - 1, optimum):
        certificate = {"makespan": makespan, "weights": [], "steps": STEPS, "mirrored": False}
        assert proven("partitions", instance, certificate) == (optimum if makespan < optimum else 0)


def test_a_set_refuted_late_says_nothing_of_the_jobs_left_after_it() -> None:
    """One cluster of two cannot run three jobs, as a longer packing shows; the two jobs left do fit the largest."""
    jobs = [RigidJob("a", 3, 6), RigidJob("b", 5, 6), RigidJob("c", 2, 1), RigidJob("d", 6, 1), RigidJob("e", 4, 2)]
    sizes = (2, 2, 4)
    organizations = [Organization("O", 6, jobs), *(Organization(f"O{k}", size) for k, size in enumerate(sizes))]
    instance = MospInstance(organizations, None)
    assert brute_force(instance)[0] == 8
    for steps in (1, 2, 3, 20, STEPS):
        certificate = {"makespan": 8, "weights": [], "steps": steps, "mirrored": False}
        assert proven("partitions", instance, certificate) == 0


def test_changed_and_malformed_certificates() -> None:
    unequal = clusters_of(Random(5), (2, 3, 5), 5, late=True)
    for instance in (THREE, unequal):
        optimum, _ = brute_force(instance)
        refused, kept = never_above("partitions", instance, {**GOOD, "makespan": int(optimum) - 1}, optimum)
        assert refused > 60 and kept > 5
    changes = [
        (("weights",), [[1] * 5] * 4, "certificate.weights: must have at most 3 entries"),
        (("weights", 0), [1], r"certificate.weights\[0\]: must have 5 entries"),
        (("weights", 0, 2), 2**51, r"certificate.weights\[0\]\[2\]: must be at most"),
        (("steps",), 0, "certificate.steps: must be at least 1"),
        (("makespan",), 2**50, "times processors it must be at most"),
    ]
    are_refused("partitions", THREE, GOOD, changes)
