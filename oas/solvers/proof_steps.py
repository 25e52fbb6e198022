"""The bytes of proofs, as `oas.checker` reads them."""

from __future__ import annotations

import zlib
from base64 import b64encode

_BITS = 56  # of a number for the checker


class UnknownStepError(Exception):
    """A proof has a step that cannot be translated."""


def number_bytes(value: int) -> bytes:
    """Return a number in groups of seven bits, lowest bits first; 128 is added to all bytes except the last."""
    if value < 0:
        raise UnknownStepError("the proof has an atom below all starts")
    if value.bit_length() > _BITS:
        raise UnknownStepError(f"the proof has a number of more than {_BITS} bits")
    groups = bytearray()
    while value >= 128:
        groups.append(value & 127 | 128)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def factor_bytes(factor: int) -> bytes:
    """Return a factor as two numbers, its lowest 56 bits and the others."""
    return number_bytes(factor & (1 << _BITS) - 1) + number_bytes(factor >> _BITS)


def packed(steps: bytes) -> str:
    """Return steps as a text: base64 of the bytes, compressed by zlib."""
    return b64encode(zlib.compress(steps, 9)).decode()
