"""Instances around reservations are of the class that they are drawn for."""

from __future__ import annotations

from fractions import Fraction as F
from typing import get_args

import pytest

from oas.core.errors import InputError
from oas.generate.mosp.reservations import Availability, reservations
from oas.problems.mosp.availability import availability


@pytest.mark.parametrize("kind", get_args(Availability))
@pytest.mark.parametrize("releases", [False, True])
def test_classes(kind: Availability, releases: bool) -> None:
    for seed in range(10):
        for processors in (2, 16, 128):
            instance = reservations(seed=seed, jobs=15, processors=processors, availability=kind, releases=releases)
            (own,) = instance.organizations
            found = availability(own)
            assert instance.locality is None
            assert instance.local is None
            assert own.reservations
            assert any(job.release for job in own.jobs) == releases
            if kind == "alpha":
                assert found.alpha is not None
                assert found.alpha >= F(1, 2)
            if kind == "non-increasing":
                assert found.non_increasing


def test_the_same_arguments_give_the_same_instance() -> None:
    assert reservations(seed=5) == reservations(seed=5) != reservations(seed=6)
    assert reservations(seed=1).digest.startswith("f27a68bf2c7eea3d")


def test_unknown_class() -> None:
    with pytest.raises(InputError, match="must be one of alpha, non-increasing, general") as caught:
        reservations(availability="none")  # type: ignore[arg-type]
    assert caught.value.field == "availability"
