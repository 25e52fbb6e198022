"""The changed certificates: of every kind of place, and none that spoils the original."""

from fractions import Fraction

import pytest

from oas.checker.errors import Refused
from oas.core.errors import InputError
from tests.checker.tampering import hold_together, tampered

CERTIFICATE = {"weights": [3, 4, 5], "tree": [{"job": 1, "parts": [[0], [1, 2]]}], "codes": "eJwDAAAAAAE="}


def _strict(certificate):
    """The sum of the weights of what is written exactly as `CERTIFICATE` but for the weights."""
    weights = certificate.get("weights") if isinstance(certificate, dict) else None
    if not isinstance(weights, list) or {**certificate, "weights": CERTIFICATE["weights"]} != CERTIFICATE:
        raise InputError("is another")
    if not all(type(one) is int and one >= 0 for one in weights):
        raise InputError("is no weight")
    return Fraction(sum(weights))


def test_every_field_is_changed_and_the_original_kept():
    before = repr(CERTIFICATE)
    changed = dict(tampered(CERTIFICATE))
    assert repr(CERTIFICATE) == before
    assert sum(repr(other) != before for other in changed.values()) > 200
    places = {what.split(":")[0].split(".")[0] for what in changed}
    assert places == {"all", "weights", "tree", "codes"}


def test_checkers_that_agree_are_held_to_be():
    refused, kept = hold_together(CERTIFICATE, _strict, _strict)
    assert refused > 200
    assert kept > 20


@pytest.mark.parametrize("error", [Refused, InputError])
def test_a_difference_is_found(error):
    def strict(certificate):
        try:
            return _strict(certificate)
        except InputError as raised:
            raise error("is another") from raised

    def careless(certificate):
        try:
            return strict(certificate)
        except error:
            weights = certificate["weights"] if isinstance(certificate, dict) and "weights" in certificate else None
            if isinstance(weights, list) and len(weights) == 3 and weights[:2] == [3, 4] and type(weights[2]) is bool:
                return Fraction(1)
            raise

    with pytest.raises(AssertionError, match="stand-alone checker"):
        for seed in range(5):
            hold_together(CERTIFICATE, strict, careless, each=3, seed=seed)
