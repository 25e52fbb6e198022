"""Where compiled code is kept, and for which processor and compiler."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = "NUMBA_CACHE_DIR"  # names one folder for all compiled code; it is ignored where it cannot be written to


@cache
def code_folders() -> tuple[Path, ...]:
    """Return the folders in which compiled code may be; new code goes into the first.

    It is a folder in the package; the user's cache if that cannot be written to; else a temporary folder of this
    process.
    """
    own = os.environ.get(OURS)
    if own and _is_writable(Path(own)):
        return (Path(own),)
    beside = Path(__file__).parent / "__pycache__"
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oas-scheduling"
    found = sorted((beside, cached), key=lambda folder: not _is_writable(folder))
    if not _is_writable(found[0]):
        found.insert(0, Path(_temporary().name))
    return tuple(filter(Path.is_dir, found))


def _is_writable(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    return False


@cache
def _temporary() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="oas-code-")


@cache
def machine() -> str:
    """Return a digest of what compiled code depends on: Python, numba and the processor."""
    facts = [sys.implementation.cache_tag or "", version("numba"), version("llvmlite"), platform.machine()]
    facts += _processor()
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_CPU")]
    return sha256("\n".join(facts).encode()).hexdigest()[:16]


def _processor() -> Iterator[str]:
    """Yield the model and features of the first processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        yield platform.processor()
        return
    yield from (line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part")))
