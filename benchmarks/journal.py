"""Rows of long checks and measurements, of which each is made once: a later run continues where one was stopped."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.io.files import FileLock

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """A file of rows, JSON values of which each is a line; open for one process.

    A last line that was not written to its end, as a kill leaves it, is dropped. InputError if another process has the
    file open, or a line is not JSON. `rows` are those that the file held, and those added since.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path.with_name(f"{path.name}.lock"))
        if not self._lock.held:
            raise InputError("another process writes it", file=str(path))
        content = path.read_bytes() if path.exists() else b""
        lines = content.split(b"\n")[:-1]
        self.rows: list[Any] = []
        try:
            for line in lines:
                self.rows.append(json.loads(line))
        except ValueError as error:
            self._lock.release()
            raise InputError("is not JSON", file=str(path), field=f"line {len(self.rows) + 1}") from error
        self._file = path.open("ab")
        self._file.truncate(content.rfind(b"\n") + 1)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._lock.release()

    def add(self, row: Any) -> None:
        """Write a row to its end, and to the disk."""
        self._file.write(f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n".encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows.append(row)
