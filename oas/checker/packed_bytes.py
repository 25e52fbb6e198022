"""Bytes that a certificate holds as a text: compressed by zlib, in base64."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode

from oas.checker.errors import refused


def unpacked_bytes(value: object, field: str, most: int) -> bytes:
    """Return the bytes that a text holds, and no more than `most`; nothing beyond that is unpacked.

    Raises
    ------
    Refused
        Naming the field, if it is no such text.
    """
    if type(value) is not str:
        raise refused(field, "must be a text", value)
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(b64decode(value, validate=True), most + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise refused(field, "must be zlib-compressed bytes in base64") from None
    if len(found) > most or not unpacker.eof or unpacker.unused_data:
        raise refused(field, f"must hold at most {most:,} bytes, all of them in one piece")
    return found
