"""The bound *configurations* of MOSP: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from oas.bounds.mosp.configurations.certificate import MAX_WEIGHT, value

from oas.bounds.mosp.configurations import configuration_bound
from oas.checker.mosp_configurations import check_mosp_configurations
from oas.core.numbers import ceil_to
from oas.library import Library
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together
from tests.problems.mosp.instances import random_instance
from tests.problems.mosp.one_cluster import alone


def test_weights_of_all_kinds_prove_the_same() -> None:
    """Instances with releases, reservations and clusters of different sizes."""
    draw = Random(1)
    proofs = 0
    for seed in range(120):
        instance = alone(seed) if seed % 3 == 0 else random_instance(seed, releases=seed % 2 == 0, max_processors=9)
        own = own_mosp(instance)
        for least in (0, MAX_WEIGHT - 5):
            weights = [draw.choice((job.processors, least + draw.randint(0, 5))) for job in instance.jobs]
            proven = value(instance, {"weights": weights})
            assert check_mosp_configurations(own, {"weights": weights}) == proven, (seed, weights)
            proofs += proven > 0
    assert proofs > 150


def test_a_certificate_of_the_library() -> None:
    library = Library()
    instance, bound = library.instance("uni-n100-N2-m128-s0"), library.result("uni-n100-N2-m128-s0").proof.bound
    proven = check_mosp_configurations(own_mosp(instance), bound.certificate)
    assert proven == value(instance, bound.certificate)
    assert ceil_to(proven, instance.scaled().tick) == bound.value


def test_changed_certificates() -> None:
    instance = random_instance(4, releases=True)
    bound = configuration_bound(instance, sum((job.time for job in instance.jobs), Fraction(0))).bound
    own = own_mosp(instance)
    refused, kept = hold_together(
        bound.certificate,
        lambda one: value(instance, one),
        lambda one: check_mosp_configurations(own, one),
        tick=instance.scaled().tick,
    )
    assert refused > 40
    assert kept > 10
