"""Common parts of the scripts: files of rows, pages of results, and a description of the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.processors import processors
from oas.io.files import FileLock
from oas.solvers.discovery import versions

if TYPE_CHECKING:
    from collections.abc import Iterator


class Journal:
    """A file of rows, each a JSON value on one line, so that a long check continues where it stopped.

    One process at a time has it open. If a kill left the last line incomplete, that line is dropped. `rows` contains
    the rows of the file and all rows added. InputError if another process has the file open or a line is not JSON.
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
        """Append a row, and flush the file to the disk."""
        self._file.write(f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n".encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows.append(row)


def write_page(text: str, path: Path | None) -> None:
    """Write a page of results to a file; print it if `path` is None."""
    if path is None:
        print(text, end="")
    else:
        path.write_text(text, encoding="utf-8")


def cpu_model() -> str:
    """Return the name of the processor, or its architecture if the system reports no name."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in facts.splitlines() if line.startswith("model name")]
    return named[0] if named else platform.machine()


def circumstances() -> str:
    """Return processor, load and software in one line, for the head of a page of results."""
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    return f"{cpu_model()}, {processors()} CPUs, load {os.getloadavg()[0]:.1f}, {software}"


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run `count` busy loops in parallel while the block is executed."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
