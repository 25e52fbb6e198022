"""CSV files: reading of reservations, writing of simulated jobs."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.io.files import naming_file, read_bytes, write_rows
from oas.logs.logged import LIMITS, rows, split_csv
from oas.queueing.stream import NEVER, checked_reservations, no_reservations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from oas.io.files import Source
    from oas.queueing.stream import JobStream

COLUMNS = ("start", "end", "processors")


def read_reservations(path: Source, processors: int, second: int = 1) -> NDArray[np.int64]:
    """Read reservations of a machine's processors: an array of three columns, for start, end and processors.

    Columns are found by their names in the first line; the order and further columns do not matter. Times are whole
    seconds from 0 on, in the time of the log; the array is in ticks, `second` per second. Raises `InputError` naming
    file, line, column and value if a reservation has no length or no processors, or the machine has too few.
    """
    with naming_file(path):
        table, places = [], []
        for row in rows(read_bytes(path, LIMITS["file_bytes"]), split_csv, COLUMNS):
            table.append([row.count(column) for column in COLUMNS])
            places.append(f"line {row.line}")
            if row.count("end") * second >= NEVER:
                raise row.refusal(f"beyond 2^62 ticks, of which a second has {second}", "end")
        if not table:
            return no_reservations()
        return checked_reservations(np.array(table, dtype=np.int64), processors, places) * (second, second, 1)


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
            stream.owner.tolist(),
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
