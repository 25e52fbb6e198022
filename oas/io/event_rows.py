"""Events of executed plans as comma-separated values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.io.files import cell, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.io.files import Source
    from oas.problems.coallocation.execution import Event


def write_events(path: Source, events: Iterable[Event]) -> None:
    """Write a row for each event, with exact times; raises `InputError` if the file cannot be written."""
    write_rows(path, ("time", "event", "job"), ((str(one.time), one.kind, cell(one.job)) for one in events))
