"""Logs of refuted makespans of small instances, and ways to open and close them."""

from __future__ import annotations

import zlib
from base64 import b64decode
from functools import cache

from oas.bounds.coallocation.search_log.certificate import packed, read_numbers, write_numbers
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict, Weights
from oas.generate import tiny
from tests.exact.coallocation.chronological.weights import area_weights, level_weights

MANY = 10**9


@cache
def refuted(seed, placed=True, weighed=True):
    """The instance, its optimum in ticks, and the certificate one tick below; None where the search refutes nothing."""
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    nothing = [Weights(tuple((0,) * len(scaled.powers) for _ in scaled.tasks), 0)]
    weights = [area_weights(scaled), level_weights(scaled)] if weighed else nothing
    search = ChronologicalSearch(scaled, weights, optimum - 1, placed=placed, compiled=False)
    if search.go_on(MANY) is not Verdict.REFUTED:
        assert not placed
        return None
    return instance, optimum, search.certificate()


def codes_of(certificate):
    """The bytes of the log."""
    return zlib.decompress(b64decode(certificate["codes"]))


def seen_of(certificate):
    """The moments that it refers to."""
    return read_numbers(zlib.decompress(b64decode(certificate["seen"])))


def with_codes(certificate, codes):
    """The same with other bytes."""
    return {**certificate, "codes": packed(zlib.compress(bytes(codes)))}


def with_seen(certificate, seen):
    """The same with other moments."""
    return {**certificate, "seen": packed(write_numbers(seen))}
