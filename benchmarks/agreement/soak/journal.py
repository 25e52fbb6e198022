"""The file of finished instances: a JSON object a line, written whole, by one process at a time."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.file_lock import FileLock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

NAME = "rows.jsonl"
_NEEDED: dict[str, Any] = {
    "draw": int,
    "seed": int,
    "digest": str,
    "problem": str,
    "shape": str,
    "full": bool,
    "seconds": int | float,
    "verdicts": dict,
    "details": list,
    "proofs": dict,
    "source": str,
    "checker": str,
}


def rows_in(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; none if there is no file. A last line that was not written to its end is left out.

    Raises
    ------
    InputError
        If another line is no row, naming it.
    """
    if not path.exists():
        return []
    *lines, _torn = path.read_bytes().split(b"\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"line {number} is no JSON: {error}", file=str(path)) from error
        for name, kind in _NEEDED.items():
            if not isinstance(row, dict) or not isinstance(row.get(name), kind):
                raise InputError("is missing, or of another kind", field=f"line {number}, {name}", file=str(path))
        rows.append(row)
    return rows


class Journal:
    """The file of a folder, open for one process.

    Parameters
    ----------
    folder
        Made if there is none.

    Attributes
    ----------
    rows
        Those that are there, and those added since.

    Raises
    ------
    InputError
        If another process has it open, or a line is no row.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        self._lock = FileLock(folder / f"{NAME}.lock")
        if not self._lock.held:
            raise InputError("another soak writes it", file=str(self.path))
        try:
            self.rows = rows_in(self.path)
        except InputError:
            self._lock.release()
            raise
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        os.ftruncate(self._file, self._whole())

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        self._lock.release()

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row to its end, and to the disk."""
        line = f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n".encode()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)
        self.rows.append(dict(row))

    def _whole(self) -> int:
        """Return how many bytes the whole lines take: what is behind them was not written to its end."""
        return self.path.read_bytes().rfind(b"\n") + 1
