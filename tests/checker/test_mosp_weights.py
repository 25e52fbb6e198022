"""MOSP bounds by weights of the jobs: configurations, two-dimensional. None is above the optimum."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from oas.checker import mosp_weights
from oas.core.numbers import ceil_to
from oas.core.rigid import Organization, RigidJob
from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.generate.tiny import alone
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from tests.checker.cases import are_refused, never_above, proven
from tests.checker.instances import own_mosp
from tests.checker.mosp_cases import THREE
from tests.mosp.instances import random_instance
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from tests.checker.cases import Change

SEEDS = mostly_slow([range(10), range(10, 120)], quick=[range(10)])
ONES = [1, 1, 1, 0, 0]
GOOD: dict[str, dict[str, Any]] = {
    "configurations": {"weights": [1, 1, 1, 0, 0]},
    "two-dimensional": {"makespan": 9, "times": ONES, "heights": ONES, "mirrored": False},
}
MAKESPAN: list[Change] = [(("makespan",), -1, "certificate.makespan: must be at least 0")]
MALFORMED: dict[str, list[Change]] = {
    "configurations": [
        (("weights",), [1], "certificate.weights: must have 5 entries"),
        (("weights", 1), 2**101, r"certificate.weights\[1\]: must be at most"),
    ],
    "two-dimensional": [*MAKESPAN, (("mirrored",), 0, "certificate.mirrored: must be true or false")],
}


@pytest.mark.parametrize("seeds", SEEDS)
def test_configurations_of_any_weights(seeds: range) -> None:
    """Instances with releases, reservations and clusters of different sizes."""
    draw, proofs = Random(len(seeds)), 0
    for seed in seeds:
        instance = alone(seed) if seed % 3 == 0 else random_instance(seed, releases=seed % 2 == 0, max_jobs=5)
        optimum, _ = brute_force(instance)
        best, tick = Fraction(0), instance.scaled().tick
        for least in (0, 2**100 - 5):
            for _ in range(5):
                weights = [draw.choice((job.processors, least + draw.randint(0, 5))) for job in instance.jobs]
                best = max(best, ceil_to(proven("configurations", instance, {"weights": weights}), tick))
        assert best <= optimum
        proofs += best == optimum
    assert proofs > len(seeds) // 4
    bound = configuration_bound(THREE, Fraction(0), Fraction(20)).bound
    assert bound is not None
    assert ceil_to(proven("configurations", THREE, bound.certificate), Fraction(1)) == bound.value == 8


@pytest.mark.parametrize("seeds", SEEDS)
def test_two_dimensions_of_any_weights(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times in ticks, and, with few cells, in coarser units."""
    draw, proofs = Random(len(seeds)), 0
    for seed in seeds:
        monkeypatch.setattr(mosp_weights, "MAX_CHAIN_CELLS", 20 if seed % 4 == 3 else 10**6)
        instance = random_instance(seed, releases=seed % 2 == 0, max_jobs=5)
        optimum, scaled = brute_force(instance)[0], instance.scaled()
        ticks = int(optimum / scaled.tick)
        for mirrored, most in ((False, 0), (True, 1), (False, 2), (False, 2**70)):
            certificate = {
                "makespan": max(0, ticks - draw.choice((0, 0, 1, 1, 2))),
                "times": [time + draw.randint(0, most) for time in scaled.times],
                "heights": [width + draw.randint(0, most) for width in scaled.widths],
                "mirrored": mirrored,
            }
            found = proven("two-dimensional", instance, certificate)
            assert found <= optimum, (seed, certificate)
            proofs += found == optimum
    assert proofs > len(seeds) // 10


def test_deadlines_of_jobs() -> None:
    """Locality in one direction, releases in the other."""
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 2, 1, 1)]
    instance = own_mosp(MospInstance([Organization("A", 2, jobs), Organization("B", 1, [RigidJob("c", 9, 1)])]))
    assert mosp_weights.mosp_deadlines(instance.ticks, 12, mirrored=False) == [3, 3, 9]
    assert mosp_weights.mosp_deadlines(instance.ticks, 12, mirrored=True) == [12, 11, 12]


@pytest.mark.parametrize("name", GOOD)
def test_changed_and_malformed_certificates(name: str) -> None:
    assert proven(name, THREE, GOOD[name]) == (10 if name != "configurations" else Fraction(15, 2))
    refused, kept = never_above(name, THREE, GOOD[name], Fraction(10), each=3)
    assert refused > 40 and kept > 5
    are_refused(name, THREE, GOOD[name], MALFORMED[name])
