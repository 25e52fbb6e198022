"""Files as they come, gzipped or not, with or without a byte-order mark of UTF-8; and what ledgers hold."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

from oas.core.errors import InputError

GZIP = b"\x1f\x8b"
"""The first bytes of a gzipped file."""
MARK = b"\xef\xbb\xbf"
"""The byte-order mark, which some editors write before UTF-8."""


def opened(data: bytes) -> BytesIO | gzip.GzipFile:
    """Return a stream of what a file holds, unpacked as it is read; told by its first bytes, not by a name."""
    return gzip.GzipFile(fileobj=BytesIO(data)) if data.startswith(GZIP) else BytesIO(data)


def unpacked(data: bytes, limit: int) -> bytes:
    """Return all that a file holds, without a byte-order mark.

    Raises
    ------
    InputError
        If it is not a whole gzip file, or holds more than `limit` bytes, of which no more are unpacked.
    """
    try:
        found = opened(data).read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:  # OSError: gzip.BadGzipFile
        raise broken(error) from error
    if len(found) > limit:
        raise InputError(f"more than {limit} bytes, the most that is read")
    return found.removeprefix(MARK)


def inflated(data: bytes, limit: int) -> bytes:
    """Return what was compressed by zlib, as ledgers hold it.

    Raises
    ------
    InputError
        If it is damaged, or holds more than `limit` bytes, of which no more are unpacked.
    """
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise InputError(f"damaged: {error}") from error
    if len(found) > limit:
        raise InputError(f"more than {limit} bytes, the most that is read")
    if not unpacker.eof:
        raise InputError("damaged: it ends too early")
    return found


def broken(error: Exception, field: str = "") -> InputError:
    """Return the error for a gzip file that is not whole."""
    return InputError(f"not a whole gzip file: {error}", field=field)
