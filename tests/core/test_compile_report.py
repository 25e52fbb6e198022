"""Compiling is reported: a line for the program to show, a log record, and its seconds in the result."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s %(message)s")
import oas
from oas.core import announcing
from oas.core.uncompiled import compile_seconds
announcing.listeners.append(print)
from oas.exact.coallocation.loops import splitting
splitting()
print("waited", compile_seconds() > 0)
"""


def test_compiling_is_reported(tmp_path):
    for compiled in (False, True):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        lines = done.stdout.splitlines()
        assert ("oas compiling split, once per installation" in lines) is not compiled
        assert ("compiling loops, once per installation; this takes some seconds" in lines) is not compiled
        assert lines[-1] == f"waited {not compiled}"
