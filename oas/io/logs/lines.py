"""Lines of text files that others have written, plain or gzipped: bounded, numbered, never more in memory than one."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.io.files import shown
from oas.io.unpacking import MARK, broken, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from gzip import GzipFile
    from io import BytesIO

    from oas.io.files import Source


@dataclass(frozen=True)
class TextLimits:
    """The most that is read of a text file; beyond, it is refused.

    Attributes
    ----------
    file_bytes
        Of the file.
    bytes
        Of the text, so decompressed.
    lines, line_bytes
        How many lines, and how long one may be.
    """

    file_bytes: int = 256 << 20
    bytes: int = 1 << 30
    lines: int = 2_000_000
    line_bytes: int = 10_000


def numbered_lines(data: bytes, limits: TextLimits) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text with their numbers from 1, without line ends and byte-order mark.

    Raises
    ------
    InputError
        Naming the line, if it is beyond the limits or the compression is broken.
    """
    stream = opened(data)
    number = total = 0
    while line := _next_line(stream, limits.line_bytes, number + 1):
        number += 1
        total += len(line)
        if number > limits.lines:
            raise InputError(f"more than {limits.lines} lines, the most that is read")
        if total > limits.bytes:
            raise InputError(f"more than {limits.bytes} bytes of text, the most that is read", field=f"line {number}")
        yield number, line.removeprefix(MARK if number == 1 else b"").removesuffix(b"\n").removesuffix(b"\r")


def _next_line(stream: BytesIO | GzipFile, most: int, number: int) -> bytes:
    try:
        line = stream.readline(most + 1)
    except (OSError, EOFError, zlib.error) as error:  # OSError: gzip.BadGzipFile
        raise broken(error, f"line {number}") from error
    if len(line) > most:
        raise InputError(f"longer than {most} bytes", field=f"line {number}", value=readable(line[:40]))
    return line


def readable(data: bytes) -> str:
    """Return bytes as text for people, without characters that could steer a terminal."""
    return "".join(one if one.isprintable() else " " for one in data.decode(errors="replace")).strip()


def stem(path: Source, suffix: str) -> str:
    """Return a file's name without its folder, ``.gz`` and `suffix`."""
    return re.sub(rf"({re.escape(suffix)})?(\.gz)?$", "", PurePath(shown(path)).name, flags=re.IGNORECASE)
