"""Results in little room: JSON in one line, gzipped, equal bytes for equal content."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.result import Result
from oas.io.reading import loads_any
from oas.io.writing import dumps

if TYPE_CHECKING:
    from oas.io.conversion import Content

MAX_BYTES = 16 << 20
"""The most that is unpacked."""
_GZIP = 16 + zlib.MAX_WBITS


def pack(content: Content) -> bytes:
    """Return `content` as gzipped JSON; errors as `oas.io.dumps`."""
    return gzip.compress(dumps(content, compact=True), 9, mtime=0)


def unpack_result(data: bytes, file: str = "<string>") -> Result:
    """Read a packed result; `file` is what errors call it.

    Raises
    ------
    InputError
        If it is not gzipped, damaged, larger than 16 MiB unpacked, or no result.
    """
    stream = zlib.decompressobj(_GZIP)
    try:
        text = stream.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise InputError(f"not a gzip file: {error}", file=file) from error
    if len(text) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES} bytes unpacked, the most that is read", file=file)
    if not stream.eof:
        raise InputError("the gzip file ends too early", file=file)
    content = loads_any(text, file)
    if not isinstance(content, Result):
        raise InputError("an oas-result is needed", field="format", file=file)
    return content
