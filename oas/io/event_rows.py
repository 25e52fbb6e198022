"""Events of executed plans as comma-separated values."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from oas.io.files import cell, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.io.files import Source
    from oas.problems.coallocation.execution import Event

EVENT_COLUMNS = ("time", "event", "job")


def write_events(path: Source, events: Iterable[Event]) -> None:
    """Write a row for each event; times are exact, as integers or as numerator/denominator.

    Raises `InputError` if the file cannot be written.
    """
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(EVENT_COLUMNS)
    writer.writerows((str(one.time), one.kind, cell(one.job)) for one in events)
    write_bytes(path, lines.getvalue().encode())
