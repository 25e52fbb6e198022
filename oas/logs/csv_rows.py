"""CSV files: reading of reservations, writing of simulated jobs."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError
from oas.io.files import cell, naming_file, read_bytes, write_rows
from oas.logs.logged import LIMITS, csv_splitter, rows, ticks_in_second
from oas.queueing.stream import NEVER, checked_reservations, no_reservations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from oas.io.files import Source
    from oas.queueing.stream import JobStream

COLUMNS = ("start", "end", "processors")


def read_reservations(path: Source, processors: int, second: int = 1) -> tuple[NDArray[np.int64], int]:
    """Read reservations of a machine's processors: an array of three columns, for start, end and processors.

    Columns are found by their names in the first line, in any case; the order and further columns do not matter. Times
    are seconds from 0 on, in the time of the log, with at most 9 decimals.

    Returns
    -------
    tuple
        The array, with times in ticks, and the number of ticks in a second: `second`, or the least multiple of it by a
        power of ten for which all times are whole.

    Raises
    ------
    InputError
        Naming file, line, column and value if a reservation has no length or no processors, or the machine has too few.
    """
    with naming_file(path):
        found = list(rows(read_bytes(path, LIMITS["file_bytes"]), csv_splitter(), COLUMNS, str.lower))
        if not found:
            return no_reservations(), second
        for row in found:
            for column in ("start", "end"):
                try:
                    second = max(second, ticks_in_second([row.time(column)]))
                except InputError as error:
                    if error.field != "times":
                        raise
                    raise row.refusal("must have at most 9 decimals", column) from error
        for row in found:
            if row.time("end") * second >= NEVER:
                raise row.refusal(f"beyond 2^62 ticks, of which a second has {second}", "end")
        table = [
            [int(row.time("start") * second), int(row.time("end") * second), row.count("processors")] for row in found
        ]
        places = [f"line {row.line}" for row in found]
        return checked_reservations(np.array(table, dtype=np.int64), processors, places), second


def write_jobs(path: Source, streams: Mapping[str, JobStream]) -> None:
    """Write the jobs of streams with starts, given by the name of the policy; times are exact, in seconds.

    Raises `InputError` if the file cannot be written.
    """
    names = ("id", "submit", "start", "end", "processors", "owner", "wait", "policy")
    table = (
        zip(
            stream.ids.tolist(),
            *(_seconds(times, stream.second) for times in (stream.submit, stream.known_starts, stream.ends)),
            stream.processors.tolist(),
            map(cell, stream.owner_names.tolist()),
            _seconds(stream.waits, stream.second),
            repeat(policy),
        )
        for policy, stream in streams.items()
    )
    write_rows(path, names, chain.from_iterable(table))


def _seconds(times: NDArray[Any], second: int) -> Iterable[object]:
    if second == 1:
        return times.tolist()
    digits = len(str(second)) - 1
    return (format(Decimal(time).scaleb(-digits).normalize(), "f") for time in times.tolist())
