"""The machine that measurements are made on: its description, and additional load."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from oas.solvers.discovery import versions

if TYPE_CHECKING:
    from collections.abc import Iterator


def write_page(text: str, path: Path | None) -> None:
    """Write a page of results to a file, or print it without one."""
    if path is None:
        print(text, end="")
    else:
        path.write_text(text, encoding="utf-8")


def cpu_model() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in facts.splitlines() if line.startswith("model name")]
    return named[0] if named else platform.machine()


def circumstances() -> str:
    """Return processor, load and software in one line, for the head of a page of results."""
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    return f"{cpu_model()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {software}"


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run busy loops while the block is executed."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
