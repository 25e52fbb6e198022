"""Results in little room: JSON in one line, gzipped, equal bytes for equal content."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.result import Result
from oas.io.reading import loads_any
from oas.io.unpacking import GZIP
from oas.io.writing import dumps

if TYPE_CHECKING:
    from oas.io.conversion import Content

MAX_BYTES = 16 << 20
"""The most that is unpacked."""


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
    if not data.startswith(GZIP):
        raise InputError("not a gzip file", file=file)
    content = loads_any(data, file, MAX_BYTES)
    if not isinstance(content, Result):
        raise InputError("an oas-result is needed", field="format", file=file)
    return content
