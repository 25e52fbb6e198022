"""The checker of one file with the standard library only, as a process: ``oas checker --output FILE`` writes it."""

from __future__ import annotations

import atexit
import hashlib
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oas.io import save

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.result import Result

SECONDS = 300.0  # within which it has to answer
HOLDS, DOES_NOT_HOLD = 0, 3
PROBLEMS = ("coallocation", "mosp")
"""The problems whose results it checks."""


@cache
def checker() -> Path | None:
    """Return the file, written once for this process; None, and why on stderr, if this package cannot write it."""
    folder = tempfile.TemporaryDirectory(prefix="soak-")
    atexit.register(folder.cleanup)
    file = Path(folder.name) / "check_certificate.py"
    done = subprocess.run(
        [sys.executable, "-m", "oas", "checker", "--output", str(file)], capture_output=True, text=True, check=False
    )
    if done.returncode or not file.exists():
        print(f"THE STAND-ALONE CHECKER IS MISSING, `oas checker` says: {done.stderr.strip()}", file=sys.stderr)
        return None
    return file


def takes(instance: Instance) -> bool:
    """Whether there is a checker, and it checks results of the problem."""
    return instance.problem.name in PROBLEMS and checker() is not None


def fingerprint() -> str:
    """Return the beginning of the SHA-256 of the checker's file; ``missing`` without one."""
    file = checker()
    return "missing" if file is None else hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def fault(instance: Instance, result: Result, true: bool) -> str:
    """Return how the checker is wrong about a result; nothing if it is right."""
    file = checker()
    assert file is not None
    files = [file.with_name(name) for name in ("instance.json", "result.json")]
    save(instance, files[0])
    save(result, files[1])
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(file), *map(str, files)],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"does not answer in {SECONDS:.0f} s"
    expected = HOLDS if true else DOES_NOT_HOLD
    said = " ".join((done.stderr or done.stdout).split())
    return "" if done.returncode == expected else f"exit code {done.returncode}, not {expected}: {said}"
