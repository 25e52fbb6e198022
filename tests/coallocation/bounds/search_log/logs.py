"""Logs of refuted makespans of small instances, and ways to open them."""

import zlib
from base64 import b64decode
from functools import cache
from itertools import accumulate

from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.generate import tiny
from oas.solving.brute_force import brute_force
from tests.coallocation.bounds.naive import area_weights, level_weights, no_weights

MANY = 10**9


@cache
def refuted(seed, placed=True, weighed=True):
    """The instance, its optimum in ticks, and the certificate one tick below; None where the search refutes nothing."""
    instance = tiny(seed=seed)
    scaled = instance.scaled()
    optimum = int(brute_force(instance)[0] / scaled.tick)
    weights = [area_weights(scaled), level_weights(scaled)] if weighed else [no_weights(scaled)]
    search = ChronologicalSearch(scaled, weights, optimum - 1, placed=placed, compiled=False)
    if search.resume(MANY) is not Verdict.REFUTED:
        assert not placed
        return None
    return instance, optimum, search.certificate()


def codes_of(certificate):
    """The bytes of the log."""
    return zlib.decompress(b64decode(certificate["codes"]))


def seen_of(certificate):
    """The moments that it refers to."""
    distances, rest, shift = [], 0, 0
    for byte in zlib.decompress(b64decode(certificate["seen"])):
        rest |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            distances.append(rest)
            rest, shift = 0, 0
    return list(accumulate(distances))
