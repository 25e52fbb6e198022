"""The changed certificates: of every kind of place, and none that spoils the original."""

from tests.checker.tampering import tampered

CERTIFICATE = {"weights": [3, 4, 5], "tree": [{"job": 1, "parts": [[0], [1, 2]]}], "codes": "eJwDAAAAAAE="}


def test_every_field_is_changed_and_the_original_kept():
    before = repr(CERTIFICATE)
    changed = dict(tampered(CERTIFICATE))
    assert repr(CERTIFICATE) == before
    assert sum(repr(other) != before for other in changed.values()) > 200
    places = {what.split(":")[0].split(".")[0] for what in changed}
    assert places == {"all", "weights", "tree", "codes"}
