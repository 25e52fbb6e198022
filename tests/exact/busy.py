"""A function for a process that compiles: it takes no end, and lets no other thread run."""

from __future__ import annotations

import os
import re
from pathlib import Path


def hold() -> None:
    """Leave a file that says so, then search in one call of C code."""
    Path(os.environ["OAS_TEST_HOLDING"]).touch()
    re.match("(a+)+b", "a" * 60)
