"""Rows of a ledger as a table for other tools: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oas.campaigns.record import COLUMNS
from oas.core.errors import InputError
from oas.io.files import write_bytes
from oas.io.texts import cell

if TYPE_CHECKING:
    from collections.abc import Collection

    from oas.campaigns.ledger import Ledger

SHOWN = tuple(name for name in COLUMNS if name != "result")
SUFFIXES = (".csv", ".parquet")


def export(ledger: Ledger, current: Collection[str], path: str | Path) -> int:
    """Write every run of `ledger` but its schedule, with whether it is `current`; return how many.

    Raises
    ------
    InputError
        If the path ends in neither .csv nor .parquet, pyarrow is missing, or the file cannot be written.
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
