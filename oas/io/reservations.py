"""Reservations of one machine as comma-separated values, plain or gzipped: ``start,end,processors``, in seconds."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.core.stream import NEVER, checked_reservations, no_reservations
from oas.io.files import read_bytes, shown
from oas.io.logs.columns import rows
from oas.io.logs.lines import TextLimits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oas.io.files import Source

COLUMNS = ("start", "end", "processors")


def read_reservations(path: Source, processors: int, second: int = 1) -> NDArray[np.int64]:
    """Read reservations: an array of three columns, for start, end and processors.

    Columns are found by their names in the first line; the order and further columns do not matter.

    Parameters
    ----------
    path
        A regular file; ``"-"`` is standard input. Times are whole seconds from 0 on, in the time of the log.
    processors
        Of the machine.
    second
        How many ticks the array's times have for a second.

    Raises
    ------
    InputError
        Naming file, line, column and value: of no length, of no processors, or beyond the machine, alone or together
        with others.
    """
    try:
        found = list(rows(read_bytes(path, TextLimits().file_bytes), _split, COLUMNS))
        table = [[row.count(column) for column in COLUMNS] for row in found]
        for row, (_, end, _) in zip(found, table, strict=True):
            if end * second >= NEVER:
                raise row.refusal(f"beyond 2^62 ticks, of which a second has {second}", "end")
        if not table:
            return no_reservations()
        places = [f"line {row.line}" for row in found]
        return checked_reservations(np.array(table, dtype=np.int64), processors, places) * (second, second, 1)
    except InputError as error:
        error.file = shown(path)
        raise


def _split(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as error:
        raise ValueError(f"not comma-separated values: {error}") from error
