"""Views of a ledger: where each method of the campaign stands, and all runs as a table for other tools."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oas.campaigns.record import COLUMNS
from oas.core.errors import InputError
from oas.core.result import Status, Termination
from oas.io.files import cell, write_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record

_FAILURES = {Termination.CRASHED, Termination.KILLED, Termination.ERROR, Termination.MEMORY_LIMIT}


@dataclass(frozen=True)
class MethodStatus:
    """Of one method."""

    method: str  # its label
    # asked, done: runs that the campaign asks for, and those of them that are in the ledger
    asked: int
    done: int
    # runs of the method that are in the ledger but that the campaign does not ask for now: made by another version of
    # this package or of the method's source, under other limits or parameters, or of an instance since dropped
    stale: int
    # of the done ones, those that ended in an error, a death or at the memory limit, or left no schedule although they
    # had time to
    failed: int
    seconds: float  # wall time of the done ones, added up


def status(orders: Sequence[Order], ledger: Ledger) -> list[MethodStatus]:
    """Return where each method stands, in the order of the campaign, then methods that it no longer has."""
    asked = {order.key: order.method.label for order in orders}
    labels = list(dict.fromkeys(asked.values()))
    current: dict[str, list[Record]] = {label: [] for label in labels}
    stale: dict[str, int] = dict.fromkeys(labels, 0)
    for record in ledger.records():
        if record.key in asked:
            current[asked[record.key]].append(record)
        else:
            stale[record.method] = stale.get(record.method, 0) + 1
    counts = list(asked.values())
    return [
        MethodStatus(
            method=label,
            asked=counts.count(label),
            done=len(current.get(label, [])),
            stale=stale[label],
            failed=sum(map(failed, current.get(label, []))),
            seconds=sum(record.seconds for record in current.get(label, [])),
        )
        for label in stale
    ]


def failed(record: Record) -> bool:
    """Whether a run failed: limits of time are no failure, and neither is a method's word that it does not apply."""
    return record.termination in _FAILURES and record.status in (Status.NO_SOLUTION, Status.FEASIBLE)


SHOWN = tuple(name for name in COLUMNS if name != "result")
SUFFIXES = (".csv", ".parquet")


def export(ledger: Ledger, current: Collection[str], path: str | Path) -> int:
    """Write every run of `ledger` but its schedule, with whether it is `current`; return how many.

    Raises `InputError` if the path ends in neither .csv nor .parquet, pyarrow is missing, or the file cannot be
    written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"must end in {' or '.join(SUFFIXES)}", field="output", value=str(path))
    rows = [
        {**{name: value for name, value in asdict(record).items() if name in SHOWN}, "current": record.key in current}
        for record in ledger.records()
    ]
    write_bytes(path, _csv(rows) if suffix == ".csv" else _parquet(rows))
    return len(rows)


def _csv(rows: list[dict[str, object]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*SHOWN, "current"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _parquet(rows: list[dict[str, object]]) -> bytes:
    if find_spec("pyarrow") is None:
        raise InputError("needs pyarrow: pip install 'oas-scheduling[parquet]'", field="output", value=".parquet")
    import pandas

    buffer = io.BytesIO()
    pandas.DataFrame(rows, columns=[*SHOWN, "current"]).to_parquet(buffer, index=False)
    return buffer.getvalue()
