"""Reading of untrusted JSON files within limits, without repeated keys, NaN or deep nesting.

A file may be gzipped (recognised by its first bytes) and may begin with a byte-order mark of UTF-8.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from oas.checker.reading import DecimalText, Refused, check_different, refused

MAX_BYTES = 64 * 2**20
MAX_VALUES = 1_000_000
MAX_DEPTH = 60
LONGEST_INTEGER = 4_000


def read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a regular file, or in standard input for ``"-"``."""
    try:
        data = _bytes_in(path)
        if data.startswith(b"\x1f\x8b"):
            data = gzip.GzipFile(fileobj=BytesIO(data)).read(MAX_BYTES + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot be read: {reason}") from error
    if len(data) > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES} bytes, the most that is read")
    return parse_document(data.removeprefix(b"\xef\xbb\xbf"))


def parse_document(data: bytes) -> dict[str, Any]:
    """Return the JSON object in UTF-8 `data`; decimals become `DecimalText`."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
        raise Refused(f"more than {MAX_VALUES} values")
    try:
        document = json.loads(
            data.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=DecimalText,
            parse_constant=_constant,
        )
    except RecursionError as error:
        raise Refused("nested too deeply") from error
    except ValueError as error:  # also of UTF-8
        raise Refused(f"not valid JSON in UTF-8: {error}") from error
    for value in (value for layer in layers_of(document, "", MAX_DEPTH - 1) for value in layer):
        if isinstance(value, str) and not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value):
            raise refused("", "half of a surrogate pair is not Unicode", value)
    if type(document) is not dict:
        raise refused("", "must be a JSON object", document)
    return document


def layers_of(value: object, where: str, deepest: int) -> Iterator[list[Any]]:
    """Yield the values at depths 0, 1, 2, … as lists, including the keys of objects; refuse greater depths."""
    layer: list[Any] = [value]
    depth = 0
    while layer:
        if depth > deepest:
            raise refused(where, f"nested more than {deepest} deep")
        yield layer
        objects = [one for one in layer if type(one) is dict]
        layer = [below for one in layer if type(one) is list for below in one]
        layer += [below for one in objects for pair in one.items() for below in pair]
        depth += 1


def _bytes_in(path: str) -> bytes:
    if path == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    # Non-blocking: opening a pipe without a writer must not hang.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return file.read(MAX_BYTES + 1)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        check_different([key for key, _ in pairs], "", "a key appears twice in one object")
    return fields


def _integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise Refused(f"an integer of {len(text)} digits is too long")
    return int(text)


def _constant(name: str) -> Any:
    raise Refused(f"JSON has no such number: {name}")
