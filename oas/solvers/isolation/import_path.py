"""The import path of this process."""

from __future__ import annotations

import os
import sys


def import_path() -> tuple[str, ...]:
    """Return this process's import path, absolute, so that a child process finds the same modules."""
    return tuple(dict.fromkeys(os.path.abspath(entry) for entry in sys.path))
