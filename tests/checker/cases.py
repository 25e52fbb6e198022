"""Checks of certificates against optima and against what must be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oas.checker.reading import Refused
from oas.checker.recheck import CERTIFIED_BOUNDS
from oas.io.documents import plain_certificate
from tests.checker.instances import own_instance
from tests.checker.tampering import replaced, tampered, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

Change = tuple[tuple[Any, ...], object, str]
"""The place of a field, what is written there, and what the refusal says."""


def proven(name: str, instance: Any, certificate: Any) -> Fraction:
    """Return what a certificate of the bound with this name proves."""
    return CERTIFIED_BOUNDS[instance.problem.name, name](own_instance(instance), plain_certificate(certificate))


def never_above(
    name: str, instance: Any, certificate: Any, optimum: Fraction, *, each: int = 1, seed: int = 0
) -> tuple[int, int]:
    """Assert that no changed copy of a certificate proves more than the optimum; count the refused and the others."""
    own, check = own_instance(instance), CERTIFIED_BOUNDS[instance.problem.name, name]
    refused = kept = 0
    for what, other in tampered(plain_certificate(certificate), each=each, seed=seed):
        value = verdict(lambda one: check(own, one), other, instance.scaled().tick)
        assert value is None or value <= optimum, what
        refused, kept = refused + (value is None), kept + (value is not None)
    return refused, kept


def are_refused(name: str, instance: Any, certificate: Any, changes: Iterable[Change]) -> None:
    """Assert that each change of a certificate is refused with its message."""
    good = plain_certificate(certificate)
    for path, value, message in changes:
        with pytest.raises(Refused, match=message):
            CERTIFIED_BOUNDS[instance.problem.name, name](own_instance(instance), replaced(good, path, value))
