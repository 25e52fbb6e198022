"""The machine that measurements are made on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from oas.exact.versions import versions


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
