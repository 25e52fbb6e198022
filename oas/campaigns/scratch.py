"""A folder for a child's temporary files, which is removed even if the child is killed.

The child holds a lock on its folder. What it leaves at its end it removes itself, also when its parent was killed; if
it was killed itself, the lock is gone with it, and whoever sweeps next removes the folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "oas-campaign-"
_PATIENCE = 2.0  # seconds; what a dying solver still writes must not keep a folder alive


def own_scratch() -> Path:
    """Make this process a folder and have everything temporary go there, also that of processes it starts."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        if _locked(folder) is not None and folder.exists():  # else another process swept between the two
            break
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    return folder


def sweep() -> None:
    """Remove the folders of children that are no more."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{PREFIX}*"):
        descriptor = _locked(folder)
        if descriptor is not None:
            remove(folder)
            os.close(descriptor)


def is_in_use(folder: Path) -> bool:
    """Return whether a living child holds the folder."""
    descriptor = _locked(folder)
    if descriptor is None:
        return folder.exists()
    os.close(descriptor)
    return False


def remove(folder: Path) -> None:
    """Remove a folder in which another process may still write for a moment."""
    end = time.monotonic() + _PATIENCE
    while folder.exists() and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.001)


def _locked(folder: Path) -> int | None:
    """Return a descriptor that holds the folder until it is closed; None if another process holds it or it is gone."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None
