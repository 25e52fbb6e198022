"""Documents whose examples are run: their blocks of code, and commands held against what is shown of them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.commands import Shown


class Block(NamedTuple):
    """A fenced block: the comment on the line before it, its language, its text."""

    note: str
    kind: str
    text: str

    @property
    def commands(self) -> list[list[str]]:
        """Of a console block: each command, without its prompt, and the lines that it prints."""
        parts = re.split(r"^(?=\$ )", self.text, flags=re.MULTILINE)[1:]
        return [part.removeprefix("$ ").splitlines() for part in parts]


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(*one) for one in found]


def without_times(text: str) -> list[str]:
    """Wall times differ from run to run, and with them the width of their column."""
    text = re.sub(r"\d+\.\d+ s", "TIME", text)
    # Which of the shortest schedules a solver finds is its own affair: only the makespan is certain.
    text = re.sub(r"^(optimum +\d+ +[\d,]+).*$", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^(O\d +\d+ +\d+) .*%$", r"\1", text, flags=re.MULTILINE)
    return [re.sub(r"[ ─]+", " ", line).strip() for line in text.splitlines()]


def check_oas(
    command: str, shown: Sequence[str], *, python: str = sys.executable, code: int = 0, **environment: str
) -> None:
    """Run an `oas` command of a document; what it prints is what is shown, if anything is."""
    run = run_command([python, "-P", "-m", "oas", *arguments_of(command)], environment)
    check_shown(run, shown, code)


def arguments_of(command: str) -> list[str]:
    """What an `oas` command of a document is called with."""
    program, *arguments = shlex.split(command)
    assert program == "oas"
    return arguments


def check_shown(run: Shown | subprocess.CompletedProcess[str], shown: Sequence[str], code: int = 0) -> None:
    """Hold a command's exit code and what it has printed against what a document shows, if it shows anything."""
    assert run.returncode == code, run.stderr
    if shown:
        assert without_times(run.stdout) == without_times("\n".join(shown))


def run_command(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "130", **environment},
        timeout=300,
        check=False,
    )
