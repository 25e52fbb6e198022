"""What a certificate from a stranger is read with: objects with known fields, numbers, lists, and compressed bytes."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from oas.core.errors import InputError


def fields_of(value: object, field: str, *names: str) -> Mapping[str, Any]:
    """Return `value` if it is an object with exactly these fields; otherwise an `InputError` names `field`."""
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise InputError(f"must be an object with {' and '.join(names)}", field=field)
    return value


def check_version(value: object, version: int) -> None:
    """Check the version of a certificate's format; any other one is an `InputError`."""
    if type(value) is not int or value != version:
        raise InputError(f"must be {version}", field="certificate.version", value=value)


def integer_of(value: object, field: str, most: int, least: int = 0) -> int:
    """Return `value` if it is an integer from `least` to `most`; otherwise an `InputError` names `field`."""
    if type(value) is not int or not least <= value <= most:
        raise InputError(f"must be an integer of at least {least} within its range", field=field, value=value)
    return value


def flag_of(value: object, field: str) -> bool:
    """Return `value` if it is true or false; otherwise an `InputError` names `field`."""
    if type(value) is not bool:
        raise InputError("must be true or false", field=field, value=value)
    return value


def list_of(value: object, field: str, length: int | None = None) -> list[Any] | tuple[Any, ...]:
    """Return `value` if it is a list, of this length if one is given; otherwise an `InputError` names `field`."""
    if not isinstance(value, list | tuple):
        raise InputError("must be a list", field=field)
    if length is not None and len(value) != length:
        raise InputError(f"must have {length} entries", field=field, value=len(value))
    return value


def bytes_of(value: object, field: str, most: int) -> bytes:
    """Return the bytes that a text holds, compressed by zlib, in base64, and no more than `most`.

    Nothing beyond that is unpacked; otherwise an `InputError` names `field`.
    """
    if not isinstance(value, str):
        raise InputError("must be a text", field=field)
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(b64decode(value, validate=True), most + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise InputError("must be zlib-compressed bytes in base64", field=field) from error
    if len(found) > most or not unpacker.eof or unpacker.unused_data:
        raise InputError(f"must hold at most {most:,} bytes, all of them in one piece", field=field)
    return found
