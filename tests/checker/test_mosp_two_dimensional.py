"""The two-dimensional bound: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from random import Random

from oas.bounds.mosp.two_dimensional.certificate import value

from oas.bounds.mosp import chains
from oas.checker import mosp_weights
from oas.checker.mosp_two_dimensional import check_mosp_two_dimensional
from oas.library import Library
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together
from tests.problems.mosp.instances import random_instance


def test_weights_of_all_kinds_prove_the_same(monkeypatch) -> None:
    """With few cells, times are counted in coarser units."""
    draw = Random(2)
    proofs = 0
    for seed in range(120):
        if seed == 60:
            monkeypatch.setattr(chains, "MAX_CELLS", 20)
            monkeypatch.setattr(mosp_weights, "MAX_CHAIN_CELLS", 20)
        instance = random_instance(seed, releases=seed % 2 == 0, max_processors=9)
        own, scaled = own_mosp(instance), instance.scaled()
        for mirrored, most in ((False, 0), (True, 1), (False, 2**70)):
            certificate = {
                "makespan": max(scaled.times) + draw.randint(-1, 3),
                "times": [time + draw.randint(0, most) for time in scaled.times],
                "heights": [width + draw.randint(0, most) for width in scaled.widths],
                "mirrored": mirrored,
            }
            proven = value(instance, certificate)
            assert check_mosp_two_dimensional(own, certificate) == proven, (seed, certificate)
            proofs += proven > 0
    assert 50 < proofs < 200


def test_a_certificate_of_the_library() -> None:
    library = Library()
    name = "uni-n50-N10-m128-p5-s0"
    instance, bound = library.instance(name), library.result(name).proof.bound
    proven = check_mosp_two_dimensional(own_mosp(instance), bound.certificate)
    assert proven == value(instance, bound.certificate) == bound.value


def test_changed_certificates() -> None:
    """Three jobs of five ticks that want a cluster each."""
    jobs = [RigidJob(f"J{k}", 5, 3) for k in range(3)]
    instance = MospInstance([Organization("A", 4, jobs), Organization("B", 4)], locality=None)
    own = own_mosp(instance)
    refused, kept = hold_together(
        {"makespan": 9, "times": [1, 1, 1], "heights": [1, 1, 1], "mirrored": False},
        lambda one: value(instance, one),
        lambda one: check_mosp_two_dimensional(own, one),
    )
    assert refused > 100
    assert kept > 30
