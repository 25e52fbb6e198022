"""Deliberate bugs, put in one at a time: each has to make a test fail.

    python -m benchmarks.bugs

In a temporary copy of the source tree, the tests first run as it is, and must pass. Then each bug of
`benchmarks.bugs.lists` is patched in, the tests named with it run, and the file is restored. Exit code 1 if a bug
survives.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bugs.lists import BUGS, LISTS, PROBLEMS, Bug

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("oas", "heuristics", "benchmarks", "tests", "docs", "examples", "pyproject.toml", "README.md")
SECONDS = 300
SURVIVED = ""


def patched(bug: Bug, root: Path = ROOT) -> str:
    """Return the text of the bug's file with the bug in it.

    Raises
    ------
    ValueError
        If the text to replace does not occur exactly once: the list is out of date.
    """
    text = (root / bug.file).read_text(encoding="utf-8")
    if text.count(bug.old) != 1:
        raise ValueError(f"{bug.file}: {bug.old!r} occurs {text.count(bug.old)} times, not once ({bug.breaks})")
    return text.replace(bug.old, bug.new)


@contextlib.contextmanager
def source_copy() -> Iterator[Path]:
    """Copy the source tree to a temporary folder, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="oas-bugs-") as name:
        for part in PARTS:
            source, target = ROOT / part, Path(name) / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, target)
        yield Path(name)


def first_failure(copy: Path, tests: Sequence[str]) -> str:
    """Run `tests` in the copy and return the first that fails; `SURVIVED`, an empty text, if all pass.

    Raises
    ------
    RuntimeError
        If the tests do not end, or end in any way but passing and failing.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command,
        cwd=copy,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no end after {SECONDS} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode == 0:
        return SURVIVED
    found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
    if process.returncode != 1 or found is None:
        raise RuntimeError(f"pytest ended with {process.returncode}:\n{output[-2000:]}")
    return found.group(1)


def hunt(copy: Path, bug: Bug) -> str:
    """Put the bug into the copy, return the first test that fails there, or `SURVIVED`, and take the bug out again."""
    file = copy / bug.file
    sound = file.read_text(encoding="utf-8")
    file.write_text(patched(bug, copy), encoding="utf-8")
    try:
        return first_failure(copy, bug.tests)
    finally:
        file.write_text(sound, encoding="utf-8")


def control(copy: Path, bugs: Sequence[Bug]) -> str:
    """Run the tests of all `bugs` on the copy as it is; return the first that fails, or nothing.

    Raises
    ------
    RuntimeError
        If the tests would import another source tree.
    """
    where = subprocess.run(
        [sys.executable, "-c", "import oas; print(oas.__file__)"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        text=True,
        capture_output=True,
        check=True,
    )
    if not Path(where.stdout.strip()).resolve().is_relative_to(copy.resolve()):
        raise RuntimeError(f"the tests would import {where.stdout.strip()}, not the copy")
    return first_failure(copy, sorted({test for bug in bugs for test in bug.tests}))


def main(arguments: list[str] | None = None, bugs: Sequence[Bug] = BUGS) -> int:
    """Hunt all bugs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only bugs with this in their file or description")
    parser.add_argument("--problem", choices=PROBLEMS, help="only bugs of one problem")
    parser.add_argument("--list", choices=LISTS, help="only bugs of one file")
    options = parser.parse_args(arguments)
    listed = {**LISTS, **PROBLEMS}.get(options.list or options.problem, bugs)
    chosen = [bug for bug in listed if options.only in f"{bug.file}: {bug.breaks}"]
    with source_copy() as copy:
        failing = control(copy, chosen)
        if failing:
            print(f"without any bug {failing} fails", file=sys.stderr)
            return 1
        print("| bug | in | first test to fail |", "|---|---|---|", sep="\n", flush=True)
        survivors = 0
        for bug in chosen:
            failing = hunt(copy, bug)
            survivors += failing == SURVIVED
            print(f"| {bug.breaks} | {bug.file} | {f'`{failing}`' if failing else '**survived**'} |", flush=True)
    print(f"\n{len(chosen) - survivors} of {len(chosen)} bugs caught")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
