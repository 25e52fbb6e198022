"""Simulated jobs as comma-separated values: a row a job, in the order of submission."""

from __future__ import annotations

import csv
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, Any

from oas.io.files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from oas.core.stream import JobStream
    from oas.io.files import Source

COLUMNS = ("id", "submit", "start", "end", "processors", "owner", "wait", "policy")


def write_jobs(path: Source, streams: Mapping[str, JobStream]) -> None:
    """Write the jobs of streams with starts, by the name of the policy; times in seconds, exactly.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for policy, stream in streams.items():
        columns = (
            stream.ids.tolist(),
            *(_seconds(times, stream.second) for times in (stream.submit, stream.begun, stream.ends)),
            stream.processors.tolist(),
            stream.owner.tolist(),
            _seconds(stream.waits, stream.second),
        )
        writer.writerows((*row, policy) for row in zip(*columns, strict=True))
    write_bytes(path, lines.getvalue().encode())


def _seconds(times: NDArray[Any], second: int) -> Iterable[object]:
    if second == 1:
        return times.tolist()
    digits = len(str(second)) - 1
    return (format(Decimal(time).scaleb(-digits).normalize(), "f") for time in times.tolist())
