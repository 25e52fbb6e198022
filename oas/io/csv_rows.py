"""Comma-separated values: events of an executed plan, and simulated jobs."""

from __future__ import annotations

import csv
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, Any

from oas.io.files import write_bytes
from oas.io.texts import cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from oas.core.stream import JobStream
    from oas.io.files import Source
    from oas.problems.coallocation.execution import Event

EVENT_COLUMNS = ("time", "event", "job")
JOB_COLUMNS = ("id", "submit", "start", "end", "processors", "owner", "wait", "policy")


def write_events(path: Source, events: Iterable[Event]) -> None:
    """Write a row for each event; times are exact, as integers or as numerator/denominator.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(EVENT_COLUMNS)
    writer.writerows((str(one.time), one.kind, cell(one.job)) for one in events)
    write_bytes(path, lines.getvalue().encode())


def write_jobs(path: Source, streams: Mapping[str, JobStream]) -> None:
    """Write the jobs of streams with starts, by the name of the policy; times in seconds, exactly.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(JOB_COLUMNS)
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
