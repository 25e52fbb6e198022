"""Fields of an SWF log as arrays: a million lines in a few seconds, with the same outcome as line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.io.files import unpacked
from oas.io.logs.columns import TextLimits, readable
from oas.io.logs.swf import DECIMALS, LineReader, SwfJob
from oas.io.logs.swf_kernels import FIELDS, SKIPPED, SKIPPED_DECIMAL, plain_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oas.io.logs.logged import Time

    Numbers = NDArray[np.int64]

AT_ONCE_FROM = 1 << 20  # bytes; below, lines are read one by one
UNKNOWN = -1


@dataclass(frozen=True)
class SwfTable:
    """Some fields of all jobs of a log, in the order of the file."""

    header: tuple[tuple[str, str], ...]  # comments before the first job, as `SwfLog` has them
    lines: Numbers  # the line that each job stands on, from 1
    fields: dict[str, Numbers]  # by name; -1 for unknown
    # the values that are no whole numbers, as (job, field, value). The arrays have them rounded down.
    decimals: tuple[tuple[int, str, Time], ...]


def read_table(data: bytes, fields: Sequence[str], at_once: bool | None = None) -> SwfTable:
    """Read some fields of a log, plain or gzipped.

    Lines of whole numbers are read by a kernel if `at_once`, None for where there are many; others one by one.

    Raises `InputError` naming line, field and value; also if the log holds no job.
    """
    limits = TextLimits()
    text = unpacked(data, limits.bytes)
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if lines > limits.lines:
        raise InputError(f"more than {limits.lines} lines, the most that is read")
    reading = _Reading(text, tuple(dict.fromkeys(fields)), lines, limits)
    if len(text) >= AT_ONCE_FROM if at_once is None else at_once:
        while reading.plain():
            reading.line()
    else:
        while reading.begin < len(text):
            reading.line()
    return reading.table()


class _Reading:
    """Where the reading of a log stands."""

    def __init__(self, text: bytes, fields: tuple[str, ...], lines: int, limits: TextLimits) -> None:
        self.begin = 0
        self._text = text
        self._bytes = np.frombuffer(text, dtype=np.uint8)
        self._fields = fields
        self._limits = limits
        self._reader = LineReader(limits, strict=False)
        self._column = np.full(FIELDS + 1, SKIPPED, dtype=np.int64)
        self._column[[SwfJob._fields.index(name) for name in sorted(DECIMALS)]] = SKIPPED_DECIMAL
        self._column[[SwfJob._fields.index(name) for name in fields]] = np.arange(len(fields))
        self._column[FIELDS] = len(fields)
        self._rows = np.empty((lines, len(fields)), dtype=np.int64)
        self._lines = np.empty(lines, dtype=np.int64)
        self._decimals: list[tuple[int, str, Time]] = []
        self._row = self._line = 0

    def plain(self) -> bool:
        """Read lines of whole numbers up to the first that is anything else; return whether there is one."""
        self.begin, last = plain_lines(self._bytes, self.begin, self._column, self._rows.reshape(-1), self._row)
        read = last - self._row
        self._lines[self._row : last] = np.arange(self._line + 1, self._line + 1 + read)
        self._row, self._line = last, self._line + read
        self._reader.in_header = not self._row
        return self.begin < len(self._text)

    def line(self) -> None:
        """Read one line of any kind."""
        end = self._text.find(b"\n", self.begin) + 1 or len(self._text)
        line, self.begin, self._line = self._text[self.begin : end], end, self._line + 1
        if len(line) > self._limits.line_bytes:
            reason = f"longer than {self._limits.line_bytes} bytes"
            raise InputError(reason, field=f"line {self._line}", value=readable(line[:40]))
        job = self._reader.job(line.removesuffix(b"\n").removesuffix(b"\r"), self._line)
        if job is None:
            return
        for column, name in enumerate(self._fields):
            value = getattr(job, name)
            self._rows[self._row, column] = UNKNOWN if value is None else int(value)
            if value is not None and value != int(value):
                self._decimals.append((self._row, name, value))
        self._lines[self._row] = self._line
        self._row += 1

    def table(self) -> SwfTable:
        """Return what was read."""
        if not self._row:
            raise InputError("the log holds no job")
        fields = {name: self._rows[: self._row, column].copy() for column, name in enumerate(self._fields)}
        return SwfTable(tuple(self._reader.header), self._lines[: self._row], fields, tuple(self._decimals))
