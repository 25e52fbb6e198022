"""The bound by partitions: certificates of the search, and a limit on effort."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from oas.checker import mosp_partitions
from oas.checker.reading import Refused
from oas.core.rigid import Organization, RigidJob
from oas.mosp.bounds.partitions import partition_bound
from oas.mosp.generate.section7 import uni
from oas.mosp.instance import MospInstance
from tests.checker.cases import proven
from tests.checker.mosp_cases import areas_of, clusters_of
from tests.checker.tampering import verdict


def certificate(instance: MospInstance, makespan: int) -> dict[str, Any]:
    """Weights that are areas."""
    return {"makespan": makespan, "weights": [areas_of(instance)], "steps": 5_000, "mirrored": False}


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "optimum"), [(0, 67), (1, 59)])
def test_certificates_of_the_search(seed: int, optimum: int) -> None:
    instance = uni(seed=seed, jobs=12, organizations=3, processors=8)
    found = partition_bound(instance, Fraction(optimum - 3), Fraction(optimum)).bound
    assert found is not None and proven(found.name, instance, found.certificate) == found.value == optimum


def test_a_certificate_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = clusters_of(Random(1), (4, 4), 9, late=False)
    long = certificate(instance, 14)
    assert not verdict(lambda one: proven("partitions", instance, one), long)
    monkeypatch.setattr(mosp_partitions, "PARTITION_STEPS", 3)
    with pytest.raises(Refused, match="a patience of 1 allows"):
        proven("partitions", instance, long)
    many = MospInstance([Organization("A", 4, [RigidJob(f"J{k}", 1, 1) for k in range(121)])], None)
    with pytest.raises(Refused, match="sets of at most 120 jobs are enumerated"):
        proven("partitions", many, certificate(many, 14))
