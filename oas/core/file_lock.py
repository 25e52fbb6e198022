"""A lock file."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class FileLock:
    """Try to take the lock; it is let go of by `release`, or when the process ends in whatever way.

    A file of its own, because closing any descriptor of a database's file drops SQLite's locks on it.

    Raises `OSError` if the file cannot be made.

    Parameters
    ----------
    path
        The file; `release` removes it. One that a killed process has left is taken over.

    Attributes
    ----------
    held
        Whether it could be taken.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        while True:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._descriptor)
                self.held = False
                return
            if self._is_there():
                self.held = True
                return
            os.close(self._descriptor)  # its holder has removed it meanwhile

    def release(self) -> None:
        """Release the lock."""
        if self.held:
            self.held = False
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False
