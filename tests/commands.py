"""`oas` run as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

OAS = [sys.executable, "-m", "oas"]
GRID = Path(__file__).parents[1] / "examples" / "grid.json"


class Shown(NamedTuple):
    """The exit code of a command and its two streams."""

    returncode: int
    stdout: str
    stderr: str


def environment(folder, **more):
    """Return this process's environment with the folder's `tmp` for temporary files and a page of 100 columns."""
    return {**os.environ, "TMPDIR": str(folder / "tmp"), "COLUMNS": "100", **more}


def run(folder, *arguments, stdin=None, **more):
    """Run `oas` with these arguments in `folder`; `more` are environment variables."""
    return subprocess.run(
        [*OAS, *arguments],
        cwd=folder,
        env=environment(folder, **more),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=3600,
        check=False,
    )


def rows_of(text):
    """Return the lines of printed tables, their blanks made one."""
    return [" ".join(line.split()) for line in text.splitlines()]


def check_mistake(done, words, *, codes=(2,)):
    """Check that a command refuses a user's mistake in one line, without printing a result."""
    assert done.returncode in codes and not done.stdout, (done.stdout, done.stderr)
    *loads, line = done.stderr.splitlines()
    assert words in line and line.startswith("oas: ") and all(one.startswith("oas: loads ") for one in loads)
